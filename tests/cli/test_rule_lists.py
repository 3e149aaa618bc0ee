# SPDX-License-Identifier: MIT
"""`doctor --list` and `doctor --why`, for people and for programs."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clprobe.report.schemas import published
from clprobe.ruleset.rules import load_rules

RULES = {rule.id: rule for rule in load_rules()}
FACTS = {"gpus": [], "icds": [{"path": "/etc/OpenCL/vendors/a.icd"}]}


def _doctor(*argv: str, facts: Any = None, **variables: str) -> str:
    result = subprocess.run(
        [sys.executable, "-m", "clprobe", "doctor", *argv],
        input=None if facts is None else json.dumps(facts),
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return result.stdout


def test_the_list_as_json_has_every_rule_with_what_it_reads() -> None:
    printed = json.loads(_doctor("--list", "--json"))
    Draft202012Validator(published()["clprobe.rules/1"]).validate(printed)
    entries = {entry["id"]: entry for entry in printed["rules"]}
    assert set(entries) == set(RULES)
    assert all(entry["reads"] for entry in entries.values())
    assert entries["no-gpu"]["reads"] == ["opencl"]
    assert entries["no-gpu"]["summary"] == RULES["no-gpu"].summary
    assert any(entry["needs_root"] for entry in entries.values())
    assert not entries["no-gpu"]["needs_root"]


def test_the_list_says_where_a_rule_stands_and_fits_a_terminal() -> None:
    lines = _doctor("--list", COLUMNS="80").splitlines()
    assert max(len(line) for line in lines) <= 80
    place = lines.index("no-gpu  warning")
    assert lines[place + 1].strip() == RULES["no-gpu"].summary
    assert "reads opencl" in lines[place + 2]


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("no-gpu", "present"),
        ("icd-file-malformed", "undetermined"),
        ("no-icd-registered", "absent"),
    ],
)
def test_why_as_json_tells_each_condition(rule: str, verdict: str) -> None:
    printed = json.loads(_doctor("--from", "-", "--why", rule, "--json", facts=FACTS))
    Draft202012Validator(published()["clprobe.why/1"]).validate(printed)
    (subject,) = printed["subjects"]
    assert (printed["rule"], subject["verdict"]) == (rule, verdict)
    assert subject["lines"]


def test_a_rule_without_subject_has_none_in_json() -> None:
    printed = json.loads(_doctor("--from", "-", "--why", "gpu-given-away", "--json", facts=FACTS))
    assert printed["subjects"] == []


def test_why_stays_within_80_columns_on_a_dumb_terminal() -> None:
    printed = _doctor(
        *("--from", "-", "--why", "icd-file-malformed"),
        facts=FACTS, TERM="dumb", COLUMNS="80", PYTHONIOENCODING="ascii",
    )  # fmt: skip
    assert printed.isascii()
    assert "\x1b" not in printed
    assert max(len(line) for line in printed.splitlines()) <= 80
