# SPDX-License-Identifier: MIT
"""Names the target CPU for a PoCL whose LLVM is too old to know this one.

LLVM calls a CPU that it does not know "generic", and PoCL hands that on to clang, which refuses it:
`error: unknown target CPU 'generic'`, so not one kernel builds. The PoCL wheel of PyPI (3.0,
LLVM 14) does so on every AMD CPU since Zen 5. Zen 4 it takes for a Zen 3, which lacks AVX-512; PoCL
then links its functions for AVX-512, which the processor does have, and LLVM aborts: "Cannot
select". PoCL 3.0 has no option or variable for either, so we replace the name inside its device
structure before the first build, in our own process only.

Source: https://github.com/pocl/pocl/issues/1049
"""

import ctypes
import os
import platform
from pathlib import Path

import pyopencl as cl

from clprobe.tensor.limits import said

# Names that build nothing, with the features of the CPUs for which that holds.
_REFUSED = {b"generic\0": set[str](), b"znver3\0": {"avx512f"}}
_LONGEST = max(map(len, _REFUSED))
# The name sits 1824 bytes into PoCL 3.0's structure; a page is room for other builds.
_SEARCHED_BYTES = 4096
_POINTER_BYTES = 8

# Best first: LLVM's name for a CPU with at least these features (LLVM 8 knows all of them).
_CPUS = (
    ("skylake-avx512", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("haswell", {"avx2", "fma", "bmi1", "bmi2", "movbe", "f16c"}),
    ("sandybridge", {"avx", "sse4_2", "popcnt"}),
    ("x86-64", set[str]()),
)

# PoCL keeps the pointer as long as the process lives, so the name must live as long.
_names: dict[str, ctypes.Array[ctypes.c_char]] = {}


def name_target_cpu(device: cl.Device) -> str | None:
    """Return the CPU name that `device` now builds for, or None where nothing was wrong.

    Call it before the device's first build. Only PoCL on x86-64 is touched, and only if its
    device structure holds a name for which nothing builds on this CPU.
    """
    if platform.machine() != "x86_64" or "Portable Computing Language" not in said(
        device.platform, "name"
    ):
        return None
    features = _cpu_features()
    refused = tuple(name for name, having in _REFUSED.items() if having <= features)
    memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        structure = _read(memory, device.int_ptr, _SEARCHED_BYTES)
        for offset in range(0, len(structure) - _POINTER_BYTES + 1, _POINTER_BYTES):
            pointer = int.from_bytes(structure[offset : offset + _POINTER_BYTES], "little")
            if _read(memory, pointer, _LONGEST).startswith(refused):
                name = best_cpu_name(features)
                buffer = _names.setdefault(name, ctypes.create_string_buffer(name.encode()))
                field = ctypes.c_uint64.from_address(device.int_ptr + offset)
                field.value = ctypes.addressof(buffer)
                return name
    finally:
        os.close(memory)
    return None


def best_cpu_name(features: set[str]) -> str:
    """Return LLVM's name for the best CPU whose instructions `features` all hold."""
    return next(name for name, needed in _CPUS if needed <= features)


def _read(memory: int, address: int, size: int) -> bytes:
    """Read our own memory; an address that is not mapped reads as nothing, it does not crash."""
    try:
        return os.pread(memory, size, address)
    except (OSError, OverflowError):
        return b""


def _cpu_features() -> set[str]:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return set(value.split())
    return set()
