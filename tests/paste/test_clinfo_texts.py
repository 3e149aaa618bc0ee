# SPDX-License-Identifier: MIT
"""What single lines and parts of clinfo's output mean, as reports hold them."""

import pytest
from clinfo_corpus import CORPUS

from clprobe.model.opencl import Device, Platform
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.clinfo.reader import clinfo_runs


def _runs(text):
    return clinfo_runs(text.split("\n"))


def _run(text):
    (run,) = _runs(text)
    return run


def _recorded(name):
    return (CORPUS / name).read_text(encoding="utf-8")


def _names(run):
    return [
        (platform.name, [device.name for device in platform.devices])
        for platform in run.answer.platforms
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Number of platforms                               0",
        "Number of platforms 0",
        "Number of platforms = 0",
        "Number of platforms:\t\t\t\t 0",
        "#PLATFORMS                                        0",
        "{ platforms: [] }",
        '{ "platforms" : [ ], "icd_loader" : { "CL_ICDL_NAME" : "OpenCL ICD Loader" } }',
    ],
)
def test_no_platforms_are_no_devices_and_no_error(text):
    answer = _run(text).answer
    assert (answer.platforms, answer.outcome, answer.stage) == ((), "no-devices", "platforms")


def test_other_texts_hold_no_clinfo():
    text = (
        "Device Name is what you should look for\n1: lo: <LOOPBACK,UP>\n0: first\n1: second\n"
        "CL_DEVICE_NOT_FOUND\nDriver Version: 535.54\n  Name:    gfx900\nAborted\n"
        '{ "platform" : "linux" }\n'
    )
    assert _runs(text) == ()


def test_a_platform_without_devices_has_an_empty_list():
    run = _run("Number of platforms  1\n  Platform Name  Clover\n\n  Platform Name  Clover\n"
               "Number of devices  0\n")  # fmt: skip
    assert run.answer.platforms == (
        Platform(name="Clover", devices_error=None, devices=()),
    )  # fmt: skip
    assert run.answer.outcome == "no-devices"


def test_a_text_cut_before_the_devices_leaves_them_unknown():
    run = _run("Number of platforms  2\n  Platform Name  Clover\n  Platform Vendor  Mesa\n")
    assert run.answer.platforms == (Platform(name="Clover", vendor="Mesa"), Platform())
    assert run.answer.outcome == NOT_STATED
    assert "announced 2 platforms, found 1" in run.remarks


def test_a_device_that_is_announced_and_cut_away_is_one_of_unknown_facts():
    whole = _recorded("debian-pocl-two/3.0.23.01.25.human.txt")
    first_only = whole[: whole.rindex("  Device Name   ", 0, whole.index("NULL platform"))]
    run = _run(first_only)
    devices = run.answer.platforms[0].devices
    assert len(devices) == 2
    assert devices[0].name.startswith("basic")
    assert devices[1] == Device()
    assert "announced 2 devices of platform 0, found 1" in run.remarks


def test_facts_after_the_cut_are_not_stated():
    whole = _recorded("intel-skl/3.0.23.01.25.human.txt")
    device = _run(whole[: whole.index("  Max compute units")]).answer.platforms[0].devices[0]
    assert device.type == "gpu"
    assert device.compute_units == device.extensions == device.half_fp_config == NOT_STATED


def test_two_runs_in_one_text_are_two_answers():
    text = (
        "$ clinfo\nNumber of platforms  0\n$ sudo clinfo\n"
        + _recorded("intel-skl/3.0.23.01.25.human.txt")
        + "$ clinfo -l\n"
        + _recorded("clover/3.0.23.01.25.tree.txt")
    )
    assert [(run.form, run.answer.outcome) for run in _runs(text)] == [
        ("human", "no-devices"), ("human", "ok"), ("tree", "no-devices"),
    ]  # fmt: skip


def test_runs_that_follow_each_other_at_once_are_told_apart():
    text = _recorded("clover/3.0.23.01.25.human.txt") * 2
    assert [len(run.answer.platforms) for run in _runs(text)] == [1, 1]


def test_a_query_that_failed_is_unknown_with_its_error():
    run = _run("Number of devices  1\n  Device Name  X\n"
               "  Max compute units  <printDeviceInfo:56: get CL_X : error -30>\n")  # fmt: skip
    device = run.answer.platforms[0].devices[0]
    assert device.compute_units == Unknown("the query failed with OpenCL error -30")


def test_a_platform_whose_devices_fail_ends_clinfo_with_an_error():
    run = _run("Number of platforms  1\n  Platform Name  A\n"
               "gatherPlatformInfo:1299: number of devices : error -6\n")  # fmt: skip
    answer = run.answer
    assert (answer.outcome, answer.error_code, answer.stage) == ("error", -6, "devices")
    assert answer.platforms[0].devices_error == -6
    assert isinstance(answer.platforms[0].devices, Unknown)


def test_an_error_that_comes_before_the_output_belongs_to_it():
    run = _run("gatherPlatformInfo:1299: number of devices : error -6\n"
               "Number of platforms  2\n  Platform Name  A\n")  # fmt: skip
    assert (run.answer.outcome, len(run.answer.platforms)) == ("error", 2)


def test_error_1001_of_old_versions_is_no_platform():
    answer = _run("main:670: number of platforms : error -1001").answer
    assert (answer.outcome, answer.error_code) == ("no-devices", -1001)
    assert answer.platforms == ()


@pytest.mark.parametrize(
    ("line", "signal"),
    [
        ("Segmentation fault (core dumped)", "SIGSEGV"),
        ("zsh: segmentation fault (core dumped)  clinfo", "SIGSEGV"),
        ("Aborted (core dumped)", "SIGABRT"),
        ("Bus error", "SIGBUS"),
        ("fish: Job 1, 'clinfo' terminated by signal SIGILL (Illegal instruction)", "SIGILL"),
    ],
)
@pytest.mark.parametrize("form", ["human", "tree", "raw", "json"])
def test_a_line_of_the_shell_below_tells_how_clinfo_ended(form, line, signal):
    text = _recorded(f"debian-pocl/3.0.23.01.25.{form}.txt").rstrip("\n")
    answer = _run(f"{text}\n{line}").answer
    assert (answer.outcome, answer.signal) == ("crash", signal)
    assert len(answer.platforms[0].devices) == 1


def test_what_a_driver_prints_in_between_is_kept():
    words = "Beignet: self-test failed: (3, 7, 5) + (5, 7, 3) returned (0, 0, 0)"
    text = _recorded("debian-pocl/3.0.23.01.25.human.txt")
    run = _run(text.replace("\n\n", f"\n{words}\n\n", 1))
    assert run.answer.printed == words
    assert len(run.answer.platforms[0].devices) == 1


def test_an_unknown_property_is_listed_as_not_read():
    text = _recorded("debian-pocl/3.0.23.01.25.human.txt")
    new = "  Max qubits                                      3"
    lines = text.replace("  Device Profile", f"{new}\n  Device Profile").split("\n")
    (run,) = clinfo_runs(lines)
    assert run.unread == (lines.index(new),)
    assert run.answer.printed == NOT_STATED


def test_a_name_cannot_forge_a_second_run():
    run = _run("Number of platforms  1\n  Platform Name  Evil\nNumber of platforms  99\n"
               "  Platform Vendor  Evil\n\n  Platform Name  Evil\n"
               "Number of devices  0\n")  # fmt: skip
    assert len(run.answer.platforms) == 1
    assert run.answer.platforms[0].vendor == "Evil"


def test_searched_lines_still_tell_the_names():
    lines = _recorded("debian/3.0.23.01.25.human.txt").split("\n")
    named = "\n".join(line for line in lines[:-15] if " Name " in line and line[2] != " ")
    pocl = _run(named).answer.platforms[0]
    assert (pocl.name, len(pocl.devices)) == ("Portable Computing Language", 1)


def test_one_selected_device_needs_no_counts():
    run = _run("  Platform Name  A\n  Device Name  X\n  Device Type  GPU\n")
    assert _names(run) == [("A", ["X"])]
    assert run.answer.platforms[0].devices[0].type == "gpu"


def test_queried_properties_are_matched_by_the_suffix():
    run = _run("  CL_PLATFORM_NAME  A\n  CL_PLATFORM_ICD_SUFFIX_KHR  AA\n  CL_PLATFORM_NAME  B\n"
               "  CL_PLATFORM_ICD_SUFFIX_KHR  BB\n[BB/0]    CL_DEVICE_NAME  X\n")  # fmt: skip
    by_name = {platform.name: platform.devices for platform in run.answer.platforms}
    assert isinstance(by_name["A"], Unknown)
    assert [device.name for device in by_name["B"]] == ["X"]
