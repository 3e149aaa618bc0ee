# SPDX-License-Identifier: MIT
"""Kernel modules: loaded, forbidden, claiming a GPU; and the firmware that they load."""

import re
from pathlib import Path
from typing import Any

import pytest
from inventing import MACHINE, invent_host

from clprobe.model.hardware import GPU_MODULES, module_name
from clprobe.model.unknown import Unknown
from clprobe.probe.gpus import alias_pattern, claiming_modules
from clprobe.probe.linux.linux import (
    forbidden_modules,
    loaded_modules,
    module_versions,
    probe_firmware,
)
from clprobe.probe.live_host import LiveHost
from clprobe.resources import rules_path

_ARC = "pci:v00008086d000056A0sv00008086sd00001020bc03sc00i00"
_FOLDER = f"/lib/modules/{MACHINE['release']}"
_LIST = f"{_FOLDER}/modules.alias {alias_pattern(_ARC)}"
_SIGNS = ("alias=pci:v00008086d000056A0sv", "alias=pci:v00008086d*", "alias=pci:v*")
_BUILT_IN = f"{_FOLDER}/modules.builtin.modinfo {' '.join(_SIGNS)}"
_I915 = "alias pci:v00008086d000056A0sv*sd*bc03sc*i* i915"
_INSIDE = "i915.alias=pci:v00008086d000056A0sv*sd*bc03sc*i*"
_XE = "alias pci:v00008086d000056A0sv*sd*bc03sc*i* xe"


def test_loaded_modules_are_those_of_gpus_built_in_ones_too(tmp_path: Path) -> None:
    host = invent_host(
        tmp_path,
        read={
            "/proc/modules": "xe 3276800 5 - Live 0x0000000000000000\n"
            "snd_hda_intel 61440 2 - Live 0x0\nvfio_pci 16384 0 - Live 0x0\n"
        },
        list_folder={"/sys/module": ["acpi", "amdgpu", "xe"]},
    )
    assert loaded_modules(host) == ("amdgpu", "vfio_pci", "xe")


def _asked_of_rules() -> set[str]:
    """Return every module that a rule looks for among the loaded or the forbidden ones."""
    lists = re.compile(r"linux\.(?:blacklisted_)?modules: \{contains(?:_any)?: \[?([\w, -]+)")
    texts = [path.read_text() for path in rules_path().glob("*/*.yaml")]
    names = [name for text in texts for found in lists.findall(text) for name in found.split(",")]
    return {module_name(name.strip()) for name in names}


def test_every_module_that_a_rule_asks_for_is_told() -> None:
    assert {"nvidia", "nvidia_uvm"} <= _asked_of_rules() <= GPU_MODULES


def test_without_proc_and_sysfs_no_module_is_known(tmp_path: Path) -> None:
    answer = loaded_modules(invent_host(tmp_path))
    assert isinstance(answer, Unknown)
    assert "lsmod" in answer.unknown


def test_a_version_is_told_where_a_module_has_one(tmp_path: Path) -> None:
    host = invent_host(tmp_path, read={"/sys/module/nvidia/version": "550.90.07\n"})
    assert module_versions(host, ("i915", "nvidia")) == {"i915": None, "nvidia": "550.90.07"}
    assert module_versions(host, ("i915",)) == {"i915": None, "nvidia": None}


@pytest.mark.skipif(not Path("/proc/modules").exists(), reason="this Linux loads no modules")
def test_loaded_modules_of_this_machine_are_in_its_list() -> None:
    listed = {line.split()[0] for line in Path("/proc/modules").read_text().splitlines()}
    loaded = loaded_modules(LiveHost())
    assert isinstance(loaded, tuple)
    assert set(loaded) >= listed & GPU_MODULES


def test_modules_of_this_machine_are_among_those_that_sysfs_shows() -> None:
    loaded = loaded_modules(LiveHost())
    assert isinstance(loaded, tuple)
    assert set(loaded) <= {path.name for path in Path("/sys/module").iterdir()}


@pytest.mark.parametrize(
    ("answers", "modules"),
    [
        ({"lines_in": {_LIST: [_XE, _I915]}}, ("i915", "xe")),
        ({"lines_in": {_LIST: ["alias pci:v00008086d000056A0sv*sd*bc04sc*i* other"]}}, ()),
        ({"lines_in": {_LIST: ["alias pci:v00008086d*sv*sd*bc03sc*i* wild-card"]}}, ("wild_card",)),
        ({"lines_in": {_LIST: []}, "texts_in": {_BUILT_IN: [_INSIDE]}},
         ("i915",)),
        ({}, ()),
    ],
    ids=["two claim it", "for another class", "any device", "built in", "no modules here"],
)  # fmt: skip
def test_modules_that_claim_a_gpu(
    answers: dict[str, Any], modules: tuple[str, ...], tmp_path: Path
) -> None:
    assert claiming_modules(invent_host(tmp_path, **answers), _ARC, None) == modules


def test_modules_of_nixos_are_found_where_it_keeps_them(tmp_path: Path) -> None:
    folder = f"/run/booted-system/kernel-modules/lib/modules/{MACHINE['release']}"
    host = invent_host(
        tmp_path, lines_in={f"{folder}/modules.alias {alias_pattern(_ARC)}": [_I915]}
    )
    assert claiming_modules(host, _ARC, None) == ("i915",)


@pytest.mark.parametrize("container", ["docker", Unknown("/proc/1/cgroup: Permission denied")])
def test_a_container_does_not_know_what_its_host_could_load(
    container: str | Unknown, tmp_path: Path
) -> None:
    host = invent_host(tmp_path)
    assert isinstance(claiming_modules(host, _ARC, container), Unknown)
    assert isinstance(forbidden_modules(host, "quiet", container), Unknown)
    assert isinstance(probe_firmware(host, container), Unknown)


def test_a_list_that_may_not_be_read_is_no_empty_list(tmp_path: Path) -> None:
    host = invent_host(tmp_path, lines_in={_LIST: {"error": "EACCES"}})
    assert isinstance(claiming_modules(host, _ARC, None), Unknown)


def test_a_list_of_modules_is_searched_as_modprobe_does(tmp_path: Path) -> None:
    path = tmp_path / "modules.alias"
    others = "".join(f"alias pci:v000010DEd{n:08X}sv*sd*bc03sc*i* nouveau\n" for n in range(20000))
    path.write_text(f"# Aliases\n{others}{_I915}\nalias pci:v*d*sv*sd*bc03sc*i* any\n{_XE}")
    assert LiveHost().lines_in(str(path), alias_pattern(_ARC)) == (
        _I915,
        "alias pci:v*d*sv*sd*bc03sc*i* any",
        _XE,
    )


@pytest.mark.parametrize(
    ("files", "command_line", "modules"),
    [
        ({"/etc/modprobe.d/a.conf": "# blacklist xe\nblacklist i915\nblacklist pcspkr\n"}, "",
         ("i915",)),
        ({"/lib/modprobe.d/a.conf": "install nvidia-uvm /bin/false\n"}, "", ("nvidia_uvm",)),
        ({"/etc/modprobe.d/a.conf": "install nvidia-uvm /sbin/modprobe -i nvidia-uvm\n"}, "", ()),
        ({"/etc/modprobe.d/a.conf": "", "/usr/lib/modprobe.d/a.conf": "blacklist xe\n"}, "", ()),
        ({"/etc/modprobe.d/a.txt": "blacklist xe\n"}, "", ()),
        ({}, "quiet modprobe.blacklist=nouveau,amdgpu module_blacklist=xe i915.modeset=0",
         ("amdgpu", "nouveau", "xe")),
        ({}, "quiet", ()),
    ],
    ids=["a line", "install false", "install runs it", "hidden by the administrator's",
         "no .conf", "boot parameters", "none"],
)  # fmt: skip
def test_forbidden_modules(
    files: dict[str, str], command_line: str, modules: tuple[str, ...], tmp_path: Path
) -> None:
    folders: dict[str, list[str]] = {}
    for path in files:
        folders.setdefault(path.rpartition("/")[0], []).append(path.rpartition("/")[2])
    host = invent_host(tmp_path, read=files, list_folder=folders)
    assert forbidden_modules(host, command_line, None) == modules


def test_a_file_that_may_not_be_read_leaves_open_what_it_forbids(tmp_path: Path) -> None:
    host = invent_host(
        tmp_path,
        list_folder={"/etc/modprobe.d": ["secret.conf"]},
        read={"/etc/modprobe.d/secret.conf": {"error": "EACCES"}},
    )
    assert isinstance(forbidden_modules(host, "", None), Unknown)


def test_firmware_folders_that_hold_files_count(tmp_path: Path) -> None:
    host = invent_host(
        tmp_path,
        read={"/sys/module/firmware_class/parameters/path": "/run/current-system/firmware\n"},
        list_folder={
            "/lib/firmware": ["amdgpu", "i915", "rtl_nic"],
            "/lib/firmware/i915": ["skl_huc_2.0.0.bin"],
            "/lib/firmware/amdgpu": [],
            "/run/current-system/firmware": ["xe"],
            "/run/current-system/firmware/xe": ["bmg_guc_70.bin.zst"],
        },
    )
    assert probe_firmware(host, None) == ("i915", "xe")


def test_no_firmware_at_all_is_an_answer(tmp_path: Path) -> None:
    assert probe_firmware(invent_host(tmp_path), None) == ()
