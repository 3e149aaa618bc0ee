# SPDX-License-Identifier: MIT
"""Prints for programs which interfaces they ask for, beside what the table of programs says.

    PYTHONPATH=tests/systems:tests/icds python tests/watch/program_table.py [--install] [PROGRAM…]

Each entry of what_programs_load.yaml is a row: what clprobe saw, what the dynamic linker logged,
and what is wrong. --install first installs all its packages (7 GB), so run it in a Debian 12 that
may be spoilt, such as a bare one in a folder: debootstrap, with this working tree mounted. Wheels
are those of the Python that CLPROBE_PYTHON_FOR_ALL names.

Figures of 2026-11-27: 47 of 47 runs of 43 programs as told in a Debian 12 with all its packages;
8 of 8 of programs from PyPI.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from what_programs_load import Case, cases, lacking, look, python_of_user

from clprobe.knowledge.tables import Tables

_BESIDES = ("pocl-opencl-icd", "mesa-vulkan-drivers")
"""A driver each for OpenCL and Vulkan."""


def main(words: list[str]) -> int:
    """Print the rows; return 1 if something disagrees."""
    python = python_of_user()
    if python is None:
        sys.exit("needs a Python with clprobe that any user may run")
    if "--install" in words:
        _install()
    named = [word for word in words if not word.startswith("-")]
    chosen = [case for case in cases() if not named or case.told["program"] in named]
    tables = Tables.load()
    right = wrong = 0
    programs = set()
    sys.stdout.write("| program | clprobe | linker | says |\n|---|---|---|---|\n")
    for case in chosen:
        if (lacks := lacking(case, python)) is not None:
            sys.stdout.write(f"| {case.name} | | | left out: needs {lacks} |\n")
            continue
        seen, mistakes = _row(case, tables, python)
        right, wrong = right + (not mistakes), wrong + bool(mistakes)
        programs.add(case.told["program"])
        says = "; ".join(mistakes) or "as the table says"
        sys.stdout.write(f"| {case.name} | {seen} | {says} |\n")
        sys.stdout.flush()
    sys.stdout.write(f"{right} of {right + wrong} runs of {len(programs)} programs as told\n")
    return 1 if wrong else 0


def _row(case: Case, tables: Tables, python: str) -> tuple[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        seen = look(case, Path(folder), python)
    cells = f"{', '.join(sorted(seen.by_clprobe)) or 'none'} | {seen.told() or 'none'}"
    return cells, seen.mistakes(case, tables.program(case.told["program"]))


def _install() -> None:
    packages = {case.told["package"] for case in cases() if "package" in case.told}
    own = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ("apt-get", "install", "--yes", "--no-install-recommends")
    subprocess.run([*command, *sorted(packages), *_BESIDES], env=own, check=True, timeout=7200)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
