# SPDX-License-Identifier: MIT
"""What sysfs tells of a GPU beyond its id: window, power and the modules that claim it."""

from pathlib import Path
from typing import Any

import pytest
from inventing import MACHINE, invent_host

from clprobe.model.hardware import Gpu
from clprobe.model.unknown import Unknown
from clprobe.probe.gpus import alias_pattern, probe_gpus

_PCI = "/sys/bus/pci/devices"
_AT = f"{_PCI}/0000:03:00.0"
_MODALIAS = "pci:v00008086d000056A0sv00008086sd00001020bc03sc00i00"
_LIST = f"/lib/modules/{MACHINE['release']}/modules.alias {alias_pattern(_MODALIAS)}"
_ALIAS = "alias pci:v00008086d000056A0sv*sd*bc03sc*i* i915"
_WINDOWS = """\
0x0000000094000000 0x0000000094ffffff 0x0000000000140204
0x0000000000000000 0x0000000000000000 0x0000000000000000
0x0000004000000000 0x00000043ffffffff 0x000000000014220c
0x0000000000000000 0x0000000000000000 0x0000000000000000
0x0000000000003000 0x000000000000303f 0x0000000000040101
0x0000000000000000 0x0000000000000000 0x0000000000000000
0x0000000095000000 0x00000000951fffff 0x0000000000046200
0x0000005000000000 0x0000006fffffffff 0x000000000014220c
"""


def _gpu(folder: Path, driver: str | None = None, **more: Any) -> Gpu:
    files = {"class": "0x030000\n", "vendor": "0x8086\n", "device": "0x56a0\n"}
    files |= {"modalias": f"{_MODALIAS}\n", **more.pop("files", {})}
    link = {f"{_AT}/driver": {"kind": "link", "mode": 0o777}} if driver else {}
    host = invent_host(
        folder,
        list_folder={_PCI: ["0000:03:00.0"]},
        read={f"{_AT}/{name}": text for name, text in files.items()},
        link_status=link,
        real_path={f"{_AT}/driver": f"/sys/bus/pci/drivers/{driver}"},
        **{"lines_in": {_LIST: [_ALIAS]}, **more},
    )
    gpus = probe_gpus(host)
    assert isinstance(gpus, tuple)
    return gpus[0]


def test_the_largest_window_into_memory_counts(tmp_path: Path) -> None:
    assert _gpu(tmp_path, files={"resource": _WINDOWS}).memory_bar_bytes == 16 << 30


def test_a_gpu_without_windows_has_none(tmp_path: Path) -> None:
    empty = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n" * 13
    assert _gpu(tmp_path, files={"resource": empty}).memory_bar_bytes is None


def test_windows_that_nobody_shows_or_understands_are_unknown(tmp_path: Path) -> None:
    assert isinstance(_gpu(tmp_path).memory_bar_bytes, Unknown)
    assert isinstance(_gpu(tmp_path, files={"resource": "?\n"}).memory_bar_bytes, Unknown)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("active\n", "active"),
        ("suspended\n", "suspended"),
        ("suspending\n", "suspended"),
        ("error\n", "error"),
        ("unsupported\n", None),
    ],
)
def test_power(text: str, state: str | None, tmp_path: Path) -> None:
    assert _gpu(tmp_path, files={"power/runtime_status": text}).power_state == state


def test_modules_are_looked_up_where_no_driver_is_bound(tmp_path: Path) -> None:
    assert _gpu(tmp_path).kernel_modules == ("i915",)


def test_modules_are_looked_up_where_the_bound_driver_cannot_compute(tmp_path: Path) -> None:
    assert _gpu(tmp_path, driver="vfio-pci").kernel_modules == ("i915",)


def test_modules_are_not_looked_up_where_a_driver_computes(tmp_path: Path) -> None:
    modules = _gpu(tmp_path, driver="xe").kernel_modules
    assert isinstance(modules, Unknown)
    assert "lspci -k" in modules.unknown


def test_a_gpu_without_modalias_is_claimed_by_nobody_knows_whom(tmp_path: Path) -> None:
    refused = {"modalias": {"error": "EACCES"}}
    assert isinstance(_gpu(tmp_path, files=refused).kernel_modules, Unknown)
