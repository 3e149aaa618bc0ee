# SPDX-License-Identifier: MIT
from typing import Any

import msgspec
import pytest

from clprobe.compat.known_gpu import KnownGpu, gpu_of_id
from clprobe.compat.linux_choice import Identity, known_flaw
from clprobe.facts.derive import derive
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.facts.runtimes import version_by_package
from clprobe.knowledge.lspci_names import readings
from clprobe.knowledge.table_types import Release
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown

TABLES = Tables.load()


def _gpu(gpu: dict[str, Any], **facts: Any) -> GpuFacts:
    snapshot = msgspec.convert({"gpus": [gpu], **facts}, Snapshot)
    gpus = derive(snapshot, TABLES).gpus
    assert not isinstance(gpus, Unknown)
    return gpus[0]


@pytest.mark.parametrize(
    ("name", "generation"),
    [
        ("Intel CoffeeLake-U GT3e [Iris Plus Graphics 655]", "Gen9.5"),
        ("Intel Broadwell-U Integrated Graphics", "Gen8"),
        ("Intel Haswell-ULT Integrated Graphics", "Gen7.5"),
        ("Xeon E3-1200 v2/3rd Gen Core processor Graphics Controller", "Gen7"),
        ("4th Gen Core Processor Integrated Graphics Controller", "Gen7.5"),
        ("Intel Arc A750", "Xe-HPG"),
        ("Intel Tigerlake (Gen12)", "Gen12/Xe-LP"),
        ("Intel Alderlake_s (Gen12)", "Gen12/Xe-LP"),
        ("Intel UHD 620", "Gen9.5"),
        ("i7-1165G7 Iris Xe", "Gen12/Xe-LP"),
        ("Intel HD4600", "Gen7.5"),
        ("Intel Core i7-6700HQ", "Gen9"),
        ("Intel N100", "Gen12/Xe-LP"),
        ("Arc A770 beside an i7-6700", "Xe-HPG"),
    ],
)
def test_a_name_tells_the_generation_that_all_its_ids_share(name: str, generation: str) -> None:
    assert _gpu({"name": f"{name}"}).generation == generation


@pytest.mark.parametrize(
    "name", ["Intel Corporation Device", "8th Gen Intel Core", "Intel Core i7-9700F", "Intel UHD"]
)
def test_a_name_that_could_be_many_tells_nothing(name: str) -> None:
    assert isinstance(_gpu({"name": name}).generation, Unknown)


def test_the_first_reading_of_a_name_is_the_name_itself() -> None:
    assert next(readings("UHD Graphics 620")) == "UHD Graphics 620"


@pytest.mark.parametrize(
    ("pci_id", "vendor", "computes"),
    [
        ("8086:5916", "intel", True),
        ("8086:0102", "intel", False),
        ("1002:73bf", "amd", True),
        ("10de:2684", "nvidia", True),
        ("1af4:1050", "virtual", False),
        ("102b:0522", "other", False),
    ],
)
def test_vendors_and_what_can_compute(pci_id: str, vendor: str, computes: bool) -> None:
    gpu = _gpu({"pci_id": pci_id})
    assert (gpu.vendor, gpu.computes) == (vendor, computes)


@pytest.mark.parametrize(
    ("pci_id", "version", "verdict"),
    [
        ("8086:5916", "22.43.24595.41-1", (True, False, False)),
        ("8086:5916", "25.18.33578.6-1", (False, False, True)),
        ("8086:64a0", "22.43.24595.41-1", (False, True, False)),
        ("8086:0412", "22.43.24595.41-1", (False, False, False)),
    ],
)
def test_a_driver_is_too_old_too_new_or_neither(
    pci_id: str, version: str, verdict: tuple[bool, ...]
) -> None:
    packages = [{"name": "intel-opencl-icd", "version": version}]
    fits = _gpu({"pci_id": pci_id}, packages=packages).fits
    assert not isinstance(fits, Unknown)
    assert (fits[0].covers, fits[0].too_old, fits[0].too_new) == verdict


def test_an_unlisted_id_leaves_coverage_open() -> None:
    packages = [{"name": "intel-opencl-icd", "version": "22.43.24595.41-1"}]
    fits = _gpu({"pci_id": "8086:ffff"}, packages=packages).fits
    assert not isinstance(fits, Unknown)
    assert isinstance(fits[0].covers, Unknown)


@pytest.mark.parametrize(
    ("release", "verdict"), [("5.4.0-52-generic", "no"), ("6.8.0-51-generic", "by-itself")]
)
def test_linux_binds_a_gpu_from_some_release_on(release: str, verdict: str) -> None:
    system = {"linux": {"release": release}}
    assert _gpu({"pci_id": "8086:56a0"}, system=system).linux_binds == verdict


@pytest.mark.parametrize(
    ("name", "packages", "too_new"),
    [
        ("AMD Radeon RX 470", [{"name": "rocm-opencl", "version": "4.5.0"}], True),
        ("AMD Radeon RX 470", [{"name": "rocm-opencl", "version": "4.3.0"}], False),
        (
            "NVIDIA GeForce GT 710",
            [{"name": "libnvidia-compute-535", "version": "535.129.03"}],
            True,
        ),
        ("GK208B [GeForce GT 710]", [{"name": "opencl-nvidia-470xx", "version": "470.256"}], False),
    ],
)
def test_drivers_drop_families_of_other_vendors_too(
    name: str, packages: list[dict[str, Any]], too_new: bool
) -> None:
    gpu = _gpu({"name": name}, packages=packages)
    assert not isinstance(gpu.fits, Unknown)
    assert [fit.too_new for fit in gpu.fits] == [too_new]


def test_a_platform_s_build_number_tells_the_release() -> None:
    platform = {"name": "AMD Accelerated Parallel Processing", "devices": []}
    version = {"version": "OpenCL 2.1 AMD-APP (3649.0)"}
    views = [{"viewer": "clinfo", "answer": {"platforms": [{**platform, **version}]}}]
    gpu = _gpu({"name": "Ellesmere [Radeon RX 580]"}, views=views)
    assert not isinstance(gpu.fits, Unknown)
    assert (gpu.fits[0].version, gpu.fits[0].too_new) == ("6.4", True)


def test_a_family_that_a_driver_never_held_is_not_covered() -> None:
    packages = [{"name": "rocm-opencl", "version": "5.2.3"}]
    gpu = _gpu({"name": "Mars XTX [Radeon HD 8790M]"}, packages=packages)
    assert not isinstance(gpu.fits, Unknown)
    assert [(fit.covers, fit.too_new, fit.too_old) for fit in gpu.fits] == [(False, False, False)]


def test_a_name_outside_all_families_leaves_it_open() -> None:
    gpu = _gpu({"name": "AMD Radeon RX 7900 XTX"}, packages=[{"name": "rocm-opencl"}])
    assert not isinstance(gpu.fits, Unknown)
    assert isinstance(gpu.fits[0].covers, Unknown)


def test_an_icd_of_which_only_the_file_is_known_is_recognised_by_its_name() -> None:
    gpu = _gpu({"name": "NVIDIA RTX A2000"}, icds=[{"path": "/etc/OpenCL/vendors/nvidia.icd"}])
    assert gpu.installed == ("nvidia",)


def test_an_icd_that_could_be_anybody_s_leaves_open_what_is_installed() -> None:
    gpu = _gpu({"name": "NVIDIA RTX A2000"}, icds=[{"path": "/etc/OpenCL/vendors/x.icd"}])
    assert isinstance(gpu.installed, Unknown)


@pytest.mark.parametrize(
    ("name", "vendor"),
    [("Mali-G610", "arm"), ("Qualcomm Adreno 643", "qualcomm"), ("VideoCore IV", "broadcom")],
)
def test_gpus_of_small_boards_have_vendors_too(name: str, vendor: str) -> None:
    gpu = _gpu({"name": name})
    assert (gpu.vendor, gpu.computes, gpu.generation) == (vendor, True, None)


def _has_devices(gpus: list[dict[str, Any]], device: dict[str, Any], platform: str) -> list[Any]:
    answer = {"platforms": [{"name": platform, "devices": [{"type": "gpu", **device}]}]}
    snapshot = msgspec.convert(
        {"gpus": gpus, "views": [{"viewer": "clinfo", "answer": answer}]}, Snapshot
    )
    judged = derive(snapshot, TABLES).gpus
    assert not isinstance(judged, Unknown)
    return [None if isinstance(gpu.has_device, Unknown) else gpu.has_device for gpu in judged]


INTEL, NVIDIA = {"pci_id": "8086:9bc4"}, {"pci_id": "10de:2520"}


@pytest.mark.parametrize(
    ("gpus", "device", "platform", "expected"),
    [
        ([INTEL, NVIDIA], {"name": "RTX 3060"}, "NVIDIA CUDA", [False, True]),
        ([INTEL, NVIDIA], {"name": "AMD Radeon (renoir)"}, "Clover", [False, False]),
        ([INTEL, NVIDIA], {"name": "x", "vendor_id": 0x8086}, "X", [True, False]),
        ([INTEL, NVIDIA], {"name": "x"}, "X", [None, None]),
        ([NVIDIA, NVIDIA], {"name": "RTX 3060"}, "NVIDIA CUDA", [None, None]),
    ],
)
def test_a_device_stands_for_no_gpu_of_another_maker(
    gpus: list[dict[str, Any]], device: dict[str, Any], platform: str, expected: list[Any]
) -> None:
    assert _has_devices(gpus, device, platform) == expected


def test_amd_s_own_package_tells_the_release_of_rocm() -> None:
    package = {"name": "rocm-opencl", "version": "2.0.0.50300-63~22.04"}
    snapshot = msgspec.convert({"packages": [package]}, Snapshot)
    assert version_by_package({"rocm-opencl"}, snapshot) == "5.3.0"


@pytest.mark.parametrize(
    ("gpu", "left_out_by"),
    [
        ({"pci_id": "8086:5916"}, ("compute-runtime",)),
        ({"pci_id": "8086:4680"}, ()),
        ({"pci_id": "8086:0412"}, ()),
        ({"name": "AMD Radeon RX 570 (Polaris 10)"}, ("amd-rocm",)),
    ],
)
def test_some_gpus_were_left_out_by_later_releases(
    gpu: dict[str, Any], left_out_by: tuple[str, ...]
) -> None:
    assert _gpu(gpu).left_out_by == left_out_by


def test_what_never_drove_a_gpu_is_neither_too_old_nor_too_new_for_it() -> None:
    gpu = _gpu({"pci_id": "8086:0412"}, packages=[{"name": "intel-opencl-icd"}])
    assert not isinstance(gpu.fits, Unknown)
    fit = gpu.fits[0]
    assert (fit.covers, fit.too_old, fit.too_new) == (False, False, False)


@pytest.mark.parametrize(("version", "flaw"), [("1.3.1", "It hangs"), ("1.3.2", None)])
def test_a_flaw_is_told_of_a_driver_of_which_nothing_else_is_known(
    version: str, flaw: str | None
) -> None:
    beignet = TABLES.implementation("beignet")
    assert beignet is not None
    hangs = Release(versions="<1.3.2", note="It hangs", flawed=True)
    entry = msgspec.structs.replace(beignet, releases=(hangs,))
    haswell = Identity((gpu_of_id("8086:0412", TABLES),))
    assert known_flaw(entry, version, haswell, NOT_STATED) == flaw


@pytest.mark.parametrize(
    ("name", "said", "flaw"),
    [
        ("GeForce GTX 1070", "Unresolved extern", "It leaves out a function"),
        ("GeForce GTX 1070", "all is well", None),
        ("GeForce RTX 3090", "Unresolved extern", None),
    ],
)
def test_a_flaw_of_a_family_holds_for_it_alone_and_where_its_words_are(
    name: str, said: str, flaw: str | None
) -> None:
    nvidia = TABLES.implementation("nvidia")
    assert nvidia is not None
    lacks = Release(
        versions="<471", note="It leaves out a function", flawed=True,
        families=("nvidia-maxwell-pascal",), shows="Unresolved extern",
    )  # fmt: skip
    entry = msgspec.structs.replace(nvidia, releases=(lacks,))
    family = TABLES.named_gpu(name).family
    assert family is not None
    pascal = Identity((KnownGpu(vendor="nvidia", pci_id=None, family=family),))
    assert known_flaw(entry, "470.42.01", pascal, said) == flaw
