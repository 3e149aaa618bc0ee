# SPDX-License-Identifier: MIT
"""Sets clprobe up in a fresh clone and runs the demonstration or the tests.

    python3 .ci/bootstrap.py demo     doctor, then a quick bench on the embedded PoCL device
    python3 .ci/bootstrap.py test     linters, types and the test suite
    python3 .ci/bootstrap.py test --archives    and the tables against Debian's and Intel's packages

Needs Python 3.10 or newer and nothing else. Everything goes into .venv in this folder. Only where
Python lacks its venv module (Debian, Ubuntu) or no C compiler links, whose linker and libraries
PoCL needs to make code of kernels, does it install python3-venv, gcc and libc6-dev; it must then be
run as root or by a user whose sudo asks for no password. It says so before it does, and asks
nothing.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
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
LINTERS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy",),
)
# In order: tests/conftest.py puts first what takes longest, and says what stays together.
# Three, for tests that wait for a driver or for apt leave one of two cores idle.
SHARED = ("pytest", "-n", "3", "--dist", "loadfile", "--no-loadscope-reorder", "-m")
ALONE = ("pytest", "-m", "alone")
EMPTY_PROGRAM = "int main(void) { return 0; }\n"


def main() -> int:
    """Set up, then run each command; the first failure ends it with its status."""
    # Tests run clprobe some thousand times: modules that it compiles anew each time, where an
    # environment forbids to keep them, cost a fifth of it.
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("demo", "test"))
    parser.add_argument(
        "--archives",
        action="store_true",
        help="with test: also compare clprobe's tables with the packages of Debian, Intel and PyPI,"
        " some 450 MB to download",
    )
    options = parser.parse_args()
    task = options.task
    if sys.version_info < (3, 10):  # noqa: UP036 - this very script runs on any Python
        sys.exit(f"clprobe needs Python 3.10 or newer; this is {sys.version.split()[0]}.")
    create_environment()
    if task == "demo":
        pip("clprobe and what bench needs", "-e", ".[bench]")
        commands = DEMO
    else:
        # Dependency groups need a newer pip than Debian 12 brings along.
        pip("a newer pip", f"pip>={OLDEST_PIP_WITH_GROUPS}")
        pip("clprobe and what its tests need", "-e", ".[bench]", "--group", "dev")
        # What archives hold changes without clprobe: whoever changes clprobe need not wait for it.
        chosen = "not alone" if options.archives else "not alone and not reality"
        commands = (*LINTERS, (*SHARED, chosen), ALONE)
    return run_all(commands)


def say(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - progress


def create_environment() -> None:
    """Create .venv unless it is there already."""
    missing = []
    if not PYTHON.exists() and importlib.util.find_spec("ensurepip") is None:
        missing.append("python3-venv")
    if shutil.which("gcc") is None:
        missing += ["gcc", "libc6-dev"]
    elif not links():
        missing.append("libc6-dev")
    if missing:
        install_packages(missing)
    if not PYTHON.exists():
        run_stage(f"making {VENV}", [sys.executable, "-m", "venv", str(VENV)])


def links() -> bool:
    """Return whether gcc makes a program, which takes a linker and the C library's files."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "empty.c"
        source.write_text(EMPTY_PROGRAM)
        command = ["gcc", str(source), "-o", f"{folder}/empty"]
        done = subprocess.run(command, check=False, timeout=60, capture_output=True)
        return done.returncode == 0


def install_packages(names: list[str]) -> None:
    """Install distribution packages with apt-get, or say what to install."""
    wanted = " ".join(names)
    by_hand = f"apt-get install --no-install-recommends {wanted}"
    apt = shutil.which("apt-get")
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if apt is None:
        sys.exit(f"Missing, named as Debian does: {wanted}. Install these, then run this again.")
    if prefix and shutil.which("sudo") is None:
        sys.exit(f"Missing: {wanted}. Have root run this, then run mine again:\n  {by_hand}")
    say(f"installing {wanted} with apt-get")
    # Nobody sees a question: standard input is closed, and debconf is told to ask none.
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", apt, "-q"]
    remedy = f"Missing: {wanted}. Find out why apt-get fails, or run it yourself:\n  sudo {by_hand}"
    run_stage("apt-get update", [*quiet, "update"], remedy=remedy)
    install = [*quiet, "install", "--yes", "--no-install-recommends", *names]
    run_stage("apt-get install", install, remedy=remedy)


def pip(what: str, *arguments: str) -> None:
    """Install into the environment with its own pip."""
    command = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "-q"]
    run_stage(f"installing {what} into .venv", [*command, "install", *arguments])


def run_stage(name: str, command: list[str], *, remedy: str = "") -> None:
    """Run one command of the set-up and say how long it took; where it fails, what it printed."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            check=False,
            timeout=INSTALL_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        sys.exit(f"{name}: not done after {INSTALL_TIMEOUT_S} s. {remedy}")
    if done.returncode:
        say(done.stdout)
        sys.exit(f"{name}: failed with exit status {done.returncode}. {remedy}")
    say(f"{name}: {time.monotonic() - started:.0f} s")


def run_all(commands: tuple[tuple[str, ...], ...]) -> int:
    """Run commands of the environment up to the first that fails, and sum them up."""
    summary = []
    status = 0
    for command in commands:
        say(f"+ {' '.join(command)}")
        started = time.monotonic()
        status, closing = run(command)
        # pytest's closing line has its counts; a reader of a long log finds all of them at its end.
        end = closing if command[0] == "pytest" else f"exit status {status}"
        summary.append(f"{' '.join(command)}: {time.monotonic() - started:.0f} s, {end}")
        if status:
            break
    say("\n".join(["", *summary]))
    return status


def run(command: tuple[str, ...]) -> tuple[int, str]:
    """Run a command of the environment; return its exit status, and pytest's closing line."""
    program = [str(VENV / "bin" / command[0]), *command[1:]]
    if command[0] != "pytest":
        done = subprocess.run(program, cwd=ROOT, timeout=RUN_TIMEOUT_S, check=False)
        return done.returncode, ""
    closing = ""
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    with subprocess.Popen(
        [*program, *colour], cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None  # noqa: S101 - for the type checker
        over = threading.Timer(RUN_TIMEOUT_S, process.kill)
        over.start()
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            closing = line.strip().strip("=").strip() or closing
        over.cancel()
    return process.returncode, closing


if __name__ == "__main__":
    sys.exit(main())
