# SPDX-License-Identifier: MIT
"""What a report implies without saying so: drivers bound, versions, nodes, Linux, idle drivers."""

from typing import Any

import msgspec
import pytest

from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.facts.hardware_facts import Fit, GpuFacts
from clprobe.model.finding import Diagnosis
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown
from clprobe.paste.assemble import read_paste

KNOWLEDGE = Knowledge.load()
UHD_620 = {"pci_id": "8086:5916"}
LUNAR_LAKE = {"pci_id": "8086:64a0"}
NOBLE = {"distribution": {"id": "ubuntu", "version": "24.04"}}


def _facts(**facts: Any) -> Facts:
    return derive(msgspec.convert(facts, Snapshot), KNOWLEDGE.tables)


def _gpu(**facts: Any) -> GpuFacts:
    gpus = _facts(**facts).gpus
    assert not isinstance(gpus, Unknown)
    return gpus[0]


def _fit(**facts: Any) -> Fit:
    fits = _gpu(**facts).fits
    assert not isinstance(fits, Unknown)
    return fits[0]


def _diagnosed(**facts: Any) -> Diagnosis:
    return diagnose(msgspec.convert(facts, Snapshot), KNOWLEDGE)


def _known(fact: object) -> object:
    return "unknown" if isinstance(fact, Unknown) else fact


@pytest.mark.parametrize(
    ("gpu", "more", "bound"),
    [
        ({"kernel_driver": "i915"}, {}, True),
        ({"kernel_driver": None}, {"device_nodes": [{"path": "/dev/dri/renderD128"}]}, False),
        ({"render_node": None}, {}, False),
        ({}, {"device_nodes": []}, False),
        ({}, {"device_nodes": [{"path": "/dev/dri/card0"}]}, "unknown"),
        ({}, {"device_nodes": [], "excerpts": ["device_nodes"]}, "unknown"),
        ({}, {}, "unknown"),
    ],
)
def test_a_gpu_without_any_node_has_no_kernel_driver(
    gpu: dict[str, Any], more: dict[str, Any], bound: bool | str
) -> None:
    assert _known(_gpu(gpus=[{**UHD_620, **gpu}], **more).bound) == bound


@pytest.mark.parametrize(
    ("name", "discrete"),
    [("Intel Arc B580", True), ("Intel Lunar Lake", False), ("Intel Device", "unknown")],
)
def test_a_name_tells_what_all_chips_of_that_name_share(name: str, discrete: bool | str) -> None:
    assert _known(_gpu(gpus=[{"name": name}]).discrete) == discrete


def test_a_package_without_a_version_is_most_likely_the_distributions() -> None:
    package = {"packages": [{"name": "intel-opencl-icd"}], "system": NOBLE}
    assert _fit(gpus=[LUNAR_LAKE], **package).likely_covers is False
    assert _fit(gpus=[UHD_620], **package).likely_covers is True
    elsewhere = _fit(gpus=[LUNAR_LAKE], **package, package_sources=["ppa:x/y"])
    assert isinstance(elsewhere.likely_covers, Unknown)
    assert isinstance(_fit(gpus=[LUNAR_LAKE], **package).covers, Unknown)


def test_linux_is_suspected_by_the_distribution_and_never_convicted() -> None:
    package = {"packages": [{"name": "intel-opencl-icd", "version": "23.48.27912.11"}]}
    arc = {"pci_id": "8086:56a0"}
    assert _gpu(gpus=[arc], system=NOBLE).linux_suspect is True
    assert isinstance(_fit(gpus=[arc], system=NOBLE, **package).linux_problem, Unknown)
    assert _gpu(gpus=[arc], system={"linux": {"release": "6.1"}}).linux_suspect is False


@pytest.mark.parametrize(
    ("message", "path"),
    [
        (
            'openat(AT_FDCWD, "/dev/dri/renderD128", O_RDWR|O_CLOEXEC) = -1 EACCES (Permission '
            "denied)",
            "/dev/dri/renderD128",
        ),
        ("/dev/kfd: Permission denied", "/dev/kfd"),
        ("Failed to open /dev/dri/renderD129", "/dev/dri/renderD129"),
    ],
)
def test_a_node_that_was_refused_in_words_is_a_node(message: str, path: str) -> None:
    nodes = _facts(messages=[message]).device_nodes
    assert not isinstance(nodes, Unknown)
    assert [(node.path, node.may_open) for node in nodes] == [(path, False)]


def test_nodes_that_somebody_listed_are_not_doubted_for_words() -> None:
    listed = [{"path": "/dev/dri/renderD128", "open_error": None}]
    nodes = _facts(messages=["/dev/kfd: Permission denied"], device_nodes=listed).device_nodes
    assert not isinstance(nodes, Unknown)
    assert [node.path for node in nodes] == ["/dev/dri/renderD128"]


@pytest.mark.parametrize(
    ("gpus", "wsl", "idle"),
    [
        ([{"pci_id": "1002:67df"}], None, ("Intel Graphics Compute Runtime (NEO)",)),
        ([UHD_620], None, ()),
        ([{"name": "some adapter"}], None, "unknown"),
        ([{"pci_id": "1002:67df"}], 2, ()),
    ],
)
def test_a_driver_whose_maker_is_not_on_the_bus_is_idle(
    gpus: list[dict[str, Any]], wsl: int | None, idle: object
) -> None:
    system = {"virtualization": {"wsl": wsl}}
    facts = _facts(gpus=gpus, system=system, packages=[{"name": "intel-opencl-icd"}])
    assert _known(facts.opencl.idle_drivers) == idle


@pytest.mark.parametrize(
    ("outcome", "excerpts", "idle"),
    [
        ("crash", ["gpus"], "unknown"),
        ("crash", [], ("Intel Graphics Compute Runtime (NEO)",)),
        ("no-devices", ["gpus"], ("Intel Graphics Compute Runtime (NEO)",)),
    ],
)
def test_a_driver_that_died_at_work_is_not_idle_for_a_gpu_named_in_passing(
    outcome: str, excerpts: list[str], idle: object
) -> None:
    icd = {
        "path": "/etc/OpenCL/vendors/intel.icd",
        "library": {"path": "libigdrcl.so"},
        "answer": {"outcome": outcome},
    }
    facts = _facts(gpus=[{"name": "NVIDIA"}], icds=[icd], excerpts=excerpts)
    assert _known(facts.opencl.idle_drivers) == idle


def test_gpus_of_earlier_experience_are_not_in_this_machine() -> None:
    said = "I have a bit of experience running CUDA with an Nvidia card. clinfo shows no platform."
    assert isinstance(read_paste(said, name="-").gpus, Unknown)
    here = "I am running CUDA with an Nvidia card. clinfo shows no platform."
    assert not isinstance(read_paste(here, name="-").gpus, Unknown)


def _suspects(**facts: Any) -> list[str]:
    findings = diagnose(msgspec.convert(facts, Snapshot), KNOWLEDGE).findings
    return [finding.id for finding in findings if finding.verdict == "undetermined"]


def test_nobody_suspects_a_container_or_a_variable_that_nobody_mentions() -> None:
    nothing = [{"viewer": "clinfo", "answer": {"platforms": []}}]
    suspects = _suspects(gpus=[UHD_620], views=nothing)
    assert suspects
    assert not {"container-without-gpu-node", "device-hidden-by-ze-affinity-mask"} & set(suspects)


def test_an_error_of_a_program_without_a_cause_is_neither_healthy_nor_a_root_cause() -> None:
    listed = {"platforms": [{"name": "Intel(R) OpenCL Graphics", "devices": [{"type": "gpu"}]}]}
    views = [{"viewer": "clinfo", "answer": listed}]
    diagnosis = _diagnosed(views=views, messages=["[GPU] clFinish, error code: -5"])
    assert (diagnosis.status, diagnosis.root_cause) == ("undetermined", None)
    assert [finding.id for finding in diagnosis.findings] == ["program-reports-failure"]


def test_a_program_that_dies_at_its_work_does_not_prove_that_there_is_no_device() -> None:
    views = [{"viewer": "llama.cpp", "answer": {"outcome": "crash"}}]
    diagnosis = _diagnosed(gpus=[{"name": "Intel Arc A770"}], views=views)
    present = [finding.id for finding in diagnosis.findings if finding.verdict == "present"]
    assert (diagnosis.status, present) == ("undetermined", ["program-crashes"])


def test_a_release_without_a_listed_fault_may_be_faulty_all_the_same() -> None:
    package = {"name": "intel-opencl-icd", "version": "25.18.33578.6"}
    told = [
        "after updating the driver, compute-runtime 25.18 crashes on my Arc A770",
        "going back to the previous version of the driver fixes it",
    ]
    views = [{"viewer": "clinfo", "answer": {"outcome": "crash"}}]
    suspects = _suspects(gpus=[{"pci_id": "8086:56a0"}], packages=[package], views=views, told=told)
    assert "driver-release-is-faulty" in suspects


def test_a_second_cause_is_named_however_likely_the_first_one_is() -> None:
    told = ["darktable as a Flatpak from Flathub finds no OpenCL platform, 0 platforms"]
    system = {"virtualization": {"container": "flatpak"}}
    views = [{"viewer": "darktable", "answer": {"platforms": []}}]
    suspects = _suspects(system=system, views=views, told=told)
    assert suspects[0] == "sandbox-without-driver"
    assert len(suspects) >= 2


def test_a_fault_of_a_program_that_no_table_lists_may_be_the_cause() -> None:
    told = (
        "hashcat v5.1.0-42-g471a8ccc from git, Debian, NVIDIA driver 410.93, clinfo is fine.\n"
        "Only -m 9600 gives the OpenCL kernel self-test failed error, all other modes pass.\n"
        "The older hashcat 5.1.0 release passes on the same system, nothing else changed.\n"
    )
    found = diagnose(read_paste(told, name="a post"), KNOWLEDGE).findings
    assert "program-release-is-faulty" in [one.id for one in found[:2]]
