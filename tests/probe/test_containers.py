# SPDX-License-Identifier: MIT
"""Containers by what stands nearest, services, and what Windows lends to WSL."""

import base64
from pathlib import Path
from typing import Any

import pytest
from inventing import MACHINE, invent_host
from recording import recordable

from clprobe.model.unknown import Unknown
from clprobe.probe.linux.virtualization import probe_container, probe_virtualization
from clprobe.probe.live_host import LiveHost

_FILE = {"kind": "file", "mode": 0o644}
_WSL = {"/proc/version": "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f)"}
_DRIVERS = "/usr/lib/wsl/drivers"
_INTEL = "iigd_dch.inf_amd64_55f589032bab5285"
_APPTAINER = {"APPTAINER_CONTAINER": "/a.sif", "SINGULARITY_CONTAINER": "/a.sif"}
_GVISOR = "#1 SMP Sun Jan 10 15:06:54 PST 2016"


def _files(*paths: str) -> dict[str, Any]:
    return {"link_status": dict.fromkeys(paths, _FILE)}


@pytest.mark.parametrize(
    ("answers", "container"),
    [
        (_files("/run/.containerenv", "/run/.toolboxenv"), "toolbox"),
        ({**_files("/run/.containerenv"), "environment": {"": {"DISTROBOX_ENTER_PATH": "/usr"}}},
         "distrobox"),
        ({**_files("/dev/.cros_milestone"), "read": {"/run/systemd/container": "lxc"}}, "crostini"),
        ({**_files("/.dockerenv"), "machine": {"": {**MACHINE, "version": _GVISOR}}}, "gvisor"),
        ({**_files("/.dockerenv", "/var/run/secrets/kubernetes.io")}, "kubernetes"),
        ({"environment": {"": _APPTAINER}}, "apptainer"),
        (_files("/.singularity.d"), "singularity"),
        ({"read": {"/proc/1/environ": "PATH=/bin\0container=systemd-nspawn\0"}}, "systemd-nspawn"),
        ({"read": {"/proc/1/cgroup": "0::/lxc.payload/init.scope\n"}}, "lxc"),
        ({"environment": {"": {"SNAP": "/snap/firefox/1", "SNAP_NAME": "firefox"}}}, "snap"),
        ({"environment": {"": {"SNAP": "/snap/code/1", "SNAP_NAME": "code"}},
          "read": {"/proc/self/attr/current": "snap.code.code (complain)\n",
                   "/proc/1/cgroup": "0::/init.scope\n"}}, None),
    ],
    ids=["toolbox", "distrobox", "crostini", "gvisor", "kubernetes", "apptainer", "singularity",
         "nspawn", "lxc", "snap", "a classic snap confines nothing"],
)  # fmt: skip
def test_what_stands_nearest(
    answers: dict[str, Any], container: str | None, tmp_path: Path
) -> None:
    assert probe_container(invent_host(tmp_path, **answers)) == container


def test_nobody_knows_the_container_where_nothing_can_be_read(tmp_path: Path) -> None:
    assert isinstance(probe_container(invent_host(tmp_path)), Unknown)


def test_a_recording_holds_the_variables_that_tell_containers_apart() -> None:
    variables = {
        "APPTAINER_CONTAINER": "/a.sif",
        "DISTROBOX_ENTER_PATH": "/usr/bin",
        "EDITOR": "vi",
    }
    assert set(recordable(variables)) == {"APPTAINER_CONTAINER", "DISTROBOX_ENTER_PATH"}


@pytest.mark.parametrize(
    ("groups", "service"),
    [
        ("0::/system.slice/jellyfin.service\n", "jellyfin.service"),
        ("0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service"),
        ("1:name=systemd:/system.slice/cron.service\n0::/\n", "cron.service"),
        ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-a.service\n", None),
        ("0::/user.slice/user-1000.slice/session-2.scope\n", None),
        ("0::/\n", None),
    ],
)
def test_services(groups: str, service: str | None, tmp_path: Path) -> None:
    host = invent_host(tmp_path, read={"/proc/self/cgroup": groups})
    assert probe_virtualization(host).service == service


def test_the_service_of_this_process_is_known() -> None:
    assert not isinstance(probe_virtualization(LiveHost()).service, Unknown)


def _driver_of_windows(folder: Path, **files: Any) -> str | Unknown | None:
    read = {
        f"{_DRIVERS}/{name}/{name.partition('.inf')[0]}.inf": text for name, text in files.items()
    }
    host = invent_host(
        folder, read={**_WSL, **read}, list_folder={_DRIVERS: ["c_net.inf_amd64_1", *files]}
    )
    return probe_virtualization(host).windows_driver


def test_the_driver_of_windows_is_told_by_its_inf_file(tmp_path: Path) -> None:
    text = "[Version]\nDriverVer = 06/08/2023,31.0.101.4502 ; built\n"
    others = {"nv_dispi.inf_amd64_1a2b": "DriverVer=01/01/2024,31.0.15.5000\n"}
    assert _driver_of_windows(tmp_path, **{_INTEL: text, **others}) == "31.0.101.4502"


def test_an_inf_file_in_utf_16_is_read_too(tmp_path: Path) -> None:
    raw = "[Version]\r\nDriverVer=12/02/2020,29.20.0100.9116\r\n".encode("utf-16")
    found = _driver_of_windows(tmp_path, **{_INTEL: {"base64": base64.b64encode(raw).decode()}})
    assert found == "29.20.0100.9116"


def test_two_drivers_of_windows_leave_open_which_is_in_use(tmp_path: Path) -> None:
    older = "iigd_dch.inf_amd64_0000"
    driver = _driver_of_windows(
        tmp_path,
        **{_INTEL: "DriverVer=1/1/2023,31.0.101.4502", older: "DriverVer=1/1/2020,30.0.100.9805"},
    )
    assert isinstance(driver, Unknown)
    assert "30.0.100.9805, 31.0.101.4502" in driver.unknown


def test_outside_wsl_windows_has_no_driver(tmp_path: Path) -> None:
    host = invent_host(tmp_path, read={"/proc/version": "Linux version 6.8.0-51-generic (buildd)"})
    virtualization = probe_virtualization(host)
    assert virtualization.windows_driver is None
    assert isinstance(virtualization.wsl_libraries, Unknown)


@pytest.mark.parametrize("is_cached", [True, False])
def test_the_linker_finds_what_windows_lends(is_cached: bool, tmp_path: Path) -> None:
    names = ("libdxcore.so", "libd3d12core.so")
    paths = {name: f"/usr/lib/wsl/lib/{name}" for name in names}
    cached = {name: [{"path": path, "flags": 769}] for name, path in paths.items()}
    header = {"format": "elf", "size_bytes": 1, "elf_class": 64, "machine": "x86_64"}
    host = invent_host(
        tmp_path,
        read=_WSL,
        cached_libraries=cached if is_cached else dict.fromkeys(names, ()),
        status=dict.fromkeys(paths.values(), _FILE),
        elf=dict.fromkeys(paths.values(), header),
    )
    assert probe_virtualization(host).wsl_libraries is is_cached
