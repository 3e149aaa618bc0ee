# SPDX-License-Identifier: MIT
"""Finding the solved reports that are like a case."""

import sys

import pytest

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.diagnosis.precedents.resemblance import Precedents

KNOWLEDGE = Knowledge.load()
WORDS = ["jellyfin", "ffmpeg", "failed", "opencl", "platforms", "-1001"]


def test_the_nearest_report_has_the_words_asked_for() -> None:
    like = Precedents(KNOWLEDGE.solved, KNOWLEDGE.rules).like(WORDS)
    assert like.reports[0].nearness == 1
    assert "ffmpeg" in like.reports[0].report.told.lower()


def test_a_python_without_sqlite_goes_without_precedents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    like = Precedents(KNOWLEDGE.solved, KNOWLEDGE.rules).like(WORDS)
    assert (like.reports, like.described) == ((), {})
