# SPDX-License-Identifier: MIT
"""A scrubbed snapshot is diagnosed like the raw one, over the cases of every rule."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.knowledge.solved_reports import report_files
from clprobe.model.codec import snapshot_from_text
from clprobe.model.snapshot import Snapshot
from clprobe.ruleset.rule import Rule
from clprobe.scrub import scrub
from clprobe.validation.cases import case_file_of, load_cases, snapshot_of

KNOWLEDGE = Knowledge.load()
_REPORTS = report_files()


def _facts(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8")).get("facts", {})


def _said(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    findings = diagnose(snapshot, KNOWLEDGE).findings
    return [(one.id, one.verdict, one.severity, one.caused_by) for one in findings]


@pytest.mark.parametrize("rule", KNOWLEDGE.rules, ids=lambda rule: rule.id)
def test_no_finding_of_a_case_is_lost_or_gained(rule: Rule) -> None:
    file = load_cases(case_file_of(rule))
    for case in file.cases:
        raw = snapshot_of(case, file)
        scrubbed = scrub(raw)
        assert _said(scrubbed) == _said(raw), case.case
        assert scrub(scrubbed) == scrubbed, case.case


@pytest.mark.parametrize("path", _REPORTS, ids=lambda path: path.stem)
def test_no_finding_of_a_report_is_lost_or_gained(path: Path) -> None:
    raw = snapshot_from_text(yaml.safe_dump(_facts(path)), name=path.name)
    scrubbed = scrub(raw)
    assert _said(scrubbed) == _said(raw)
    assert scrub(scrubbed) == scrubbed
    assert msgspec.json.encode(scrubbed)
