# SPDX-License-Identifier: MIT
"""What people write is told, or listed as not understood: no sentence goes without a trace."""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
import pytest
import yaml
from pastes import TEXTS, read

from clprobe.knowledge.printed import Forms
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.reader import is_small_talk, talks
from clprobe.resources import rules_path

EACH = 8
"""Of the solved reports, so many share one that is read here: to read all takes a minute."""
FEWEST_WORDS = 5
PARTS = 4


def _reports() -> list[Path]:
    return sorted((rules_path() / "reports").glob("*.yaml"))[::EACH]


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


@cache
def _chatter() -> tuple[re.Pattern[str], ...]:
    """Return the forms of what programs print that tells nothing, by their tables."""
    spoken = (line for program in Tables.load().programs() for line in program.lines)
    printed = (Forms("package_trouble").chatter, Forms("clinfo").note)
    return (*printed, *(line.pattern() for line in spoken if line.means.is_chatter))


def _known(snapshot: Snapshot) -> bytes:
    """Return what is known, without the text itself and the places of the statements."""
    told = [msgspec.structs.replace(one, line=1) for one in snapshot.statements]
    return msgspec.json.encode(msgspec.structs.replace(snapshot, told=(), statements=tuple(told)))


def dropped(text: str) -> Iterator[str]:
    """Yield the sentences of a post without which as much is known and listed as with them."""
    whole = _known(read(text))
    held = _bare(whole.decode())
    lines = text.split("\n")
    for index, line in enumerate(lines):
        words = [_bare(one) for one in line.split() if len(one) > PARTS]
        if len(line.split()) < FEWEST_WORDS or not talks(line) or is_small_talk(line):
            continue
        is_idle = line.startswith("#") or line.rstrip().endswith(":")
        is_idle = is_idle or any(form.match(line.strip()) for form in _chatter())
        if is_idle or sum(one in held for one in words) * 2 >= len(words):
            continue
        without = "\n".join([*lines[:index], "", *lines[index + 1 :]])
        with suppress(ClprobeError):  # nothing else is in the text
            if _known(read(without)) == whole:
                yield line


@pytest.mark.parametrize("part", range(PARTS))
def test_no_sentence_of_a_solved_report_goes_without_a_trace(part: int) -> None:
    for path in _reports()[part::PARTS]:
        told = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader).get("told")
        with suppress(ClprobeError):  # names nothing that is known
            assert told is None or list(dropped(told)) == [], path.name


# The numbered threads are posts; other texts are piles of outputs, with words of programs.
@pytest.mark.parametrize("path", sorted(TEXTS.glob("report-th*.txt")), ids=lambda one: one.stem)
def test_no_sentence_of_a_text_goes_without_a_trace(path: Path) -> None:
    assert list(dropped(path.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "title", ["**The sample picture is entirely grey**", "# The whole thing frobs the quux"]
)
def test_a_title_that_is_marked_as_one_is_listed(title: str) -> None:
    text = f"{title}\n\nclinfo finds nothing."
    snapshot = read(text)
    assert title in snapshot.unread or any(one.line == 1 for one in snapshot.statements)


def test_rows_that_a_program_prints_are_told() -> None:
    text = "```\n$ hashcat -I\nDevice ID #1\n  Name....: some card\n  Local.Memory...: 64 KB\n```"
    assert ("Local.Memory", "64 KB") in [(one.subject, one.says) for one in read(text).statements]


def test_a_check_below_an_exception_is_told() -> None:
    check = "Check '!m_device_map.empty()' failed at plugins/intel_gpu/plugin.cpp:1:"
    said = f"RuntimeError: Exception from core.cpp:1:\n{check}"
    snapshot = read(f"openvino says this:\n\n```\n{said}\n```")
    assert check in snapshot.messages or check in str(snapshot.views)
