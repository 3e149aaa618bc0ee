# SPDX-License-Identifier: MIT
"""Solved reports as partial snapshots: the confirmed cause comes first, or is left open honestly.

Facts that cannot decide (`undecided: true`) must not be answered with certainty by another cause.
How often the confirmed one is then among the first two, though its own thread is not known, is a
figure: each report is new to those who did not write its rule.
"""

import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.knowledge.solved_reports import SolvedReport

KNOWLEDGE = Knowledge.load()
REPORTS = [one for one in KNOWLEDGE.solved if one.facts]
LEAST_SUSPECTED = 0.8
"""Share of the open ones; 0.86 when this was written."""


@pytest.mark.parametrize("report", REPORTS, ids=lambda one: one.report)
def test_the_confirmed_cause_of_a_real_report_comes_first_or_is_open(report: SolvedReport) -> None:
    diagnosis = diagnose(report.snapshot, KNOWLEDGE)
    if diagnosis.status == "undetermined":
        assert report.undecided, diagnosis.findings[0].id
    else:
        assert diagnosis.findings[0].id in report.rules


def test_open_causes_are_suspected() -> None:
    still_open = [one for one in REPORTS if one.undecided]
    missed = [
        one.report
        for one in still_open
        if not {f.id for f in diagnose(one.snapshot, KNOWLEDGE.without(one.url)).findings[:2]}
        & set(one.rules)
    ]
    assert len(missed) <= (1 - LEAST_SUSPECTED) * len(still_open), missed


def test_there_are_reports_and_each_says_where_it_is_from_and_names_rules_that_exist() -> None:
    assert len(REPORTS) >= 300
    for report in KNOWLEDGE.solved:
        assert report.rules, report.report
        assert [rule for rule in report.rules if KNOWLEDGE.rule(rule) is None] == [], report.report
        assert report.url.startswith("https://")
        assert report.cause
        assert len(report.told) > 100, report.report
