# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - imports stand where they are needed
"""`clprobe doctor --list` and `--why`: what is checked, and why a rule holds or does not."""

from typing import TYPE_CHECKING

from clprobe.cli.output import print_document

if TYPE_CHECKING:
    from clprobe.diagnosis.knowledge import Knowledge
    from clprobe.model.snapshot import Snapshot


def show_rules(color: str, *, as_json: bool) -> None:
    """Print every rule with what it reads."""
    from clprobe.diagnosis.catalogue import catalogue
    from clprobe.report.as_json import document
    from clprobe.ruleset.questions import Questions
    from clprobe.ruleset.rules import load_rules

    listed = catalogue(load_rules(), Questions.load())
    if as_json:
        print_document(document("clprobe.rules/1", listed))
        return
    from clprobe.report.rule_text import show_catalogue
    from clprobe.report.terminal import make_console

    show_catalogue(make_console(color), listed.rules)


def show_why(
    rule_id: str, snapshot: "Snapshot", knowledge: "Knowledge", color: str, *, as_json: bool
) -> None:
    """Print which fact decided each condition of a rule, or was lacking.

    Raises: ClprobeError if there is no such rule.
    """
    from clprobe.diagnosis.catalogue import RuleTrace, trace
    from clprobe.report.as_json import document

    rule = knowledge.rule_named(rule_id)
    subjects = trace(rule, snapshot, knowledge)
    if as_json:
        told = RuleTrace(
            rule=rule.id, summary=rule.summary, severity=rule.severity, subjects=subjects
        )
        print_document(document("clprobe.why/1", told))
        return
    from clprobe.report.rule_text import show_trace
    from clprobe.report.terminal import make_console

    show_trace(make_console(color), rule, subjects)
