# SPDX-License-Identifier: MIT
"""Damaged texts never break the reader of clinfo's output, nor get anything raw through it."""

import sys
import unicodedata

import msgspec
import pytest
from clinfo_corpus import recorded_texts
from clinfo_damage import damaged

from clprobe.paste.clinfo import clinfo_runs

_COUNT = 10_000
_PARTS = 10
_LONGEST = 24_000


def _texts():
    texts = [text for text in recorded_texts() if text]
    return [text[:_LONGEST] for text in texts]


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _strings(key)
            yield from _strings(part)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from _strings(part)


def _raw_characters(text):
    return [
        character
        for character in text
        if character != "\n" and unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
    ]


@pytest.mark.parametrize("part", range(_PARTS))
def test_damaged_texts_are_read_without_failure_and_without_raw_characters(part):
    texts = _texts()
    for seed in range(part, _COUNT, _PARTS):
        lines = damaged(texts[seed % len(texts)], seed).split("\n")
        runs = clinfo_runs(lines)
        for run in runs:
            assert run.lines <= frozenset(range(len(lines))), seed
            assert set(run.unread) <= run.lines, seed
            for text in _strings(msgspec.to_builtins(run)):
                assert not _raw_characters(text), (seed, text)
        taken = [index for run in runs for index in run.lines]
        assert len(taken) == len(set(taken)), seed


def _work(lines):
    """Count the calls and lines of Python that reading takes: a clock would tell of the machine."""
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        clinfo_runs(lines)
    finally:
        sys.setprofile(None)
    return count
