# SPDX-License-Identifier: MIT
"""What chooses a device or platform by number, by the table or by its name alone."""

import pytest

from clprobe.knowledge.tables import Tables
from clprobe.watch.numbers import kind_of, names_opencl, numbers_of

CLPEAK = Tables.load().program("clpeak")
FFMPEG = Tables.load().program("ffmpeg")
JOHN = Tables.load().program("john")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--device", "3"], ("--device 3",)),
        (["-platform=2", "-device-id", "0"], ("-platform=2", "-device-id 0")),
        (["--cl-device", "1:0"], ("--cl-device 1:0",)),
        (["--gpu", "1"], ("--gpu 1",)),
        (["--num-devices", "4", "--max-gpu", "2"], ()),  # how many, not which
        (["--gpus", "4"], ()),
        (["--device", "of-mine"], ()),
        (["--device", "12345"], ()),
        (["--device", "0,1"], ()),  # a list
        (["-d", "3"], ()),  # of a program that no table knows it may be anything
    ],
)
def test_options_that_choose_by_number(words: list[str], expected: tuple[str, ...]) -> None:
    assert numbers_of(None, ["program", *words], {}) == expected


def test_variables_that_choose_by_number() -> None:
    environment = {"CLBLAST_DEVICE": "2", "PYOPENCL_CTX": "0:1", "device": "3", "APP_PLATFORM": "x"}
    assert numbers_of(None, ["program"], environment) == ("CLBLAST_DEVICE=2", "PYOPENCL_CTX=0:1")


def test_the_table_knows_more_options() -> None:
    assert numbers_of(JOHN, ["john", "--devices=7"], {}) == ("--devices=7",)
    assert numbers_of(CLPEAK, ["clpeak", "-p", "7"], {}) == ("-p 7 (platform)",)
    words = ["ffmpeg", "-init_hw_device", "opencl=ocl:9.8"]
    assert numbers_of(FFMPEG, words, {}) == ("-init_hw_device 9.8",)


@pytest.mark.parametrize(
    ("choice", "kind"),
    [
        ("--device 3", "device"),
        ("-platform=2", "platform"),
        ("PYOPENCL_CTX=0:1", "platform"),
        ("-p 7 (platform)", "platform"),
        ("--devices=7", None),
    ],
)
def test_what_is_chosen(choice: str, kind: str | None) -> None:
    assert kind_of(choice) == kind


def test_words_that_name_opencl() -> None:
    assert names_opencl(["john", "--format=raw-md5-opencl"])
    assert names_opencl(["ffmpeg", "-hwaccel", "opencl"])
    assert not names_opencl(["opencl-tool", "/opt/opencl/data", "openclose"])
