# SPDX-License-Identifier: MIT
"""The rules database as one value: rules, tables and solved reports."""

import difflib
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clprobe.knowledge.solved_reports import SolvedReport, load_reports
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.ruleset.rule import Rule
from clprobe.ruleset.rules import load_rules

if TYPE_CHECKING:
    from clprobe.diagnosis.precedents.resemblance import Precedents


class Knowledge(msgspec.Struct, frozen=True, dict=True):
    """The rules database: rules, tables and solved reports, which are read when they are needed."""

    rules: tuple[Rule, ...]
    tables: Tables
    reports: tuple[SolvedReport, ...] | None = None

    def without(self, url: str) -> "Knowledge":
        """Return the same without the solved reports at that address."""
        left = tuple(one for one in self.solved if one.url != url)
        return msgspec.structs.replace(self, reports=left)

    @cached_property
    def solved(self) -> tuple[SolvedReport, ...]:
        """The solved reports. Raises: ClprobeError if one is malformed."""
        return load_reports() if self.reports is None else self.reports

    @cached_property
    def precedents(self) -> "Precedents":
        """The same, ready to be searched. Raises: ClprobeError if one is malformed."""
        # Few ask.
        from clprobe.diagnosis.precedents.archive import (  # noqa: PLC0415
            archive_of,
            shipped_archive,
        )
        from clprobe.diagnosis.precedents.resemblance import Precedents  # noqa: PLC0415
        from clprobe.diagnosis.precedents.wording import shipped_wording  # noqa: PLC0415

        archive = shipped_archive() if self.reports is None else archive_of(self.reports)
        if self.tables.are_shipped and self.rules is _shipped().rules:
            return Precedents(archive, self.rules, shipped_wording)
        return Precedents(archive, self.rules)

    @classmethod
    def load(cls, root: Path | None = None) -> "Knowledge":
        """Return the database under `root`, or clprobe's own, which is read once in a process.

        Raises: ClprobeError if a rule is malformed.
        """
        return _shipped() if root is None else cls(load_rules(root), Tables.load(root / "tables"))

    def rule(self, rule_id: str) -> Rule | None:
        """Return the rule with that id."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def rule_named(self, rule_id: str) -> Rule:
        """Return the rule with that id.

        Raises: ClprobeError if there is none; its hint names similar ones.
        """
        found = self.rule(rule_id)
        if found is None:
            close = difflib.get_close_matches(rule_id, [rule.id for rule in self.rules])
            raise ClprobeError(
                reference="no-such-rule",
                message=f"There is no rule {rule_id!r}.",
                hint=f"Did you mean {' or '.join(close)}?" if close else "See clprobe rules list.",
            )
        return found


@cache
def _shipped() -> Knowledge:
    return Knowledge(load_rules(), Tables.load())
