# SPDX-License-Identifier: MIT
"""Rules for people: their list, and why one of them holds or does not."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from clprobe.engine.rule import Rule
from clprobe.engine.why import Trace
from clprobe.report.terminal import in_ascii, mark, safe, speaks_utf8

_TRUTHS = {True: "fine", False: "error", None: "undetermined"}


def show_rules(console: Console, rules: Iterable[Rule]) -> None:
    """Print one rule a line: id, severity, and the link of the chain that it is about."""
    rules = list(rules)
    width = max(len(rule.id) for rule in rules)
    for rule in rules:
        line = Text.assemble(
            (rule.id.ljust(width + 2), "heading"),
            (rule.severity.ljust(9), rule.severity),
            rule.link,
        )
        console.print(line, soft_wrap=True)


def show_trace(console: Console, rule: Rule, traces: tuple[Trace, ...]) -> None:
    """Print for each subject which condition held, failed or lacked its fact."""
    plain = not speaks_utf8(console)
    console.print(Text(f"{rule.id} ({rule.severity})", "heading"))
    if not traces:
        console.print(Text("  absent: there is nothing that it could be about", "label"))
    for trace in traces:
        console.print()
        console.print(Text(f"  {_clean(trace.subject, plain)}: {trace.verdict}"), soft_wrap=True)
        for line in trace.lines:
            kind = _TRUTHS[line.truth]
            sign = Text(
                f"  {'  ' * (line.depth + 1)}{mark(kind, plain=plain)} ",
                kind if kind != "undetermined" else "warning",
            )
            value = f"   {_clean(line.value, plain)}" if line.value else ""
            text = _clean(line.text, plain)
            console.print(Text.assemble(sign, text, (value, "label")), soft_wrap=True)


def _clean(text: str, plain: bool) -> str:
    return in_ascii(safe(text)) if plain else safe(text)
