# SPDX-License-Identifier: MIT
"""What .ci/debian says of clprobe is so, and its source package can be made twice alike."""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from clprobe.version import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
DEBIAN = ROOT / ".ci" / "debian"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PACKAGES = {"clprobe", "clprobe-bench", "python3-clprobe"}
# What Debian calls it, where that is not python3- and the name.
NAMES = {"pyyaml": "yaml"}


def paragraphs() -> list[dict[str, str]]:
    """Return the fields of each paragraph of debian/control."""
    parts = (DEBIAN / "control").read_text("utf-8").strip().split("\n\n")
    return [dict(re.findall(r"^([\w-]+):\s*((?:.|\n )*)$", part, re.M)) for part in parts]


SOURCE, *BINARIES = paragraphs()
BY_NAME = {one["Package"]: one for one in BINARIES}


def test_the_packages_are_those_that_are_documented() -> None:
    assert set(BY_NAME) == PACKAGES
    assert all(f"`{name}`" in (ROOT / "README.md").read_text("utf-8") for name in PACKAGES)


def test_the_version_is_clprobe_s_own() -> None:
    first = (DEBIAN / "changelog").read_text("utf-8").partition("\n")[0]

    assert first.startswith(f"clprobe ({__version__}-")


def test_what_the_library_needs_is_there_when_it_is_built() -> None:
    for text in PROJECT["dependencies"]:
        needed = Requirement(text)
        if needed.marker is None:  # which tells of old Pythons
            name = NAMES.get(needed.name, needed.name)
            assert f"python3-{name}" in SOURCE["Build-Depends"], text


def test_a_least_version_that_a_release_of_debian_lacks_is_stated() -> None:
    (least,) = (one for one in PROJECT["dependencies"] if one.startswith("msgspec"))
    wanted = f"python3-msgspec (>= {least.partition('>=')[2]})"

    assert wanted in SOURCE["Build-Depends"]
    assert wanted in BY_NAME["python3-clprobe"]["Depends"]


def test_bench_brings_what_its_extra_names() -> None:
    depends = BY_NAME["clprobe-bench"]["Depends"]
    extra = [Requirement(text) for text in PROJECT["optional-dependencies"]["bench"]]

    for one in extra:  # PoCL is a package of its own, beside other drivers
        if one.marker is None:
            assert f"python3-{one.name}" in depends
    assert "pocl-opencl-icd" in BY_NAME["clprobe-bench"]["Recommends"]


def test_what_moves_to_another_package_is_where_the_rules_look_for_it() -> None:
    rules = (DEBIAN / "rules").read_text("utf-8")

    assert "$(LIBRARY)/tensor" in rules
    assert "$(LIBRARY)/_data/kernels" in rules
    assert (ROOT / "clprobe" / "tensor").is_dir()


def test_bench_says_what_is_lacking_where_the_micro_framework_is_not_installed() -> None:
    program = "import sys\nsys.modules['clprobe.tensor'] = None\nimport clprobe.cli.bench\n"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)


def test_each_autopkgtest_is_there() -> None:
    named = re.findall(r"^Tests: (.+)$", (DEBIAN / "tests/control").read_text("utf-8"), re.M)
    files = {path.name for path in (DEBIAN / "tests").iterdir()} - {"control"}

    assert set(named) == files
    for name in named:
        assert (DEBIAN / "tests" / name).stat().st_mode & 0o111


def _is_clean() -> bool:
    """Whether this is a checkout in which everything is committed."""
    if shutil.which("git") is None:
        return False
    command = ("git", "-c", "safe.directory=*", "status", "--porcelain")
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode == 0 and not done.stdout


@pytest.mark.skipif(shutil.which("dpkg-source") is None, reason="dpkg-source is not installed")
def test_the_source_package_made_twice_is_the_same_bytes(tmp_path: Path) -> None:
    if not _is_clean():
        pytest.skip("needs a checkout in which everything is committed")
    digests = []
    for name in ("first", "second"):
        folder = tmp_path / name
        subprocess.run(
            [sys.executable, str(ROOT / ".ci/debian_package.py"), str(folder)],
            check=True,
            capture_output=True,
            timeout=300,
        )
        files = sorted(path for path in folder.iterdir() if path.is_file())
        digests.append({one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files})

    assert digests[0] == digests[1]
    assert {name.rpartition(".")[2] for name in digests[0]} == {"dsc", "xz"}
