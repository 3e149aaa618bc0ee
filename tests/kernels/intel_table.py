# SPDX-License-Identifier: MIT
"""Prints what Intel's compiler makes of every kernel, for GPUs that need not be here.

    python intel_table.py [Gen8 | Gen9 | Gen11 | Gen12 | Xe-HPG | Xe-HPC ...]

`registers` counts those of 128 that are named; `FMA` is the share of multiply-adds in the block of
instructions that has most of them.
"""

import sys
import tempfile
from pathlib import Path

from intel_compiler import PRODUCTS, Compiled, compile_for

HEAD = "| GPU | kernel | build | SIMD | registers | FMA | private, bytes | spilled, bytes |"


def row(generation: str, compiled: Compiled) -> str:
    """Return one row of the table."""
    file, _, defines = compiled.build.partition(" ")
    density = "" if compiled.fma_share is None else f"{compiled.fma_share:.0%}"
    registers = "" if compiled.registers is None else compiled.registers
    sizes = f"{compiled.simd_width} | {registers} | {density}"
    memory = f"{compiled.private_bytes} | {compiled.spilled_bytes}"
    return f"| {generation} | {file} {compiled.kernel} | {defines} | {sizes} | {memory} |"


def main(generations: list[str]) -> int:
    """Print the table."""
    sys.stdout.write(f"{HEAD}\n|{'---|' * (HEAD.count('|') - 1)}\n")
    for generation in generations:
        with tempfile.TemporaryDirectory() as folder:
            for compiled in compile_for(PRODUCTS[generation], Path(folder)):
                sys.stdout.write(row(generation, compiled) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(PRODUCTS)))
