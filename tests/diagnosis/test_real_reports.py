# SPDX-License-Identifier: MIT
"""Public reports as partial snapshots: the confirmed cause comes first, or is left open honestly.

A case whose facts cannot decide (`undetermined: true`) must not be answered with certainty by
another cause: the confirmed one stands among the first two findings.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from clprobe.diagnosis.diagnose import Knowledge, diagnose
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis

KNOWLEDGE = Knowledge.load()
CASES = sorted((Path(__file__).parent.parent / "cases").glob("*.yaml"))


def _case(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return case


def _diagnosis(path: Path, case: dict[str, Any]) -> Diagnosis:
    snapshot = snapshot_from_text(yaml.safe_dump(case["facts"]), name=path.name)
    return diagnose(snapshot, KNOWLEDGE)


def _expected(case: dict[str, Any]) -> list[str]:
    expected = case["expect"]
    return expected if isinstance(expected, list) else [expected]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_confirmed_cause_of_a_real_report_comes_first(path: Path) -> None:
    case = _case(path)
    diagnosis = _diagnosis(path, case)
    found = [finding.id for finding in diagnosis.findings]
    if diagnosis.status == "undetermined":
        assert case.get("undetermined"), found
        assert set(found[:2]) & set(_expected(case)), found
    else:
        assert set(found[:1]) & set(_expected(case)), found


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_names_its_report_and_only_rules_that_exist(path: Path) -> None:
    case = _case(path)
    assert case["source"]["url"].startswith("https://")
    assert case["cause"]
    assert [rule for rule in _expected(case) if KNOWLEDGE.rule(rule) is None] == []
