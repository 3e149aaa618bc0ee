# SPDX-License-Identifier: MIT
"""Package databases in folders laid out as each manager has them."""

import re
from pathlib import Path

import pytest

from clprobe.probe.packages.databases import PackageDatabases, PipFiles
from clprobe.probe.packages.installed import RELEVANT
from clprobe.probe.packages.managers import managers

_LIBRARY = "/usr/lib/libpocl.so.2"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _dpkg(root: Path) -> None:
    _write(
        root / "var/lib/dpkg/status",
        "Package: libpocl2\nStatus: install ok installed\nArchitecture: amd64\nVersion: 3.1-3\n\n"
        "Package: pocl-opencl-icd\nStatus: deinstall ok config-files\nVersion: 3.1-3\n\n"
        "Package: bash\nStatus: install ok installed\nVersion: 5.2\n",
    )
    _write(root / "var/lib/dpkg/info/libpocl2:amd64.list", "/.\n/lib\n/lib/libpocl.so.2\n")


def _pacman(root: Path) -> None:
    _write(root / "var/lib/pacman/local/pocl-6.0-2/files", "%FILES%\nusr/lib/libpocl.so.2\n")
    _write(root / "var/lib/pacman/local/bash-5.2.037-1/files", "%FILES%\nusr/bin/bash\n")
    _write(root / "var/lib/pacman/local/ALPM_DB_VERSION", "9\n")


def _apk(root: Path) -> None:
    _write(
        root / "lib/apk/db/installed",
        "C:Q1\nP:pocl\nV:6.0-r1\nA:x86_64\nF:usr/lib\nR:libpocl.so.2\n\nP:busybox\nV:1.36\n",
    )


@pytest.mark.parametrize(
    ("layout", "name", "version"),
    [(_dpkg, "libpocl2", "3.1-3"), (_pacman, "pocl", "6.0-2"), (_apk, "pocl", "6.0-r1")],
)
def test_relevant_packages_and_owners(
    layout: object, name: str, version: str, tmp_path: Path
) -> None:
    assert callable(layout)
    layout(tmp_path)
    databases = PackageDatabases(managers(tmp_path), PipFiles("/usr", ()))
    (record,) = databases.find(RELEVANT)
    assert (record.name, record.version) == (name, version)
    owners = databases.owners((_LIBRARY, "/etc/OpenCL/vendors/mine.icd", "/home/x"))
    assert owners == {_LIBRARY: name, "/etc/OpenCL/vendors/mine.icd": None, "/home/x": None}


def test_a_system_without_a_manager_has_no_packages(tmp_path: Path) -> None:
    databases = PackageDatabases(managers(tmp_path), PipFiles("/usr", ()))
    assert databases.find(RELEVANT) == ()
    assert databases.owners((_LIBRARY,)) == {_LIBRARY: None}


def test_a_file_that_a_wheel_brought(tmp_path: Path) -> None:
    packages = tmp_path / "lib/python3.12/site-packages"
    _write(
        packages / "intel_opencl_rt-2026.2.0.dist-info/RECORD",
        "../../../etc/OpenCL/vendors/intel-cpu.icd,sha256=0,51\n",
    )
    pip = PipFiles(str(tmp_path), (str(packages),))
    assert pip.owner(f"{tmp_path}/etc/OpenCL/vendors/intel-cpu.icd") == "intel-opencl-rt"
    assert pip.owner(f"{tmp_path}/etc/OpenCL/vendors/other.icd") is None


def test_rpm_gets_no_settings_of_whoever_called_sudo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setenv("RPM_CONFIGDIR", "/home/somebody/rpm")
    (tmp_path / "var/lib/rpm").mkdir(parents=True)
    # Stands for rpm: the environment that it gets is what it tells as a package.
    program = tmp_path / "usr/bin/rpm"
    told = "pocl\\t$HOME:${RPM_CONFIGDIR:-unset}\\tx86_64\\t(none)\\n"
    _write(program, f'#!/bin/sh\nprintf "{told}"\n')
    program.chmod(0o755)

    (rpm,) = [one for one in managers(tmp_path) if one.is_present]

    assert [record.version for record in rpm.find(re.compile(RELEVANT).search)] == ["/:unset"]
