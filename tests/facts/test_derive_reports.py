# SPDX-License-Identifier: MIT
"""Facts that partial reports tell in their own way."""

from typing import Any

import msgspec
import pytest

from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.facts.paths import Scope, look_up, read_from
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown, listed

TABLES = Tables.load()
NVIDIA_PACKAGE = {"name": "libnvidia-compute-550", "version": "550.107.02-0ubuntu1"}


def _facts(**facts: Any) -> Facts:
    return derive(msgspec.convert(facts, Snapshot), TABLES)


def test_a_library_is_looked_up_by_its_whole_name() -> None:
    facts = _facts(libraries={"libnvidia-nvvm.so.4": None})
    use = look_up("libraries.libnvidia-nvvm.so.4", Scope(facts))
    assert (use.value, use.fact, read_from(use)) == (
        None, "libraries.libnvidia-nvvm.so.4", "ldconfig -p",
    )  # fmt: skip
    assert look_up("libraries.libigc.so.2", Scope(facts)).value == NOT_STATED


@pytest.mark.parametrize(
    "printed",
    [
        "[opencl_init] could not get platforms: -1001",
        "pyopencl._cl.LogicError: clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR",
        "Number of platforms                               0",
        "no opencl devices found",
    ],
)
def test_a_program_that_says_so_sees_no_device(printed: str) -> None:
    facts = _facts(views=[{"viewer": "program", "answer": {"printed": printed}}])
    assert not isinstance(facts.views, Unknown)
    assert (facts.views[0].device_count, facts.views[0].outcome) == (0, "no-devices")


def test_what_a_program_prints_beside_its_devices_hides_none() -> None:
    answer = {"printed": "no usable GPUs found", "platforms": [{"devices": [{"type": "cpu"}]}]}
    facts = _facts(views=[{"viewer": "program", "answer": answer}])
    assert not isinstance(facts.views, Unknown)
    assert facts.views[0].device_count == 1


def test_an_icd_is_read_by_the_loaders_that_open_its_folder() -> None:
    icds = [{"path": "/etc/OpenCL/vendors/nvidia.icd"}, {"path": "/opt/x/vendors/pocl.icd"}]
    loaders = [{"path": "/opt/x/libOpenCL.so.1", "icd_folders": ["/opt/x/vendors"]}]
    facts = _facts(icds=icds, loaders=loaders)
    assert not isinstance(facts.icds, Unknown)
    assert [icd.is_read for icd in facts.icds] == [False, True]


def test_who_reads_an_icd_is_open_where_a_loader_tells_no_folder() -> None:
    icds = [{"path": "/etc/OpenCL/vendors/nvidia.icd"}]
    facts = _facts(icds=icds, loaders=[{"path": "/usr/lib/libOpenCL.so.1"}])
    assert not isinstance(facts.icds, Unknown)
    assert isinstance(facts.icds[0].is_read, Unknown)


def test_a_platform_without_devices_is_remembered_by_name() -> None:
    platforms = [{"name": "Clover", "devices": []}, {"name": "CUDA", "devices": [{}]}]
    views = [{"viewer": "clinfo", "answer": {"platforms": platforms}}]
    assert _facts(views=views).opencl.empty_platforms == ("Clover",)


@pytest.mark.parametrize(
    ("module", "facts", "differ"),
    [
        ("550.90.07", {"packages": [NVIDIA_PACKAGE]}, True),
        ("550.107.02", {"packages": [NVIDIA_PACKAGE]}, False),
        ("565.57.01", {"libraries": {"libcuda.so.1": "/usr/lib/libcuda.so.570.86.15"}}, True),
        (None, {"libraries": {"libcuda.so.1": "/usr/lib/libcuda.so.570.86.15"}}, False),
    ],
)  # fmt: skip
def test_nvidia_s_halves_are_compared(module: str | None, facts: Any, differ: bool) -> None:
    found = _facts(system={"linux": {"module_versions": {"nvidia": module}}}, **facts).nvidia
    assert found.versions_differ is differ


def test_packages_of_a_container_say_nothing_of_injected_libraries() -> None:
    system = {
        "linux": {"module_versions": {"nvidia": "550.90.07"}},
        "virtualization": {"container": "docker"},
    }
    packages = [{"name": "libnvidia-compute-535", "version": "535.183.01-0ubuntu1"}]
    assert isinstance(_facts(system=system, packages=packages).nvidia.versions_differ, Unknown)


def test_platforms_that_another_program_shows_stand_in_its_order() -> None:
    names = ("mine", "Zeta", "Alpha", "Mu", "Beta")
    views = [
        {"viewer": viewer, "answer": {"platforms": [{"name": name} for name in shown]}}
        for viewer, shown in (("one", names[:1]), ("other", names))
    ]
    assert _facts(views=views).views[0].missing_platforms == names[1:]


@pytest.mark.parametrize(("viewer", "has_device"), [("ollama", NOT_STATED), ("hashcat", False)])
def test_a_program_without_opencl_that_takes_the_processor_misses_no_opencl_device(
    viewer: str, has_device: object
) -> None:
    answer = {"platforms": [{"devices": [{"type": "cpu"}]}]}
    facts = _facts(gpus=[{"pci_id": "8086:a7a0"}], views=[{"viewer": viewer, "answer": answer}])
    (gpu,) = listed(facts.gpus)
    assert gpu.has_device == has_device


@pytest.mark.parametrize("state", ["removed", "config-files"])
def test_a_package_that_was_removed_is_no_driver(state: str) -> None:
    gpu = {"pci_id": "8086:5916", "name": "HD Graphics 620"}
    package = {"name": "intel-opencl-icd", "version": "23.43.27642.40-1ubuntu3"}
    there, gone = (
        _facts(gpus=[gpu], packages=[{**package, "state": one}]) for one in ("installed", state)
    )
    assert [one.installed for one in listed(there.gpus)] == [("compute-runtime",)]
    assert all(not isinstance(one.installed, tuple) for one in listed(gone.gpus))
