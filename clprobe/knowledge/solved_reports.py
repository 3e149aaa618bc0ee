# SPDX-License-Identifier: MIT
"""Reads rules/reports: public reports whose cause was found, as facts and as a post."""

from pathlib import Path
from typing import Any, Literal

import msgspec

from clprobe.knowledge.checked_yaml import read
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.resources import rules_path


class SolvedReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One report.

    `rules` are the rules that name its cause, `fix` what mended it there; None: the thread does not
    tell, or in the rule's own words. `facts` are those of a snapshot, with what a reader of the
    whole thread knows. `undecided`: they leave the cause open. `told` is the report restated the
    way its author posts it, without cause and fix.
    """

    report: str
    url: str
    checked: str
    confirmed: Literal["yes", "likely", "unknown"]
    rules: tuple[str, ...]
    cause: str
    told: str
    facts: dict[str, Any] = {}
    fix: str | None = None
    undecided: bool = False

    @property
    def snapshot(self) -> Snapshot:
        """The facts. Raises: msgspec.ValidationError if they do not fit a snapshot."""
        return msgspec.convert(self.facts, Snapshot)


def report_files(root: Path | None = None) -> list[Path]:
    """Return the files of the reports below `root`, by default the database, sorted by name."""
    return sorted(((root or rules_path()) / "reports").glob("*.yaml"))


def load_reports(root: Path | None = None) -> tuple[SolvedReport, ...]:
    """Return all reports below `root`, by default the database's.

    Raises: ClprobeError naming file and line of the first that is malformed.
    """
    return tuple(load_report(path) for path in report_files(root))


def load_report(path: Path) -> SolvedReport:
    """Return the report in one file. Raises: ClprobeError if it is malformed."""
    return read(path, SolvedReport, mistake=_malformed)


def _malformed(path: Path, line: int, message: str, hint: str = "") -> ClprobeError:
    return ClprobeError(
        reference="report-malformed",
        message=f"{path}:{line}: {message}",
        hint=hint or "rules/reports/README.md explains the format.",
    )
