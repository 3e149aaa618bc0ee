# SPDX-License-Identifier: MIT
"""Each kind of evidence: what it looks like gives its facts, what only looks alike gives none."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pastes import contains, facts, read

from clprobe.model.errors import ClprobeError

EVIDENCE: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "evidence.yaml").read_text("utf-8")
)
each = pytest.mark.parametrize("one", EVIDENCE, ids=lambda one: one["evidence"])


@each
def test_evidence_gives_its_facts(one: dict[str, Any]) -> None:
    told = facts(one["text"])
    assert contains(told, one["facts"]), told


@each
def test_evidence_that_is_read_is_not_listed_as_unread(one: dict[str, Any]) -> None:
    assert read(one["text"]).unread == ()


PROSE = (
    "I looked at lspci and it shows my card, and ls -l /dev/dri looks fine to me.",
    "clinfo would show nothing at all on such a laptop.",
    "My groups are video and render, I think.",
    "Should I install intel-opencl-icd 22.14 or something newer?",
    "The id of the card may be 8086:5917 but we are not sure.",
    "Then it says something about libOpenCL and stops.",
    "It used to work on Fedora before, was there any change?",
    "Will version 2.0 fix this? My friend has an old card.",
    "Please find the log attached: many lines of it.",
    "# Steps to reproduce the problem",
    "I would not say that it aborted.",
    "kill it, then run it again.",
)


@pytest.mark.parametrize("text", PROSE)
def test_a_sentence_that_only_looks_alike_gives_no_fact(text: str) -> None:
    marker = "6.1.0-18-amd64"  # something to read, so that the paste is one
    told = facts(f"{text}\n{marker}")
    assert told.pop("system") == {"linux": {"release": marker}}
    assert set(told) <= {"unread", "told"}


DAMAGED = (
    "00:02.0 VGA compatible contr",
    "crw-rw---- 1 root ren",
    "uid=1000(alice gid=",
    "Linux box",
    'openat(AT_FDCWD, "/dev/dri/renderD12',
    "ii  intel-opencl-icd",
    "libOpenCL.so.1 (libc6,x86-64) =>",
    "uid=99999999999999999999(x) gid=1(y)",
)


@pytest.mark.parametrize("text", DAMAGED)
def test_a_line_that_is_cut_off_is_listed_and_not_guessed(text: str) -> None:
    with pytest.raises(ClprobeError) as error:
        read(text)
    assert error.value.reference == "nothing-understood"
    assert "lspci" in error.value.message


def test_a_report_of_which_no_fact_is_read_keeps_its_words() -> None:
    text = (
        "The newest JAX from conda-forge goes on with the CPU though it was built for CUDA.\n"
        "I expect it to compute on the GPU. Instead it tells me that cuDNN is outdated and\n"
        "goes on slowly, and I see no way to make it take the other one.\n"
    )
    snapshot = read(text)
    assert len(snapshot.told) == 3
    with pytest.raises(ClprobeError):
        read(text.replace("GPU", "thing").replace("CUDA", "speed").replace("cuDNN", "it"))


def test_a_short_complaint_about_opencl_is_read_and_a_story_of_something_else_is_not() -> None:
    snapshot = read(
        "Nothing in darktable\n\n(OpenCL on Fedora)\n\nI installed all of it and nothing changed"
    )
    assert snapshot.statements
    with pytest.raises(ClprobeError):
        read("A cake\n\nI installed a new oven and it works well")
