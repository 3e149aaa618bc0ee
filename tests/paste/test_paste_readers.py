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


COMPLAINTS = (
    'when i put in "./zcutil/build.sh" it says "cannot find -lOpenCL" what should i do?',
    "-lOpenCL not found",
    "the compiler stops, CL/cl.h missing",
    "Anybody else whose clinfo crashes?",
    "my code dies in clEnqueueNDRangeKernel and I have no idea, cannot go on",
)


@pytest.mark.parametrize("text", COMPLAINTS)
def test_one_line_of_trouble_with_opencl_is_a_report_of_which_only_words_are_read(
    text: str,
) -> None:
    assert read(text).told == (text,)


FOREIGN = (
    "Roses are red,\nviolets are blue,\nsugar is sweet,\nand so are you.",
    "# left-pad\n\nPads strings on the left.\n\n## Install\n\nnpm install left-pad\n",
    "The bakery has no rolls, the oven is broken, and nothing works any more there today.",
    "My monitor cannot find its stand, what should I do?",
    "OpenCL.",
    "The sunset over the clover field did not come through",
)


@pytest.mark.parametrize("text", FOREIGN)
def test_a_text_that_has_nothing_to_do_with_opencl_is_refused(text: str) -> None:
    with pytest.raises(ClprobeError) as error:
        read(text)
    assert error.value.reference == "nothing-understood"
    assert "it is empty" not in error.value.message


def test_a_line_that_misses_a_header_is_a_report() -> None:
    assert read("Building the host program I can not find cl2.hpp ,cl_ext_xilinx.h.").messages


def test_a_program_s_file_is_refused_though_its_strings_speak_of_opencl() -> None:
    strings = (
        b"\x7fELF\x02\x01\x00\x00\xff\xfe" * 20 + b"OpenCL error: clinfo cannot find a device\0"
    )
    with pytest.raises(ClprobeError) as error:
        read((strings * 3).decode("utf-8", "replace"))
    assert error.value.reference == "nothing-understood"
    assert "it is no text" in error.value.message


def test_a_text_in_another_encoding_is_read_by_what_is_left_of_it() -> None:
    text = "libOpenCL.so.1: \u6ca1\u6709\u90a3\u4e2a\u6587\u4ef6 cannot open shared object file"
    assert read(text.encode("gbk").decode("utf-8", "replace")).told


@pytest.mark.parametrize(
    ("said", "viewer"),
    [
        ("No device of requested type available. -1 (PI_ERROR_DEVICE_NOT_FOUND)", "oneapi"),
        ("Error: [ComputeCpp:RT0408] Error querying the number of OpenCL platforms", "app"),
    ],
)
def test_a_program_that_gives_up_without_a_device_is_no_crash_of_a_driver(
    said: str, viewer: str
) -> None:
    text = (
        "terminate called after throwing an instance of 'cl::sycl::exception'\n"
        f"  what():  {said}\nAborted (core dumped)\n"
    )
    (view,) = facts("export PATH=$HOME/bin:$PATH\n$ ./app\n" + text)["views"]
    assert (view["viewer"], view["answer"]["outcome"]) == (viewer, "no-devices")


def test_an_exception_of_another_kind_stays_a_crash() -> None:
    text = "$ ./app\nterminate called after throwing an instance of 'cl::Error'\n  what():  clBuildProgram\nAborted\n"  # noqa: E501
    (view,) = facts(text)["views"]
    assert view["answer"]["outcome"] == "crash"


NOTHING = "Number of platforms                               0\n"
ONE = "Number of platforms                               1\n  Platform Name   Intel(R) OpenCL\n"
ENVIRONMENTS = {
    f"$ OCL_ICD_VENDORS=/x clinfo\n{NOTHING}": {"OCL_ICD_VENDORS": "/x"},
    f"$ clinfo\n{NOTHING}$ OCL_ICD_VENDORS=/x clinfo\n{ONE}": {},
    f"$ clinfo -l\n$ OCL_ICD_VENDORS=/x clinfo\n{NOTHING}": {"OCL_ICD_VENDORS": "/x"},
    f"$ clinfo\n{ONE}$ export OCL_ICD_VENDORS=/x\n$ clinfo\n{NOTHING}": {"OCL_ICD_VENDORS": "/x"},
}


@pytest.mark.parametrize("text", ENVIRONMENTS)
def test_a_variable_tried_after_the_bare_command_is_not_the_environment_s(text: str) -> None:
    assert facts(text).get("environment", {}) == ENVIRONMENTS[text]
