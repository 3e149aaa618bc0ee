# SPDX-License-Identifier: MIT
"""Damaged texts never break the reader of clinfo's output, nor get anything raw through it."""

import sys
import unicodedata

import msgspec
import pytest
from clinfo_corpus import CORPUS, recorded_texts
from clinfo_damage import damaged

from clprobe.paste.clinfo.reader import clinfo_runs

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
    """Count the calls that reading takes: a clock would tell of the machine instead."""
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        clinfo_runs(lines)
    finally:
        sys.setprofile(None)
    return count


_GROWING = {
    "whole runs": None,
    "starts of JSON": '{ "platforms" : [ { "CL_PLATFORM_NAME" : "x"\n',
    "open brackets": '{ "platforms" : [',
    "lists": "Platform #0: A\n",
    "numbered lists": "0: a\n0.0: b\n",
    "platforms": "  Platform Name  X\n",
    "platforms and devices": "Platform Name  X\nDevice Name  Y\n",
    "foreign lines": "Platform Name  X\nfoo bar\n",
    "wrapped lines": "  Device Name  " + "x" * 65 + "\n" + "y" * 80 + "\n",
    "words": "Device Name x ",
}


@pytest.mark.parametrize("name", _GROWING)
def test_the_work_grows_with_the_length_of_the_text_and_no_faster(name):
    whole = (CORPUS / "debian/3.0.23.01.25.human.txt").read_text(encoding="utf-8")
    unit = _GROWING[name] or whole
    small, large = (unit * (size // len(unit) + 1) for size in (100_000, 400_000))
    assert _work(large.split("\n")) <= 4.5 * _work(small.split("\n")) + 1000


def test_five_megabytes_take_a_bounded_number_of_steps_for_each_line():
    unit = (CORPUS / "debian/3.0.23.01.25.human.txt").read_text(encoding="utf-8")
    lines = (unit * (5_000_000 // len(unit))).split("\n")
    assert _work(lines) <= 60 * len(lines)
