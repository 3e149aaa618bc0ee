# SPDX-License-Identifier: MIT
"""Rules for people: their list, and why one of them holds or does not."""

from collections.abc import Iterable

from rich.console import Console

from clprobe.diagnosis.catalogue import RuleEntry, Trace
from clprobe.report.terminal import INDENT, Screen
from clprobe.ruleset.rule import Rule

_TRUTHS = {True: "fine", False: "error", None: "undetermined"}


def show_rules(console: Console, rules: Iterable[Rule]) -> None:
    """Print one rule a line: id, severity, and the link of the chain that it is about."""
    screen, rules = Screen(console), list(rules)
    width = max(len(rule.id) for rule in rules) + 2
    for rule in rules:
        severity = rule.severity.ljust(9), rule.severity
        screen.unbroken((rule.id.ljust(width), "heading"), severity, rule.link)


def show_catalogue(console: Console, entries: Iterable[RuleEntry]) -> None:
    """Print each rule with what it says, where it stands, and what it reads."""
    screen = Screen(console)
    for entry in entries:
        screen.unbroken((entry.id, "heading"), "  ", (entry.severity, entry.severity))
        screen.wrapped(entry.summary, INDENT)
        root = "; for root" if entry.needs_root else ""
        reads = ", ".join(entry.reads)
        screen.wrapped(f"{entry.topic}, {entry.link}; reads {reads}{root}", INDENT, hang=INDENT)


def show_trace(console: Console, rule: Rule, traces: tuple[Trace, ...]) -> None:
    """Print for each subject which condition held, failed or lacked its fact."""
    screen = Screen(console)
    screen.heading(f"{rule.id} ({rule.severity})", first=True)
    if not traces:
        screen.line("  absent: there is nothing that it could be about", "label")
    for trace in traces:
        screen.blank()
        screen.wrapped(f"{trace.subject}: {trace.verdict}", INDENT, hang=INDENT)
        for line in trace.lines:
            kind = _TRUTHS[line.truth]
            screen.marked(
                kind,
                f"{line.text}   {line.value}" if line.value else line.text,
                indent=INDENT * (line.depth + 2),
                hang=INDENT,
                style=kind if kind != "undetermined" else "warning",
            )
