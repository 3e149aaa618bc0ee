# SPDX-License-Identifier: MIT
"""All formats tell the same ids and levels, are valid, and survive hostile texts."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import junitparser
import msgspec
import pytest
import yaml
from sarif_pydantic import Sarif

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.knowledge.solved_reports import report_files
from clprobe.model.codec import snapshot_from_text
from clprobe.model.finding import Diagnosis, Finding
from clprobe.model.snapshot import Snapshot
from clprobe.report.doctor_html import diagnosis_as_html
from clprobe.report.junit import diagnosis_as_junit
from clprobe.report.markdown import diagnosis_as_markdown
from clprobe.report.sarif import diagnosis_as_sarif

KNOWLEDGE = Knowledge.load()
REPORTS = report_files()
HOSTILE = "\x1b[31m]]> </script><b>`\u202e\u2066x\x00\x07\x9b\udc80\n```\n| {0} *a*"
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def _diagnosis(path: Path) -> Diagnosis:
    facts = yaml.safe_load(path.read_text("utf-8")).get("facts", {})
    return diagnose(snapshot_from_text(yaml.safe_dump(facts), name=path.name), KNOWLEDGE)


def _hostile() -> Diagnosis:
    snapshot = {
        "icds": [{
            "path": f"/etc/OpenCL/vendors/{HOSTILE}.icd", "library_name": HOSTILE,
            "library": {"path": HOSTILE, "format": "elf"},
            "answer": {"stage": "load", "outcome": "crash", "signal": "SIGABRT",
                       "printed": HOSTILE, "platforms": []},
        }],
        "views": [{"viewer": "clinfo", "answer": {"platforms": [
            {"name": HOSTILE, "devices": [{"name": HOSTILE, "type": "gpu", "available": True,
                                           "kernel_result": "wrong"}]}]}}],
    }  # fmt: skip
    return diagnose(msgspec.convert(snapshot, Snapshot), KNOWLEDGE)


def _told(findings: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(one.id, one.verdict, one.severity) for one in findings]


def _sarif(diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    text = diagnosis_as_sarif(diagnosis, KNOWLEDGE.rules, exit_status=1)
    Sarif.model_validate_json(text)
    (run,) = json.loads(text)["runs"]
    kinds = {"fail": "present", "open": "undetermined"}
    for result in run["results"]:
        shown = result["level"] if result["kind"] == "fail" else result["properties"]["severity"]
        assert shown == result["properties"]["severity"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return [
        (one["ruleId"], kinds[one["kind"]], one["properties"]["severity"]) for one in run["results"]
    ]


def _junit(diagnosis: Diagnosis) -> dict[str, str]:
    """Return what became of each rule's case: failed, skipped or passed with an output."""
    text = diagnosis_as_junit(diagnosis, KNOWLEDGE.rules, elapsed_ms=12)
    (suite,) = junitparser.JUnitXml.fromstring(text)
    assert suite.tests == len(KNOWLEDGE.rules)
    outcomes = {}
    for case in suite:
        kinds = [type(one).__name__.lower() for one in case.result]
        outcome = kinds[0] if kinds else "told" if case.system_out else "passed"
        if outcome != "passed":
            outcomes[case.name] = outcome
    return outcomes


def _expected_of_junit(diagnosis: Diagnosis) -> dict[str, str]:
    expected: dict[str, str] = {}
    for one in diagnosis.findings:
        if one.verdict == "present":
            outcome = "failure" if one.severity == "error" else "told"
        else:
            outcome = "skipped"
        known = ("failure", "skipped", "told")
        expected[one.id] = min(expected.get(one.id, outcome), outcome, key=known.index)
    return expected


class _Articles(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "article":
            named = dict(attrs)
            self.found.append((str(named["id"]), str(named["class"])))


def _html(diagnosis: Diagnosis) -> _Articles:
    parser = _Articles()
    parser.feed(diagnosis_as_html(diagnosis, checks=1, elapsed_ms=1))
    return parser


def test_there_are_enough_reports_to_compare() -> None:
    assert len(REPORTS) >= 30


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_all_formats_tell_the_same_of_a_real_report(path: Path) -> None:
    diagnosis = _diagnosis(path)
    told = _told(diagnosis.findings)
    assert _sarif(diagnosis) == told
    assert _junit(diagnosis) == _expected_of_junit(diagnosis)
    markdown = re.findall(
        r"^ *- \*\*(\w+)\*\* `([a-z0-9-]+)`", diagnosis_as_markdown(diagnosis), re.M
    )
    kinds = [(one[2] if one[1] == "present" else one[1], one[0]) for one in told]
    assert markdown == kinds
    heads = [one for one in diagnosis.findings if one.caused_by is None]
    assert {rule for rule, _ in _html(diagnosis).found} == {one.id for one in heads}


@pytest.mark.parametrize("form", ["sarif", "junit", "markdown", "html"])
def test_hostile_texts_of_drivers_survive_and_steer_nothing(form: str) -> None:
    diagnosis = _hostile()
    assert diagnosis.findings
    text = {
        "sarif": lambda: diagnosis_as_sarif(diagnosis, KNOWLEDGE.rules, exit_status=1),
        "junit": lambda: diagnosis_as_junit(diagnosis, KNOWLEDGE.rules, elapsed_ms=1),
        "markdown": lambda: diagnosis_as_markdown(diagnosis),
        "html": lambda: diagnosis_as_html(diagnosis, checks=1, elapsed_ms=1),
    }[form]()
    text.encode("utf-8")
    assert _STEERING.search(text) is None
    if form == "sarif":
        assert _sarif(diagnosis) == _told(diagnosis.findings)
    if form == "junit":
        assert _junit(diagnosis) == _expected_of_junit(diagnosis)
    if form == "html":
        assert "b" not in _html(diagnosis).tags
        assert "script" not in _html(diagnosis).tags
    if form == "markdown":
        assert "```" not in text


def test_a_run_that_could_not_decide_says_so_in_sarif() -> None:
    (run,) = json.loads(diagnosis_as_sarif(_hostile(), KNOWLEDGE.rules, exit_status=3))["runs"]
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 3}]


def test_the_page_loads_nothing_from_elsewhere() -> None:
    page = diagnosis_as_html(_hostile(), checks=1, elapsed_ms=1)
    assert not re.search(r'(src|href)="(?!https://[^"]+" rel="noreferrer")', page)
    assert "@import" not in page
    assert "url(" not in page
