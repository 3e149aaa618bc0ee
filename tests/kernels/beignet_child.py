# SPDX-License-Identifier: MIT
"""Compiles one OpenCL C source with Beignet's compiler; a program of its own, for it may be killed.

    python beignet_child.py LIBGBE PCI-DEVICE-ID OPTIONS < source

The compiler half of Beignet needs no GPU. It prints one line for each kernel, with SIMD width and
the bytes of scratch memory (spills and private arrays) of a work-item; or the build log, and then
exits with 1.

Source: Beignet 1.3.2, backend/src/backend/program.h
"""

import ctypes
import sys
from pathlib import Path

_LOG_BYTES = 1 << 16


class Compiler:
    """The functions of libgbe, which it exports as pointers to functions."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)

    def build(self, pci_device_id: int, source: bytes, options: str) -> tuple[int | None, str]:
        """Return the program, None where it does not build, and the log."""
        types = (ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p)
        build = self._function(
            "program_new_from_source", ctypes.c_void_p, *types, ctypes.c_char_p, ctypes.c_void_p
        )
        log = ctypes.create_string_buffer(_LOG_BYTES)
        used = ctypes.c_size_t()
        at = (ctypes.cast(log, ctypes.c_char_p), ctypes.byref(used))
        program = build(pci_device_id, source, _LOG_BYTES, options.encode(), *at)
        return program, log.value.decode(errors="replace")

    def kernels(self, program: int) -> list[tuple[str, int, int]]:
        """Return name, SIMD width and bytes of scratch memory of each kernel."""
        count = self._function("program_get_kernel_num", ctypes.c_uint32, ctypes.c_void_p)
        types = (ctypes.c_void_p, ctypes.c_uint32)
        kernel_of = self._function("program_get_kernel", ctypes.c_void_p, *types)
        name = self._function("kernel_get_name", ctypes.c_char_p, ctypes.c_void_p)
        width = self._function("kernel_get_simd_width", ctypes.c_uint32, ctypes.c_void_p)
        scratch = self._function("kernel_get_scratch_size", ctypes.c_int32, ctypes.c_void_p)
        found = (kernel_of(program, index) for index in range(count(program)))
        return [(name(kernel).decode(), width(kernel), scratch(kernel)) for kernel in found]

    def _function(self, name: str, result: object, *types: object) -> "ctypes._FuncPointer":
        pointer = ctypes.c_void_p.in_dll(self._library, f"gbe_{name}").value
        return ctypes.CFUNCTYPE(result, *types)(pointer)


def main(library: str, pci_device_id: str, options: str) -> int:
    """Build what comes in and print what came of it."""
    compiler = Compiler(Path(library))
    program, log = compiler.build(int(pci_device_id, 16), sys.stdin.buffer.read(), options)
    if not program:
        sys.stdout.write(log)
        return 1
    for name, width, scratch in compiler.kernels(program):
        sys.stdout.write(f"{name} {width} {scratch}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
