# SPDX-License-Identifier: MIT
"""Where OpenCL implementations lie on this machine, and how a child process is shown one alone."""

import sys
from pathlib import Path

import pyopencl as cl

OCLGRIND = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
INTEL_CPU = Path(sys.prefix, "lib", "libintelocl.so")
RUSTICL = Path("/etc/OpenCL/vendors/rusticl.icd")
POCL = Path("/usr/lib/x86_64-linux-gnu/libpocl.so.2")
NVIDIA = Path("/usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1")
ONLY_RUSTICL = {"OCL_ICD_VENDORS": str(RUSTICL), "RUSTICL_ENABLE": "llvmpipe"}


def wheels_pocl() -> Path | None:
    """Return the PoCL of pyopencl's wheel, if it brings one."""
    return next(iter(sorted(Path(cl.__file__).parent.glob(".libs/libpocl*.so"))), None)


def only(library: Path, folder: Path) -> dict[str, str]:
    """Return an environment in which the loader sees one ICD.

    A file names it, not a folder: with a folder, the PoCL of pyopencl's wheel is found as well.
    """
    icd = folder / "only.icd"
    icd.write_text(f"{library}\n")
    return {"OCL_ICD_VENDORS": str(icd)}
