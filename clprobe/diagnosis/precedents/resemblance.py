# SPDX-License-Identifier: MIT
"""Finds the solved reports and the rules whose words are like those of a case, with SQLite's FTS5.

The measure is BM25, and 1 is the nearest one's: https://www.sqlite.org/fts5.html#the_bm25_function
"""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from clprobe.diagnosis.precedents.settings import shipped_settings
from clprobe.diagnosis.precedents.signs import SignFit, Signs
from clprobe.diagnosis.precedents.subjects import subjects_in
from clprobe.diagnosis.precedents.worded import Worded
from clprobe.diagnosis.precedents.words import distinct, words_of, words_of_facts
from clprobe.knowledge.solved_reports import SolvedReport
from clprobe.ruleset.cues import Told
from clprobe.ruleset.rule import Rule

if TYPE_CHECKING:
    from sqlite3 import Connection

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

    def __init__(self, reports: Sequence[SolvedReport], rules: Iterable[Rule]) -> None:
        self._reports = tuple(reports)
        rules = tuple(rules)
        self._rules = [rule.id for rule in rules]
        self._signs = Signs(rules)
        self._worded = Worded(rules)
        self._told = _index(
            " ".join(words_of(one.told) + words_of_facts(one.facts)) for one in self._reports
        )
        self._descriptions = _index(
            " ".join((one.id.replace("-", " "), one.summary, one.title, one.because, *one.signs))
            for one in rules
        )

    @cached_property
    def usual(self) -> Counter[str]:
        """Of how many reports each rule is the cause."""
        return Counter(rule for one in self._reports for rule in one.rules)

    def like(self, words: Sequence[str], told: Sequence[str] = ()) -> Resemblance:
        """Return what is like a case with these words, of which `told` are the lines of its author.

        Reports and descriptions are lacking where this Python has no FTS5.
        """
        asked = " OR ".join(f'"{word}"' for word in distinct(words))
        reports = _found(self._told, asked, _NEAREST_REPORTS)
        described = _found(self._descriptions, asked, _NEAREST_RULES)
        return Resemblance(
            reports=tuple(Near(self._reports[row], near) for row, near in reports),
            described={self._rules[row]: near for row, near in described},
            subjects=subjects_in(" ".join(words)),
            **(self._of_lines(told) if told else self._of_no_lines),
        )

    def _of_lines(self, told: Sequence[str]) -> dict[str, Any]:
        text = Told(told)
        return {
            "signs": self._signs.fits(told),
            "cues": self._worded.cues_in(text),
            "quoted": self._worded.quoted_in(told),
            "settings": shipped_settings().speaks_in(text),
        }

    @cached_property
    def _of_no_lines(self) -> dict[str, Any]:
        return self._of_lines(())


def _index(texts: Iterable[str]) -> Connection | None:
    """Return the texts, ready to be searched; None where this Python has no SQLite or no FTS5."""
    try:
        import sqlite3  # noqa: PLC0415 - a Python may have been built without it
    except ImportError:
        return None
    with contextlib.suppress(sqlite3.OperationalError):
        base = sqlite3.connect(":memory:", check_same_thread=False)
        base.execute(
            "CREATE VIRTUAL TABLE texts USING fts5"
            "(body, tokenize=\"porter unicode61 tokenchars '-_./+'\")"
        )
        base.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", enumerate(texts))
        return base
    return None


def _found(base: Connection | None, asked: str, most: int) -> list[tuple[int, float]]:
    """Return row and nearness of the nearest texts."""
    if base is None or not asked:
        return []
    question = "SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ? ORDER BY 2 DESC LIMIT ?"
    rows = base.execute(question, (asked, most)).fetchall()
    best = max((score for _, score in rows), default=0.0)
    return [(row, score / best) for row, score in rows if score > 0] if best > 0 else []
