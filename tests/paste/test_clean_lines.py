# SPDX-License-Identifier: MIT
"""Marks of mail, Markdown and terminals disappear; nothing unprintable is left."""

import unicodedata

import pytest

from clprobe.paste.text import FENCE, clean_lines

LINE = "00:02.0 VGA compatible controller: Intel Corporation"
WRAPPED = {
    "colours": f"\x1b[01;31m{LINE}\x1b[0m",
    "a title of the terminal": f"\x1b]0;box\x07{LINE}",
    "quoted": f"> {LINE}",
    "quoted twice": f"> > {LINE}",
    "Windows' line end": f"{LINE}\r",
    "invisible characters": f"\ufeff{LINE[:5]}\u200b{LINE[5:]}",
    "HTML": f"<p>{LINE}</p>",
    "back-ticks": f"``{LINE}``",
    "control characters": f"\x00{LINE}\x07",
    "indented like code": f"\n    {LINE}",
    "a fence at its end": f"{LINE}```",
    "a non-breaking space": LINE.replace(" ", "\u00a0"),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_what_wraps_a_line_is_dropped(name: str) -> None:
    assert LINE in clean_lines(WRAPPED[name])


def test_the_indentation_of_continued_lines_stays() -> None:
    text = f"{LINE}\n\tSubsystem: x\n\tKernel driver in use: i915"
    assert clean_lines(text)[2] == "\tKernel driver in use: i915"


def test_pythons_prompt_is_no_quotation() -> None:
    assert clean_lines(">>> import torch\n>>> torch.xpu") == [">>> import torch", ">>> torch.xpu"]


def test_a_fence_keeps_its_place_whatever_stands_beside_it() -> None:
    assert clean_lines("```console\nx\n```") == [FENCE, "x", FENCE]
    assert clean_lines("```WARNING: x y\nz```") == [FENCE, "WARNING: x y", "z", FENCE]


def test_every_character_can_be_printed() -> None:
    everything = "".join(map(chr, range(0x3000))) + "\ud800\U000e0001"
    left = "".join(clean_lines(everything))
    assert {unicodedata.category(letter) for letter in left.replace("\t", "")} & {
        "Cc",
        "Cs",
    } == set()
