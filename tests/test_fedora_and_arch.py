# SPDX-License-Identifier: MIT
"""What .ci/fedora and .ci/arch say of clprobe is so, and their distributions' linters agree."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from open_folders import let_everybody_in
from packaging.requirements import Requirement

from clprobe.version import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / ".ci/fedora/clprobe.spec"
PKGBUILD = ROOT / ".ci/arch/PKGBUILD"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# rpmlint of Debian asks for what Fedora's rpm does of itself.
NOT_OF_TODAY = "no-buildroot-tag"
_NOBODY = 65534


def ran(*command: object, folder: Path = ROOT, user: int | None = None) -> str:
    """Return what a linter prints; skip where it is not installed, fail where it fails."""
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env={**os.environ, "PACMAN": "true"},  # makepkg asks it nothing when it only prints
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        user=user,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def python_names(extra: str = "") -> set[str]:
    """Return what an extra, or without one clprobe itself, needs on today's Linux."""
    texts = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    needed = map(Requirement, texts)
    return {one.name for one in needed if one.marker is None}  # which tells of old Pythons and PoCL


def srcinfo(folder: Path) -> dict[str, set[tuple[str, str]]]:
    """Return the fields of each package, of the base as ""."""
    shutil.copy(PKGBUILD, folder)
    let_everybody_in(folder)
    user = _NOBODY if os.geteuid() == 0 else None  # makepkg does nothing for root
    packages: dict[str, set[tuple[str, str]]] = {}
    name = ""
    for line in ran("makepkg", "--printsrcinfo", folder=folder, user=user).splitlines():
        key, _, value = line.strip().partition(" = ")
        name = value if key == "pkgname" else name
        packages.setdefault(name, set()).add((key, value))
    return packages


def test_both_are_about_this_version() -> None:
    spec = SPEC.read_text("utf-8")

    assert re.findall(r"^Version:\s+(.+)$", spec, re.M) == [__version__]
    assert re.findall(r"^%changelog\n.* - (.+)-\d+$", spec, re.M) == [__version__]
    assert re.findall(r"^pkgver=(.+)$", PKGBUILD.read_text("utf-8"), re.M) == [__version__]


def test_both_split_off_what_debian_s_package_of_bench_has() -> None:
    rules = (ROOT / ".ci/debian/rules").read_text("utf-8")
    moved = re.findall(r"^\tmv \$\(LIBRARY\)/(\S+)", rules, re.M)

    assert moved
    assert f"({'|'.join(moved)})" in SPEC.read_text("utf-8")
    assert f"in {' '.join(moved)};" in PKGBUILD.read_text("utf-8")


def test_fedora_s_bench_brings_what_its_extra_names() -> None:
    """What clprobe itself needs, rpm reads from the metadata."""
    named = set(re.findall(r"^Requires:\s+python3dist\((.+)\)$", SPEC.read_text("utf-8"), re.M))

    assert named == python_names("bench")


def test_arch_s_packages_bring_what_the_metadata_names(tmp_path: Path) -> None:
    packages = srcinfo(tmp_path)
    wanted = {name.removeprefix("py") if name == "pyyaml" else name for name in python_names()}

    assert {"", "clprobe", "clprobe-bench"} == set(packages)
    assert {value for key, value in packages[""] if key == "depends"} == {
        "python",
        *(f"python-{name}" for name in wanted),
    }
    assert {value for key, value in packages["clprobe-bench"] if key == "depends"} == {
        f"clprobe={__version__}-1",
        *(f"python-{name}" for name in python_names("bench")),
    }


def test_rpm_reads_the_spec() -> None:
    assert f"\nVersion:        {__version__}\n" in ran("rpmspec", "-P", SPEC)


def test_rpmlint_has_nothing_against_the_spec() -> None:
    printed = ran("rpmlint", SPEC)
    said = re.findall(r"^\S+: [EW]: .+$", printed, re.M)

    assert "1 specfiles checked" in printed
    assert [line for line in said if NOT_OF_TODAY not in line] == []


def test_shellcheck_has_nothing_against_the_pkgbuild() -> None:
    assert ran("shellcheck", PKGBUILD) == ""
