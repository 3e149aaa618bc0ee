# SPDX-License-Identifier: MIT
"""Devices of this machine's implementations: what clprobe's child learns, what a program finds.

`python tests/needs/needs_devices.py` asks all of them anew and writes needs_devices.json.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import msgspec

sys.path.append(str(Path(__file__).resolve().parent.parent / "icds"))
from implementations import INTEL_CPU, OCLGRIND, POCL, RUSTICL, only, wheels_pocl
from loader_answer import live_answer

from clprobe.model.opencl import Answer

RECORDED = Path(__file__).with_suffix(".json")
SECONDS = 120
NEO = Path("/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so")
GENERATIONS = {
    "bdw": "Gen8", "skl": "Gen9", "kbl": "Gen9.5", "glk": "Gen9.5", "cfl": "Gen9.5",
    "bxt": "Gen9", "icllp": "Gen11", "ehl": "Gen11", "lkf": "Gen11", "tgllp": "Gen12/Xe-LP",
    "rkl": "Gen12/Xe-LP", "adls": "Gen12/Xe-LP", "adlp": "Gen12/Xe-LP", "dg1": "Gen12/Xe-LP",
    "dg2": "Xe-HPG", "pvc": "Xe-HPC",
}  # fmt: skip
_PLAYED = {"NEOReadDebugKeys": "1", "SetCommandStreamReceiver": "1"}
_STEERING = ("OCL_", "OPENCL_", "POCL_", "RUSTICL_", "NEO", "LD_", "OCLGRIND_", "Product")
_PROGRAM = Path(__file__).with_name("needs_program.py")


class Asked(NamedTuple):
    """An implementation: what clprobe learned of it, and what the program found."""

    answer: Answer
    found: list[dict]


def implementations() -> dict[str, tuple[Path, dict[str, str]]]:
    """Return the library and the variables of each implementation that is there."""
    pocl = wheels_pocl()
    known = {
        "debian-pocl": (POCL, {"POCL_DEVICES": "basic pthread"}),
        "intel-cpu": (INTEL_CPU, {}),
        "oclgrind": (OCLGRIND, {}),
    }
    if pocl is not None:
        known["wheels-pocl"] = (pocl, {})
    if RUSTICL.is_file():
        library = Path("/usr/lib/x86_64-linux-gnu", RUSTICL.read_text().strip())
        known["rusticl"] = (library, {"RUSTICL_ENABLE": "llvmpipe"})
    for family in GENERATIONS:
        known[f"neo-{family}"] = (NEO, {**_PLAYED, "ProductFamilyOverride": family})
    return {name: one for name, one in known.items() if one[0].exists()}


def ask(name: str) -> Asked:
    """Ask an implementation by clprobe's child and by the program."""
    library, variables = implementations()[name]
    with tempfile.TemporaryDirectory() as folder:
        kept = {key: text for key, text in os.environ.items() if not key.startswith(_STEERING)}
        environment = {**kept, **variables, **only(library, Path(folder)), "PYOPENCL_NO_CACHE": "1"}
        answer = live_answer(environment, SECONDS)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", _PROGRAM],
            env=environment, capture_output=True, text=True, timeout=SECONDS, check=True,
        )  # fmt: skip
    return Asked(answer, json.loads(done.stdout))


def recorded() -> dict[str, Asked]:
    """Return what all implementations answered when they were last asked."""
    data = json.loads(RECORDED.read_text("utf-8"))
    return {
        name: Asked(msgspec.convert(one["answer"], Answer), one["found"])
        for name, one in data.items()
    }


def main() -> None:
    """Ask all of them and keep the answers."""
    asked = {name: ask(name) for name in implementations()}
    data = {
        name: {"answer": msgspec.to_builtins(one.answer), "found": one.found}
        for name, one in asked.items()
    }
    lines = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in data.items())
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
