# SPDX-License-Identifier: MIT
"""Sets clprobe up in a fresh clone and runs the demonstration or the tests.

    python3 .ci/bootstrap.py demo     doctor, then a quick bench on the embedded PoCL device
    python3 .ci/bootstrap.py test     linters, types and the whole test suite

Needs Python 3.10 or newer and nothing else. Everything goes into .venv in this folder. Only where
Python lacks its venv module (Debian, Ubuntu) or there is no C compiler, whose linker and libraries
PoCL needs to make code of kernels, does it install python3-venv, gcc and libc6-dev; it must then be
run as root or by a user whose sudo asks for no password.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
INSTALL_TIMEOUT_S = 1800
RUN_TIMEOUT_S = 3600
OLDEST_PIP_WITH_GROUPS = "25.1"

DEMO = (
    # A machine with a broken driver is what doctor is for, so its verdict must not end the demo.
    ("clprobe", "doctor", "--exit-zero"),
    ("clprobe", "bench", "--quick", "--device", "Portable Computing Language"),
)
TESTS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy",),
    # In order, for the first folder takes longest; tests/conftest.py says what stays together.
    ("pytest", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not alone"),
    ("pytest", "-m", "alone"),
)


def main() -> int:
    """Set up, then run each command; the first failure ends it with its status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("demo", "test"))
    task = parser.parse_args().task
    if sys.version_info < (3, 10):  # noqa: UP036 - this very script runs on any Python
        sys.exit(f"clprobe needs Python 3.10 or newer; this is {sys.version.split()[0]}.")
    create_environment()
    if task == "demo":
        pip("install", "-e", ".[bench]")
        commands = DEMO
    else:
        # Dependency groups need a newer pip than Debian 12 brings along.
        pip("install", f"pip>={OLDEST_PIP_WITH_GROUPS}")
        pip("install", "-e", ".[bench]", "--group", "dev")
        commands = TESTS
    for command in commands:
        print("+", *command, file=sys.stderr, flush=True)  # noqa: T201 - progress
        program = [str(VENV / "bin" / command[0]), *command[1:]]
        status = subprocess.run(program, cwd=ROOT, timeout=RUN_TIMEOUT_S, check=False).returncode
        if status:
            return status
    return 0


def create_environment() -> None:
    """Create .venv unless it is there already."""
    missing = []
    if not PYTHON.exists() and importlib.util.find_spec("ensurepip") is None:
        missing.append("python3-venv")
    if shutil.which("gcc") is None:
        missing += ["gcc", "libc6-dev"]
    if missing:
        install_packages(missing)
    if not PYTHON.exists():
        command = [sys.executable, "-m", "venv", str(VENV)]
        subprocess.run(command, check=True, timeout=INSTALL_TIMEOUT_S)


def install_packages(names: list[str]) -> None:
    """Install distribution packages with apt-get, or say what to install."""
    wanted = " ".join(names)
    apt = shutil.which("apt-get")
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if apt is None or (prefix and shutil.which("sudo") is None):
        sys.exit(f"Install these first, named as Debian does: {wanted}")
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *names]):
        command = [*prefix, apt, "-qq", *arguments]
        result = subprocess.run(
            command, check=False, timeout=INSTALL_TIMEOUT_S, stdout=subprocess.DEVNULL
        )
        if result.returncode:
            sys.exit(f"That failed; run it yourself: sudo apt-get install {wanted}")


def pip(*arguments: str) -> None:
    """Run the environment's own pip, quietly."""
    subprocess.run(
        [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "-q", *arguments],
        cwd=ROOT,
        check=True,
        timeout=INSTALL_TIMEOUT_S,
    )


if __name__ == "__main__":
    sys.exit(main())
