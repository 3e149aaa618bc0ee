# SPDX-License-Identifier: MIT
"""Whole texts: outputs recorded from real programs, and reports in the shape of public threads."""

from pathlib import Path

import msgspec
import pytest
from pastes import TEXTS, read

from clprobe.model.codec import snapshot_from_text

ALL = sorted(TEXTS.glob("*.txt"))
each = pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)


@each
def test_a_text_tells_what_was_recorded_for_it(path: Path) -> None:
    expected = path.with_suffix(".json").read_text("utf-8")
    found = msgspec.structs.replace(read(path.read_text("utf-8")), told=())
    assert found == snapshot_from_text(expected, name=path.name)


@each
def test_marks_of_mail_and_terminals_change_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    quoted = "\r\n".join(f"> \x1b[0m{line}" for line in text.split("\n"))
    assert read(quoted) == read(text)


def test_there_are_texts() -> None:
    assert len(ALL) > 10
