# SPDX-License-Identifier: MIT
"""What Intel's own compiler makes of the kernels, for GPUs that need not be here.

Intel's runtime emulates a GPU for its developers: it builds kernels, but runs none. `ocloc disasm`
then shows the instructions.

Source: github.com/intel/compute-runtime, shared/source/debug_settings/debug_variables_base.inl
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PRODUCTS = {
    "Gen8": "bdw",
    "Gen9": "skl",
    "Gen11": "icllp",
    "Gen12": "tgllp",
    "Xe-HPG": "dg2",
    "Xe-HPC": "pvc",
}
"""The last is the first one whose smallest sub-groups have 16 lanes, as Xe2's have."""
ICD = Path("/etc/OpenCL/vendors/intel.icd")
COMPILER = ("intel-opencl-icd", "libigc1", "libigdfcl1")
"""Debian's packages of which what is built depends."""
_TESTS = Path(__file__).resolve().parents[1]
_TIME_LIMIT_S = 900
# ocloc asks for this library by the name that only a package for developers has.
_DISASSEMBLER = "libiga64.so"
_LIBRARIES = Path("/usr/lib")
_INSTRUCTION = re.compile(r"^(?:\([^)]*\))?\s+([a-z][\w.]*)\s.*$", re.MULTILINE)
_FLOAT_FMA = re.compile(r"^(?:\([^)]*\))?\s+ma[dc][hm]?\s.*:h?f\b", re.MULTILINE)
_LABEL = re.compile(r"^L\d+:$", re.MULTILINE)
_REGISTER = re.compile(r"\br(\d+)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """One kernel as Intel's compiler built it for one product."""

    build: str
    kernel: str
    simd_width: int
    private_bytes: int
    """Of each work-item: arrays that found no registers."""
    spilled_bytes: int
    """Of each hardware thread."""
    registers: int | None
    """How many are named, of 128; None where nothing disassembles."""
    fma_share: float | None
    """Multiply-adds among all instructions of the block that has most of them."""


def compile_for(product: str, folder: Path, *, disassembled: bool = True) -> list[Compiled]:
    """Build all that this product would ask for; `folder` is empty.

    Not disassembled, which spares one process for each build, it has no registers and shares.

    Raises: RuntimeError
    """
    environment = {
        "NEOReadDebugKeys": "1",
        "SetCommandStreamReceiver": "1",  # write commands to a file, touch no hardware
        "ProductFamilyOverride": product,
        "OCL_ICD_VENDORS": str(ICD),
        "PYTHONPATH": ":".join(map(str, (_TESTS.parent, _TESTS / "tensor", _TESTS / "kernels"))),
    }
    child = subprocess.run(
        [sys.executable, str(_TESTS / "kernels" / "intel_child.py"), str(folder)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=_TIME_LIMIT_S,
        check=False,
    )
    if child.returncode:
        raise RuntimeError(f"{product}: exit status {child.returncode}\n{child.stderr[-2000:]}")

    @cache
    def texts(binary: str) -> dict[str, str]:
        return disassemble(product, Path(binary), folder) if disassembled else {}

    return list(_reports(child.stdout, texts))


def _reports(lines: str, texts: Callable[[str], dict[str, str]]) -> Iterator[Compiled]:
    for line in lines.splitlines():
        found = json.loads(line)
        text = texts(found.pop("binary")).get(found["kernel"])
        yield Compiled(
            **found,
            registers=None if text is None else named_registers(text),
            fma_share=None if text is None else fma_share(text),
        )


def disassemble(product: str, binary: Path, folder: Path) -> dict[str, str]:
    """Return the instructions of each kernel; nothing where ocloc or its library is missing."""
    library = next(_LIBRARIES.glob(f"*/{_DISASSEMBLER}.*"), None)
    if library is None:
        return {}
    link = folder / _DISASSEMBLER
    if not link.exists():
        link.symlink_to(library)
    parts = binary.with_suffix("")
    command = ["ocloc", "disasm", "-file", str(binary), "-device", product, "-dump", str(parts)]
    try:
        subprocess.run(
            command,
            env=os.environ | {"LD_LIBRARY_PATH": str(folder)},
            capture_output=True,
            timeout=60,
            check=True,
        )
    except FileNotFoundError:
        return {}
    return {
        path.name.removesuffix("_KernelHeap.asm"): path.read_text()
        for path in parts.glob("*_KernelHeap.asm")
    }


def named_registers(text: str) -> int:
    """Return how many general registers the instructions name."""
    return len(set(_REGISTER.findall(text)))


def fma_share(text: str) -> float:
    """Return the share of float multiply-adds in the basic block that has most of them."""
    blocks = [
        (len(_FLOAT_FMA.findall(block)), len(_INSTRUCTION.findall(block)))
        for block in _LABEL.split(text)
    ]
    most, instructions = max(blocks, key=lambda block: (block[0], -block[1]))
    return most / instructions if most else 0.0
