# SPDX-License-Identifier: MIT
"""Finds the solved reports and the rules whose words are like those of a case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from clprobe.diagnosis.precedents.archive import Archive
from clprobe.diagnosis.precedents.settings import shipped_settings
from clprobe.diagnosis.precedents.signs import SignFit
from clprobe.diagnosis.precedents.subjects import subjects_in
from clprobe.diagnosis.precedents.word_index import WordIndex
from clprobe.diagnosis.precedents.wording import Wording, wording_of
from clprobe.diagnosis.precedents.words import distinct
from clprobe.knowledge.solved_reports import SolvedReport
from clprobe.ruleset.cues import Told
from clprobe.ruleset.rule import Rule

_NEAREST_REPORTS, _NEAREST_RULES = 12, 60
_SHARPNESS = 3
"""A report half as near as the nearest counts an eighth of it."""


class Near(msgspec.Struct, frozen=True):
    """A solved report, and how near it is: 1 is the nearest."""

    report: SolvedReport
    nearness: float


class Resemblance(msgspec.Struct, frozen=True, kw_only=True):
    """What is like a case: reports, the nearest first, and of rules how near their words are.

    `signs` says how the rules' signs fit, `cues` how many of their cues do, `quoted` which rules
    ask for words that stand there, `subjects` what the case is about, `settings` how much likelier
    each rule is where the case happened.
    """

    reports: tuple[Near, ...] = ()
    described: dict[str, float] = {}
    signs: dict[str, SignFit] = {}
    cues: dict[str, int] = {}
    quoted: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    settings: dict[str, float] = {}

    def by_rule(self) -> dict[str, tuple[float, float]]:
        """Return for each rule its nearest report's weight, and that of all its near ones."""
        found: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        for near in self.reports:
            weight = near.nearness**_SHARPNESS
            for rule in near.report.rules:
                best, total = found[rule]
                found[rule] = (max(best, weight), total + weight)
        return found


class Precedents:
    """The words of solved reports and rules, ready to be searched."""

    def __init__(
        self,
        archive: Archive,
        rules: Sequence[Rule],
        wording: Callable[[Sequence[Rule]], Wording] = wording_of,
    ) -> None:
        self._archive = archive
        self._rules = [rule.id for rule in rules]
        self._wording = cache(lambda: wording(rules))
        self._descriptions = WordIndex.of(
            " ".join((one.id.replace("-", " "), one.summary, one.title, one.because, *one.signs))
            for one in rules
        )

    @property
    def usual(self) -> Mapping[str, int]:
        """Of how many reports each rule is the cause."""
        return self._archive.usual

    def like(self, words: Sequence[str], told: Sequence[str] = ()) -> Resemblance:
        """Return what is like a case with these words, of which `told` are the lines of its author.

        Reports and descriptions are lacking where this Python has no FTS5.
        """
        asked = distinct(words)
        reports = self._archive.words.nearest(asked, _NEAREST_REPORTS)
        described = self._descriptions.nearest(asked, _NEAREST_RULES)
        return Resemblance(
            reports=tuple(Near(self._archive.report(row), near) for row, near in reports),
            described={self._rules[row]: near for row, near in described},
            subjects=subjects_in(" ".join(words)),
            # Of no lines nothing fits, and no cue or sign has to be read to know it.
            **(self._of_lines(told) if told else {}),
        )

    def _of_lines(self, told: Sequence[str]) -> dict[str, Any]:
        text, wording = Told(told), self._wording()
        return {
            "signs": wording.signs.fits(told),
            "cues": wording.worded.cues_in(text),
            "quoted": wording.worded.quoted_in(told),
            "settings": shipped_settings().speaks_in(text),
        }
