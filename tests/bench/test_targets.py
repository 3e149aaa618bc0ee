# SPDX-License-Identifier: MIT
"""Which of the devices that a diagnosis names are measured."""

from pathlib import Path

import msgspec
import pytest

from clprobe.bench.targets import targets_of
from clprobe.model.finding import DeviceReport

UNKNOWN = {
    name: None
    for name in DeviceReport.__struct_fields__
    if name not in ("marketing_name", "icd", "library", "called")
}


def device(index: int, icd: str, library: Path | None, name: str = "cpu") -> DeviceReport:
    known = {"index": index, "platform": "PoCL", "name": name, "driver_version": "3.1"}
    path = None if library is None else str(library)
    return DeviceReport(**{**UNKNOWN, **known}, icd=icd, library=path)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "libpocl.so.2.10.0"
    path.touch()
    return path


def test_two_icds_of_one_library_name_one_device(library: Path) -> None:
    link = library.with_name("libpocl.so.2")
    link.symlink_to(library.name)
    devices = [device(0, "a.icd", library), device(1, "b.icd", link)]

    assert [target.label[0] for target in targets_of(devices, devices)] == ["0"]


def test_two_libraries_of_one_name_are_two_devices(library: Path) -> None:
    other = library.with_name("libother.so")
    devices = [device(0, "a.icd", library), device(1, "b.icd", other)]

    assert len(targets_of(devices, devices)) == 2


def test_twins_on_one_library_are_told_apart_by_position(library: Path) -> None:
    devices = [device(index, "a.icd", library) for index in range(3)]

    (target,) = targets_of(devices, devices[2:])

    assert (target.position, target.label) == (2, "2: cpu (PoCL 3.1)")


def test_a_device_of_no_known_library_cannot_be_measured() -> None:
    seen = device(0, "a.icd", None)

    assert targets_of([seen], [seen]) == ()


def test_undecodable_names_can_be_sent(library: Path) -> None:
    seen = device(0, "a.icd", library, name="G\udcffPU\x1b[2J  9")

    (target,) = targets_of([seen], [seen])

    assert target.name == "G PU [2J 9"
    assert msgspec.json.encode(target)


def test_what_other_programs_meet_on_a_device_goes_with_it(library: Path) -> None:
    seen = device(0, "a.icd", library)
    said = "its LLVM does not know this processor"
    (plain,) = targets_of([seen], [seen])
    lone = msgspec.structs.replace(seen, builds_nothing=said)
    (told,) = targets_of([lone], [lone])

    assert plain.contestant.detail == ""
    assert told.contestant.status == "ok"
    assert said in told.contestant.detail


def test_targets_survive_the_way_to_the_child(library: Path) -> None:
    seen = device(0, "a.icd", library)
    (target,) = targets_of([seen], [seen])

    assert msgspec.json.decode(msgspec.json.encode(target), type=type(target)) == target
