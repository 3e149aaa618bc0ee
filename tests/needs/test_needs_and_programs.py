# SPDX-License-Identifier: MIT
"""Each need is answered as a program finds it that asks OpenCL by itself and builds kernels."""

from collections.abc import Iterator
from ctypes.util import find_library

import msgspec
import pytest
from msgspec.structs import replace
from needs_cases import CASES
from needs_devices import GENERATIONS, Asked, ask, implementations, recorded

from clprobe.facts.derive import derive
from clprobe.facts.facts import DeviceFacts
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import Answer, Device, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown
from clprobe.needs.device import judge_device
from clprobe.needs.written import DeviceNeed

TABLES = Tables.load()
NEEDS = [(msgspec.convert(written, DeviceNeed), program) for written, program in CASES]
# Debian's NEO says that it compiles OpenCL C 3.0 for Xe-HPC, and does not.
DRIVER_IS_WRONG = [("neo-pvc", {"opencl_c": ">=3.0"}), ("neo-pvc", {"opencl_c": "<3"})]
UNKNOWN = Unknown("nobody asked")


def devices_of(answer: Answer) -> tuple[DeviceFacts, ...]:
    facts = derive(Snapshot(views=(View(viewer="clinfo", answer=answer),)), TABLES)
    assert isinstance(facts.devices, tuple)
    return facts.devices


def answered(name: str, asked: Asked) -> Iterator[tuple[dict, bool, bool | None]]:
    """Yield each need of each device with what the program and what clprobe concludes."""
    known = {
        "gpu": name.startswith("neo-"),
        "generation": GENERATIONS.get(name.removeprefix("neo-")),
    }
    for device, found in zip(devices_of(asked.answer), asked.found, strict=True):
        for (need, program), (written, _) in zip(NEEDS, CASES, strict=True):
            truth = judge_device(need, device, TABLES).truth
            yield written, bool(program({**found, **known})), truth


def test_recorded_devices_are_answered_as_the_program_found_them() -> None:
    answers = [(name, *one) for name, asked in recorded().items() for one in answered(name, asked)]

    different = [(name, need) for name, need, expected, truth in answers if truth is not expected]
    assert different == DRIVER_IS_WRONG
    assert len(answers) >= 60 * 20
    assert sum(expected for _, _, expected, _ in answers) > len(answers) / 3


def test_a_device_that_is_here_is_answered_as_the_program_finds_it() -> None:
    name = "wheels-pocl"
    if name not in implementations():
        pytest.skip("this pyopencl brings no PoCL")
    if find_library("OpenCL") is None:
        pytest.skip("needs an OpenCL loader: ocl-icd-libopencl1")
    asked = ask(name)

    assert asked.found
    if not asked.found[0]["builds"]:
        # Built or not is asked of a kernel by doctor, of what the driver says by needs.
        pytest.skip("the PoCL in pyopencl's wheel builds no kernel for this processor")
    assert [one for one in answered(name, asked) if one[1] is not one[2]] == []


def without(answer: Answer, field: str) -> Answer:
    """Return the answer in which nobody knows that of any device."""
    assert isinstance(answer.platforms, tuple)
    (platform,) = answer.platforms
    assert isinstance(platform.devices, tuple)
    devices = tuple(replace(device, **{field: UNKNOWN}) for device in platform.devices)
    return replace(answer, platforms=(replace(platform, devices=devices),))


@pytest.mark.parametrize("name", ["wheels-pocl", "oclgrind", "intel-cpu", "neo-skl", "neo-bxt"])
def test_a_fact_that_is_not_known_turns_no_answer_into_the_other(name: str) -> None:
    answer = recorded()[name].answer
    (device,) = devices_of(answer)
    whole = [judge_device(need, device, TABLES).truth for need, _ in NEEDS]
    undecided = 0
    for field in Device.__struct_fields__:
        (partly,) = devices_of(without(answer, field))
        now = [judge_device(need, partly, TABLES).truth for need, _ in NEEDS]
        undecided += now.count(None)
        turned = [
            CASES[place][0]
            for place, (before, after) in enumerate(zip(whole, now, strict=True))
            if after is not None and after is not before
        ]
        assert turned == [], field

    assert undecided > 40


def test_nothing_is_known_of_a_device_that_only_is_there() -> None:
    truths = [judge_device(need, DeviceFacts(), TABLES).truth for need, _ in NEEDS]

    assert set(truths) == {None}


def test_a_kernel_that_nobody_ran_is_not_known() -> None:
    need = DeviceNeed(computes=True)
    (device,) = devices_of(recorded()["wheels-pocl"].answer)

    for result, truth in (("right", True), ("wrong", False), ("build-failed", False)):
        ran = replace(device, kernel_result=result, usable=result == "right")
        assert judge_device(need, ran, TABLES).truth is truth
    judged = judge_device(need, device, TABLES)
    assert judged.truth is None
    assert [point.has for point in judged.open] == ["no kernel was run"]
