# SPDX-License-Identifier: MIT
"""Which interface reaches which device here, on hosts that are made by hand."""

import json
from pathlib import Path
from typing import Any

import click
import jsonschema
import msgspec
import pytest
from click.testing import CliRunner

from clprobe.cli.info import command as info
from clprobe.cli.snapshot import command as snapshot_command
from clprobe.facts.derive import derive
from clprobe.facts.device_interfaces import take_interfaces
from clprobe.knowledge.tables import Tables
from clprobe.model.interfaces import DeviceInterfaces, InterfaceReport
from clprobe.model.snapshot import Snapshot
from clprobe.report.schemas import published

TABLES = Tables.load()
HD_620 = {
    "pci_id": "8086:5916",
    "pci_address": "0000:00:02.0",
    "kernel_driver": "i915",
    "render_node": "/dev/dri/renderD128",
}
RX_580 = {"pci_id": "1002:67df", "kernel_driver": "amdgpu", "render_node": "/dev/dri/renderD128"}
RTX_3060 = {"pci_id": "10de:2504", "kernel_driver": "nvidia"}
OPEN = {"path": "/dev/dri/renderD128", "kind": "render", "open_error": None}
CLOSED = {**OPEN, "open_error": "EACCES", "mode": "0660", "group": "render"}
VULKAN = {"path": "/usr/lib/libvulkan.so.1", "interface": "vulkan", "role": "loader"}
LIBVA = {"path": "/usr/lib/libva.so.2", "interface": "va-api", "role": "loader"}


def driver(interface: str, path: str, **more: Any) -> dict[str, Any]:
    made = {"interface": interface, "role": "driver", "path": path, "library": path, "fits": True}
    return made | more


def manifest(name: str, **more: Any) -> dict[str, Any]:
    return driver("vulkan", f"/usr/share/vulkan/icd.d/{name}", **more)


ANV = manifest("intel_icd.x86_64.json", library="/usr/lib/libvulkan_intel.so")


def devices(**facts: Any) -> tuple[DeviceInterfaces, ...]:
    return take_interfaces(derive(msgspec.convert(facts, Snapshot), TABLES), TABLES)


def cell(interface: str, **facts: Any) -> InterfaceReport:
    gpu = devices(**facts)[0]
    return next(one for one in gpu.interfaces if one.interface == interface)


def of_hd_620(interface: str, *installed: dict[str, Any], **facts: Any) -> InterfaceReport:
    host = {"gpus": [HD_620], "device_nodes": [OPEN], "interfaces": installed, **facts}
    return cell(interface, **host)


def test_what_is_installed_was_not_tried() -> None:
    one = of_hd_620("vulkan", VULKAN, ANV)

    assert (one.state, one.driver, one.tried, one.because) == ("installed", "anv", False, "")


@pytest.mark.parametrize(
    ("installed", "state", "because"),
    [
        ([], "no-driver", "intel_icd*.json"),
        ([VULKAN], "no-driver", "intel_icd*.json"),
        ([ANV], "no-loader", "libvulkan.so.1"),
        ([VULKAN, ANV | {"library": None}], "broken", "not there"),
        ([VULKAN, ANV | {"fits": False}], "broken", "another processor"),
        ([VULKAN, ANV | {"left_out_by": "VK_DRIVER_FILES"}], "left-out", "VK_DRIVER_FILES"),
        ([VULKAN, manifest("radeon_icd.x86_64.json")], "no-driver", "intel_icd*.json"),
        ([VULKAN, manifest("intel_hasvk_icd.x86_64.json")], "no-driver", "intel_icd*.json"),
    ],
)
def test_what_stands_in_the_way_is_told(
    installed: list[dict[str, Any]], state: str, because: str
) -> None:
    one = of_hd_620("vulkan", *installed)

    assert one.state == state
    assert because in one.because


def test_a_node_that_may_not_be_opened_stands_in_the_way() -> None:
    one = of_hd_620("vulkan", VULKAN, ANV, device_nodes=[CLOSED])

    assert (one.state, one.because) == ("closed-node", "you cannot open /dev/dri/renderD128")


def test_another_kernel_driver_stands_in_the_way() -> None:
    one = of_hd_620("vulkan", VULKAN, ANV, gpus=[HD_620 | {"kernel_driver": "vfio-pci"}])

    assert (one.state, one.because) == (
        "other-kernel-driver",
        "vfio-pci has it; anv needs i915 or xe",
    )


def test_no_kernel_driver_stands_in_the_way() -> None:
    one = of_hd_620("vulkan", VULKAN, ANV, gpus=[HD_620 | {"kernel_driver": None}])

    assert one.because == "no kernel driver has it; anv needs i915 or xe"


@pytest.mark.parametrize("interface", ["vulkan", "va-api", "level-zero"])
def test_what_nobody_looked_at_is_not_known(interface: str) -> None:
    assert cell(interface, gpus=[HD_620]).state == "unknown"


def test_what_the_tables_rule_out_is_not_for_this_gpu() -> None:
    one = cell("cuda", gpus=[HD_620])  # whatever is installed

    assert one.state == "not-for-this"
    assert "NVIDIA" in one.because


def test_the_older_va_driver_serves_where_the_newer_is_not_installed() -> None:
    one = of_hd_620("va-api", LIBVA, driver("va-api", "/usr/lib/dri/i965_drv_video.so"))

    assert (one.state, one.driver) == ("installed", "i965")


def test_legacy1_has_a_level_zero_driver_of_its_own() -> None:
    loader = {"path": "/usr/lib/libze_loader.so.1", "interface": "level-zero", "role": "loader"}
    file = driver("level-zero", "/usr/lib/libze_intel_gpu_legacy1.so.1")

    assert of_hd_620("level-zero", loader, file).driver == "level-zero-gpu-legacy1"


def test_cuda_is_its_own_loader() -> None:
    node = {"path": "/dev/nvidia0", "kind": "nvidia", "open_error": None}
    file = driver("cuda", "/usr/lib/libcuda.so.1")
    one = cell("cuda", gpus=[RTX_3060], device_nodes=[node], interfaces=[file])

    assert (one.state, one.driver) == ("installed", "nvidia-cuda")


def test_cuda_needs_nvidias_own_kernel_driver() -> None:
    gpu = RTX_3060 | {"kernel_driver": "nouveau"}
    one = cell("cuda", gpus=[gpu], interfaces=[driver("cuda", "/usr/lib/libcuda.so.1")])

    assert one.state == "other-kernel-driver"


def test_rocm_is_shown_where_there_is_an_amd_gpu_and_needs_kfd() -> None:
    nodes = [OPEN, {"path": "/dev/kfd", "kind": "kfd", "open_error": "EACCES", "mode": "0660"}]
    file = driver("hip", "/opt/rocm/lib/libamdhip64.so.6")
    one = cell("hip", gpus=[RX_580], device_nodes=nodes, interfaces=[file])

    assert (one.state, one.because) == ("closed-node", "you cannot open /dev/kfd")
    assert "hip" not in [one.interface for one in devices(gpus=[HD_620])[0].interfaces]


def pocl(**device: Any) -> dict[str, Any]:
    platform = {"name": "Portable Computing Language", "devices": [device]}
    return {"path": "/etc/OpenCL/vendors/pocl.icd", "answer": {"platforms": [platform]}}


def neo(**answer: Any) -> dict[str, Any]:
    library = "/usr/lib/intel-opencl/libigdrcl.so"
    icd = {"path": "/etc/OpenCL/vendors/intel.icd", "library_name": library}
    return icd | {"library": {"path": library}, "answer": answer}


def shown(**device: Any) -> dict[str, Any]:
    name = {"name": "Intel(R) HD Graphics 620", "type": "gpu", "pci_address": "0000:00:02.0"}
    platform = {"name": "Intel(R) OpenCL HD Graphics", "devices": [name | device]}
    return neo(stage="queries", outcome="ok", platforms=[platform])


@pytest.mark.parametrize(
    ("kernel", "state", "because"),
    [
        ({}, "works", "no kernel was run"),
        ({"kernel_result": "right"}, "works", "computed right"),
        ({"kernel_result": "wrong"}, "fails", "wrong"),
    ],
)
def test_opencl_was_tried(kernel: dict[str, str], state: str, because: str) -> None:
    one = of_hd_620("opencl", icds=[shown(**kernel)])

    assert (one.state, one.tried) == (state, True)
    assert because in one.because


def test_a_driver_that_shows_no_device_is_told_with_its_words() -> None:
    icds = [neo(stage="platforms", outcome="error", error_code=-1001, platforms=[])]
    one = of_hd_620("opencl", icds=icds, device_nodes=[CLOSED])

    assert (one.state, one.driver, one.tried) == ("no-device", "compute-runtime", True)


def test_without_a_driver_for_it_those_that_drive_it_are_named() -> None:
    one = of_hd_620("opencl", icds=[pocl(type="cpu")])

    assert one.state == "no-driver"
    assert "compute-runtime-legacy1" in one.because


def test_the_processor_has_a_row_of_its_own() -> None:
    lavapipe = manifest("lvp_icd.x86_64.json")
    cpu = devices(
        system={"cpu": {"model": "AMD EPYC"}}, icds=[pocl(type="cpu")], interfaces=[lavapipe]
    )[-1]
    states = {one.interface: one.state for one in cpu.interfaces}

    assert (cpu.kind, cpu.device) == ("cpu", "AMD EPYC")
    assert states == {
        "opencl": "works",
        "vulkan": "installed",
        **dict.fromkeys(("level-zero", "cuda", "va-api"), "not-for-this"),
    }


def run(command: click.Command, *arguments: str) -> str:
    options = {"obj": {"color": "never"}, "standalone_mode": False}
    return CliRunner().invoke(command, arguments, **options).stdout


def test_info_prints_the_table_within_80_columns_and_in_json(tmp_path: Path) -> None:
    file = tmp_path / "host.json"
    facts = {"gpus": [HD_620], "device_nodes": [CLOSED], "interfaces": [VULKAN, ANV]}
    file.write_text(json.dumps(facts), "utf-8")
    text = run(info, "--from", str(file))
    part = text.partition("Interfaces\n")[2].partition("\nDevices")[0]

    assert "✗ Vulkan       anv closed node: you cannot open /dev/dri/renderD128" in part
    assert max(map(len, part.splitlines())) <= 80
    document = json.loads(run(info, "--json", "--from", str(file)))
    jsonschema.validate(document, published()["clprobe.info/1"])
    assert [one["kind"] for one in document["interfaces"]] == ["gpu", "cpu"]


def test_the_facts_replay_and_hold_no_names(tmp_path: Path) -> None:
    file = tmp_path / "host.yaml"
    path = "/home/eve/.local/share/vulkan/icd.d/intel_icd.json"
    file.write_text(f"user: {{name: eve}}\ninterfaces: [{{path: {path}, interface: vulkan}}]\n")
    text = run(snapshot_command, "--from", str(file))

    assert "eve" not in text
    assert "intel_icd.json" in text
