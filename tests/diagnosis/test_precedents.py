# SPDX-License-Identifier: MIT
"""Finding the solved reports that are like a case."""

import sys

import pytest

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.diagnosis.precedents.archive import archive_of
from clprobe.diagnosis.precedents.resemblance import Precedents
from clprobe.diagnosis.precedents.settings import shipped_settings
from clprobe.diagnosis.precedents.signs import Signs
from clprobe.diagnosis.precedents.worded import Worded
from clprobe.ruleset.cues import Told

KNOWLEDGE = Knowledge.load()
WORDS = ["jellyfin", "ffmpeg", "failed", "opencl", "platforms", "-1001"]


def test_the_nearest_report_has_the_words_asked_for() -> None:
    like = KNOWLEDGE.precedents.like(WORDS)
    assert like.reports[0].nearness == 1
    assert "ffmpeg" in like.reports[0].report.told.lower()


def test_a_python_without_sqlite_goes_without_precedents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    like = Precedents(archive_of(KNOWLEDGE.solved), KNOWLEDGE.rules).like(WORDS)
    assert (like.reports, like.described) == ((), {})


def test_what_is_kept_of_the_reports_finds_the_same() -> None:
    kept, made = KNOWLEDGE.precedents, Precedents(archive_of(KNOWLEDGE.solved), KNOWLEDGE.rules)
    assert kept.like(WORDS) == made.like(WORDS)
    assert kept.usual == made.usual


def test_what_is_kept_of_the_rules_words_finds_the_same() -> None:
    told = ["clinfo says: Number of platforms 0", "after suspend the GPU is gone", "error -1001"]
    kept, made = KNOWLEDGE.precedents, Precedents(archive_of(KNOWLEDGE.solved), KNOWLEDGE.rules)
    assert kept.like(WORDS, told) == made.like(WORDS, told)
    assert kept.like(WORDS, told).signs
    assert kept.like(WORDS, told).cues


def test_of_no_lines_nothing_fits() -> None:
    assert not Signs.of(KNOWLEDGE.rules).fits(())
    assert not Worded.of(KNOWLEDGE.rules).cues_in(Told(()))
    assert not Worded.of(KNOWLEDGE.rules).quoted_in(())
    assert not shipped_settings().speaks_in(Told(()))


def test_signs_fit_by_what_stands_close_together() -> None:
    lines = ["hashcat: No devices found", "va_openDriver() returns 0"]
    fits = Signs.of(KNOWLEDGE.rules).fits(lines)
    assert all(0 <= one.several <= one.best <= 1 for one in fits.values())
    told = "Unable to find group render: no matching entries in group file"
    best = max(Signs.of(KNOWLEDGE.rules).fits([told]).items(), key=lambda item: item[1].best)
    assert best[0] == "group-not-in-image"


def test_words_far_apart_fit_less_than_close_ones() -> None:
    signs, words = Signs.of(KNOWLEDGE.rules), ["unable", "find", "group", "render", "matching"]
    apart = signs.fits([line for word in words for line in (word, "of", "of")])
    together = signs.fits([" ".join(words)])
    assert apart["group-not-in-image"].best < together["group-not-in-image"].best
