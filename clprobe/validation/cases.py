# SPDX-License-Identifier: MIT
"""Runs the cases beside a rule: small snapshots with the verdict that they must get."""

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.knowledge.checked_yaml import line_at, parse, read, text_of
from clprobe.model.finding import Verdict
from clprobe.model.snapshot import Snapshot
from clprobe.resources import rules_path
from clprobe.ruleset.judge import Outcome, ask_rule
from clprobe.ruleset.load import CASES_SUFFIX, malformed
from clprobe.ruleset.rule import Rule
from clprobe.ruleset.templates import fill


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case: `snapshot`, or the file's base with the patches in `but`, and what to expect.

    `says` must occur in the title or the reason of the present finding.
    """

    case: str
    expect: Literal["present", "absent", "undetermined"]
    snapshot: dict[str, Any] | None = None
    but: dict[str, Any] = {}
    says: str = ""


class CaseFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cases of one rule."""

    cases: tuple[Case, ...]
    base: dict[str, Any] = {}


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one case gave; `complaint` is empty if that was right."""

    rule: str
    case: str
    expected: Verdict
    got: Verdict
    complaint: str


def case_file_of(rule: Rule, root: Path | None = None) -> Path:
    """Return the path of the rule's cases."""
    return (root or rules_path()) / rule.topic / f"{rule.id}{CASES_SUFFIX}"


def load_cases(path: Path) -> CaseFile:
    """Return the cases in a file.

    Raises: ClprobeError if the file is malformed.
    """
    return read(path, CaseFile, data=parse(path))


def run_cases(rule: Rule, knowledge: Knowledge, root: Path | None = None) -> Iterator[CaseResult]:
    """Yield the result of each case of `rule`.

    Raises: ClprobeError if the cases cannot be read or a snapshot in them is malformed.
    """
    path = case_file_of(rule, root)
    file = load_cases(path)
    for number, case in enumerate(file.cases):
        facts = derive(checked_snapshot(case, number, file, path), knowledge.tables)
        yield _result(rule, case, list(ask_rule(rule, facts)))


def checked_snapshot(case: Case, number: int, file: CaseFile, path: Path) -> Snapshot:
    """Return the snapshot of the case, which is the file's case with that number, from 0.

    Raises: ClprobeError if it is malformed.
    """
    try:
        return snapshot_of(case, file)
    except (msgspec.ValidationError, LookupError, TypeError) as error:
        line = _line_of(error, path) or line_at(path, ("cases", number))
        raise malformed(path, line, f"case {case.case!r}: {error}") from error


def _line_of(error: Exception, path: Path) -> int | None:
    """Return the first line that holds the word which the error calls unknown."""
    match = re.search(r"unknown field `(\w+)`", str(error))
    if match is None:
        return None
    lines = enumerate(text_of(path).splitlines(), start=1)
    return next((number for number, line in lines if f"{match[1]}:" in line), None)


def snapshot_of(case: Case, file: CaseFile) -> Snapshot:
    """Return the snapshot of one case of the file.

    Raises: ValidationError, LookupError or TypeError if it is malformed.
    """
    data = _patched(file.base, case.but) if case.snapshot is None else case.snapshot
    return msgspec.convert(data, Snapshot)


def _result(rule: Rule, case: Case, outcomes: list[Outcome]) -> CaseResult:
    got = verdict_of(outcomes)
    complaint = "" if got == case.expect else f"expected {case.expect}, got {got}"
    texts = [
        fill(f"{rule.title} {rule.because}", one.scope) for one in outcomes if one.answer.truth
    ]
    if not complaint and case.says and not any(case.says in text for text in texts):
        complaint = f"does not say {case.says!r}: {texts}"
    return CaseResult(
        rule=rule.id, case=case.case, expected=case.expect, got=got, complaint=complaint
    )


def verdict_of(outcomes: list[Outcome]) -> Verdict:
    """Return the verdict over all subjects: present anywhere, else undetermined anywhere."""
    truths = {outcome.answer.truth for outcome in outcomes}
    if True in truths:
        return "present"
    return "undetermined" if None in truths else "absent"


def _patched(base: dict[str, Any], patches: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with each dotted path, such as `icds.0.text`, set to its new value."""
    document: Any = copy.deepcopy(base)
    for path, value in patches.items():
        *way, last = path.split(".")
        target = document
        for step in way:
            target = target[int(step)] if isinstance(target, list) else target[step]
        target[int(last) if isinstance(target, list) else last] = value
    result: dict[str, Any] = document
    return result
