# SPDX-License-Identifier: MIT
"""What .ci/bootstrap.py does on machines that lack something; gcc, apt-get and sudo are made up."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BOOTSTRAP = Path(__file__).resolve().parent.parent / ".ci" / "bootstrap.py"
LINKS = "exit 0"
DOES_NOT_LINK = "echo 'cannot find -lc' >&2; exit 1"
AS_ROOT = 'shift; exec "$@"'  # sudo -n COMMAND
# apt-get asks as debconf would, so that a question that nobody sees would be noticed.
FAILS = """
echo "frontend $DEBIAN_FRONTEND"; read answer && echo asked
echo "E: no such mirror"; exit 100"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with nothing in it but the script, and an environment without pip."""
    script = tmp_path / "clone" / ".ci" / "bootstrap.py"
    script.parent.mkdir(parents=True)
    shutil.copy(BOOTSTRAP, script)
    python = tmp_path / "clone" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 'no index here'; exit 7\n")
    python.chmod(0o755)
    return tmp_path / "clone"


def demo(clone: Path, **programs: str) -> "subprocess.CompletedProcess[str]":
    """Run the demo with these programs, and those that the system's own folders hold of others."""
    folder = clone.parent / "programs"
    folder.mkdir()
    for name, code in programs.items():
        (folder / name.replace("_", "-")).write_text(f"#!/bin/sh\n{code}\n")
        (folder / name.replace("_", "-")).chmod(0o755)
    for name in ("env", "sh"):
        (folder / name).symlink_to(shutil.which(name))
    return subprocess.run(
        [sys.executable, clone / ".ci" / "bootstrap.py", "demo"],
        env={"PATH": str(folder), "HOME": str(clone.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )


def test_without_a_compiler_it_says_what_it_installs_and_shows_why_that_failed(
    clone: Path,
) -> None:
    done = demo(clone, apt_get=FAILS, sudo=AS_ROOT)

    assert done.returncode == 1
    assert done.stdout.startswith("installing gcc libc6-dev with apt-get\n")
    assert "frontend noninteractive" in done.stdout
    assert "asked" not in done.stdout
    assert "E: no such mirror" in done.stdout
    assert "apt-get install --no-install-recommends gcc libc6-dev" in done.stdout


def test_a_compiler_that_cannot_link_lacks_the_files_of_the_c_library(clone: Path) -> None:
    done = demo(clone, gcc=DOES_NOT_LINK, apt_get=FAILS, sudo=AS_ROOT)

    assert done.returncode == 1
    assert done.stdout.startswith("installing libc6-dev with apt-get\n")


def test_without_apt_it_names_what_is_missing(clone: Path) -> None:
    done = demo(clone, gcc=DOES_NOT_LINK)

    assert done.returncode == 1
    assert done.stdout.startswith("Missing, named as Debian does: libc6-dev.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root needs no sudo; run as an ordinary user")
def test_without_sudo_it_says_what_root_has_to_run(clone: Path) -> None:
    done = demo(clone, apt_get=FAILS)

    assert done.returncode == 1
    assert "apt-get install --no-install-recommends gcc libc6-dev" in done.stdout
    assert "installing" not in done.stdout


def test_a_stage_that_fails_shows_what_it_printed(clone: Path) -> None:
    done = demo(clone, gcc=LINKS)

    assert done.returncode == 1
    assert "no index here" in done.stdout
    assert "into .venv: failed with exit status 7" in done.stdout
