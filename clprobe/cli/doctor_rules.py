# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - rich loads only where text is printed
"""`doctor --list` and `doctor --why RULE`: what is checked, and how a rule was decided."""

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.output import print_document
from clprobe.diagnosis.catalogue import RuleTrace, catalogue, trace
from clprobe.diagnosis.diagnose import Knowledge
from clprobe.model.snapshot import Snapshot
from clprobe.report.as_json import document
from clprobe.ruleset.load import load_rules
from clprobe.ruleset.questions import Questions


def list_rules_of(color: str, *, as_json: bool) -> int:
    """Print every rule with what it reads."""
    listed = catalogue(load_rules(), Questions.load())
    if as_json:
        print_document(document("clprobe.rules/1", listed))
        return exit_codes.OK
    from clprobe.report.rule_text import show_catalogue
    from clprobe.report.terminal import make_console

    show_catalogue(make_console(color), listed.rules)
    return exit_codes.OK


def why(
    rule_id: str, snapshot: Snapshot, knowledge: Knowledge, color: str, *, as_json: bool
) -> int:
    """Print which fact decided each condition of a rule, or was lacking.

    Raises: ClprobeError if there is no such rule.
    """
    rule = knowledge.rule_named(rule_id)
    subjects = trace(rule, snapshot, knowledge)
    if as_json:
        told = RuleTrace(
            rule=rule.id, summary=rule.summary, severity=rule.severity, subjects=subjects
        )
        print_document(document("clprobe.why/1", told))
        return exit_codes.OK
    from clprobe.report.rule_text import show_trace
    from clprobe.report.terminal import make_console

    show_trace(make_console(color), rule, subjects)
    return exit_codes.OK
