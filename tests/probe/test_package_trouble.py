# SPDX-License-Identifier: MIT
"""States of packages, and what a package manager left half done."""

from pathlib import Path
from typing import Any

import pytest
from inventing import invent_host

from clprobe.model.system import Package
from clprobe.model.unknown import Unknown
from clprobe.probe.host import PackageRecord
from clprobe.probe.live_host import LiveHost
from clprobe.probe.packages.databases import PackageDatabases, PipFiles
from clprobe.probe.packages.installed import RELEVANT, probe_package_trouble, probe_packages
from clprobe.probe.packages.managers import Apk, Dpkg, Pacman, managers

_RECORD = {"name": "intel-opencl-icd", "version": "23.43-1", "manager": "dpkg"}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _dpkg(root: Path, *states: str) -> dict[str, PackageRecord]:
    paragraphs = [
        f"Package: pocl{at}\nStatus: {state}\nVersion: 3.1\n" for at, state in enumerate(states)
    ]
    _write(root / "var/lib/dpkg/status", "\n".join(paragraphs))
    assert isinstance(managers(root)[0], Dpkg)
    found = PackageDatabases(managers(root), PipFiles("/usr", ())).find(RELEVANT)
    return {record.name: record for record in found}


def _trouble(folder: Path, *records: dict[str, Any], **answers: dict[str, Any]) -> Any:
    host = invent_host(folder, packages={RELEVANT: [_RECORD | one for one in records]}, **answers)
    return probe_package_trouble(host)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("install ok installed", "installed"),
        ("install ok triggers-pending", "installed"),
        ("install ok unpacked", "unpacked"),
        ("install ok half-configured", "half-configured"),
        ("install reinstreq half-installed", "half-installed"),
    ],
)
def test_dpkg_tells_the_state(tmp_path: Path, status: str, state: str) -> None:
    (record,) = _dpkg(tmp_path, status).values()
    assert (record.state, record.damaged) == (state, "reinstreq" in status)


def test_what_dpkg_did_not_come_to_merge_counts(tmp_path: Path) -> None:
    updates = tmp_path / "var/lib/dpkg/updates"
    _write(updates / "0000", "Package: pocl0\nStatus: install ok half-configured\nVersion: 3.1\n")
    _write(updates / "0001", "Package: pocl0\nStatus: install ok installed\nVersion: 3.1\n")
    _write(updates / "0002", "Package: pocl7\nStatus: install ok unpacked\nVersion: 3.1\n")
    _write(updates / "0003", "Package: pocl1\nStatus: purge ok not-installed\n")
    _write(updates / "tmp.i", "Package: pocl0\nStatus: install ok unpacked\nVersion: 3.1\n")
    found = _dpkg(tmp_path, "install ok unpacked", "install ok installed")
    states = {record.name: record.state for record in found.values()}
    assert states == {"pocl0": "installed", "pocl7": "unpacked"}


def test_what_dpkg_removed_is_not_installed(tmp_path: Path) -> None:
    found = _dpkg(
        tmp_path, "deinstall ok config-files", "purge ok not-installed", "hold ok installed"
    )
    assert [(record.name, record.held) for record in found.values()] == [("pocl2", True)]


def test_pacman_tells_what_was_built_by_hand(tmp_path: Path) -> None:
    for name, validation in (("pocl-6.0-2", "pgp"), ("intel-opencl-git-1.0-1", "none")):
        text = f"%NAME%\nx\n\n%VALIDATION%\n{validation}\n"
        _write(tmp_path / f"var/lib/pacman/local/{name}/desc", text)
    (manager,) = managers(tmp_path)
    assert isinstance(manager, Pacman)
    found = PackageDatabases((manager,), PipFiles("/usr", ())).find(RELEVANT)
    assert {record.name: record.origin for record in found} == {
        "pocl": "", "intel-opencl-git": "unsigned",
    }  # fmt: skip


def test_apk_tells_of_a_script_that_failed(tmp_path: Path) -> None:
    _write(
        tmp_path / "lib/apk/db/installed", "P:pocl\nV:6.0-r1\nf:sS\n\nP:ocl-icd\nV:2.3-r1\nf:S\n"
    )
    (manager,) = managers(tmp_path)
    assert isinstance(manager, Apk)
    found = PackageDatabases((manager,), PipFiles("/usr", ())).find(RELEVANT)
    assert {record.name: record.damaged for record in found} == {"pocl": True, "ocl-icd": False}


def test_whole_packages_are_no_trouble(tmp_path: Path) -> None:
    journal = {"/var/lib/dpkg/updates": ["tmp.i"]}
    assert _trouble(tmp_path, {}, list_folder=journal) is None


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"state": "unpacked"}, "dpkg: intel-opencl-icd 23.43-1 is unpacked"),
        ({"damaged": True}, "dpkg: intel-opencl-icd has to be installed once more"),
        ({"held": True}, "dpkg: intel-opencl-icd is held at 23.43-1"),
    ],
)
def test_each_package_tells_its_trouble(tmp_path: Path, record: dict[str, Any], told: str) -> None:
    assert _trouble(tmp_path, record) == told


def test_an_interrupted_dpkg_is_told(tmp_path: Path) -> None:
    told = _trouble(tmp_path, {}, list_folder={"/var/lib/dpkg/updates": ["0001"]})
    assert told.startswith("dpkg: it was interrupted")


def test_a_locked_pacman_is_told(tmp_path: Path) -> None:
    lock = {"/var/lib/pacman/db.lck": {"kind": "file", "mode": 0}}
    told = _trouble(tmp_path, {"manager": "pacman"}, link_status=lock)
    assert told.startswith("pacman: /var/lib/pacman/db.lck is there")


def test_a_package_that_rpm_has_twice_is_told(tmp_path: Path) -> None:
    names = ("intel-opencl", "kernel-core")
    records = [
        {"name": name, "version": version, "manager": "rpm"}
        for name in names
        for version in ("1-1", "2-1")
    ]
    told = _trouble(tmp_path, *records)
    assert told == "rpm: intel-opencl is installed twice, as 1-1 and 2-1"


def test_without_a_known_manager_nothing_is_known(tmp_path: Path) -> None:
    assert isinstance(_trouble(tmp_path), Unknown)
    assert isinstance(probe_package_trouble(invent_host(tmp_path)), Unknown)


def test_conda_packages_are_told_with_their_channel(tmp_path: Path) -> None:
    meta, file = "/opt/conda/conda-meta", "ocl-icd-2.3.3-hb9d3cd8_0.json"
    head = '{\n "build": "hb9d3cd8_0",\n "channel": "https://me:pw@conda.example.org/t/to-ken/forge",\n'
    host = invent_host(
        tmp_path,
        environment={"": {"CONDA_PREFIX": "/opt/conda"}},
        packages={RELEVANT: []},
        list_folder={meta: ["history", file, "zlib-1.3-h0_0.json"]},
        read={f"{meta}/{file} 8192": head},
    )
    (package,) = _packages(host)
    assert (package.name, package.version, package.manager) == ("ocl-icd", "2.3.3", "conda")
    assert package.origin == "conda.example.org/forge"


def test_packages_of_this_machine_have_a_state() -> None:
    assert {package.state for package in _packages(LiveHost())} <= {
        "installed", "half-installed", "unpacked", "half-configured",
    }  # fmt: skip


def _packages(host: Any) -> tuple[Package, ...]:
    found = probe_packages(host)
    assert isinstance(found, tuple)
    return found


def test_apts_lists_tell_which_repository_brought_a_package(tmp_path: Path) -> None:
    lists = tmp_path / "var/lib/apt/lists"
    own, maker = (
        "mirror.debian.org_debian_dists_sid_main",
        "repositories.intel.com_gpu_ubuntu_dists_x",
    )
    _write(lists / f"{own}_binary-amd64_Packages", "Package: pocl0\nVersion: 3.1\n")
    _write(
        lists / f"{maker}_unified_binary-amd64_Packages",
        "Package: pocl1\nVersion: 3.0\n\nPackage: pocl1\nArchitecture: amd64\nVersion: 3.1\n\n"
        "Package: pocl2\nVersion: 3.1.1\n",
    )
    _write(lists / "nv.example.org_x86%5f64_Packages", "Package: pocl3\nVersion: 3.1\n")
    found = _dpkg(tmp_path, *["install ok installed"] * 4)
    assert [record.origin for record in found.values()] == [
        "", "repositories.intel.com/gpu/ubuntu", "", "nv.example.org/x86_64",
    ]  # fmt: skip
