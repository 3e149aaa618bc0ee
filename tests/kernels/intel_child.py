# SPDX-License-Identifier: MIT
"""Builds all that an Intel GPU would ask for, on an emulated one; a program of its own.

    python intel_child.py FOLDER

The environment says which GPU is emulated (see intel_compiler.py). It prints one JSON object for
each kernel and leaves the binaries in FOLDER.
"""

import ctypes
import json
import sys
from dataclasses import replace
from pathlib import Path

import pyopencl as cl
from asked_for import asked_for

from clprobe.tensor import Limits

# cl_intel_..., table of clGetKernelWorkGroupInfo; pyopencl knows the name but not the type.
_SPILL_MEM_SIZE_INTEL = 0x4109
_XE = 1024


def spilled_bytes(loader: ctypes.CDLL, kernel: cl.Kernel, device: cl.Device) -> int:
    """Return how many bytes of a hardware thread's registers lie in memory."""
    value = ctypes.c_uint64()
    handles = (ctypes.c_void_p(kernel.int_ptr), ctypes.c_void_p(device.int_ptr))
    size = ctypes.c_size_t(ctypes.sizeof(value))
    status = loader.clGetKernelWorkGroupInfo(
        *handles, _SPILL_MEM_SIZE_INTEL, size, ctypes.byref(value), None
    )
    if status:
        raise RuntimeError(f"clGetKernelWorkGroupInfo answers {status}")
    return value.value


def limits_of(device: cl.Device) -> Limits:
    """Return what the device reports, or what a whole one would where its emulation has no size.

    A work-group is 1024 work-items at most; so many fit into an Xe core of 16 execution units or
    more with 8 threads each, of 8 work-items each. NEO emulates some GPUs without any such units.

    **Source** compute-runtime, shared/source/device/device_caps.cpp (maxWorkGroupSize) and
    shared/source/xe_hpg_core/hw_cmds_dg2.h (threadsPerEu, maxEuPerSubslice)
    """
    limits = Limits.of(device)
    if limits.max_work_group_size > 1:
        return limits
    return replace(limits, max_work_group_size=_XE, max_work_item_sizes=(_XE, _XE, _XE))


def main(folder: Path) -> int:
    """Build and report."""
    (device,) = cl.get_platforms()[0].get_devices()
    loader = ctypes.CDLL("libOpenCL.so.1")
    asked = asked_for(device, limits_of(device), really=True)
    for index, (build, kernels) in enumerate(sorted(asked.builds.items())):
        binary = folder / f"{index}.bin"
        for name, kernel in kernels.items():
            binary.write_bytes(kernel.program.get_info(cl.program_info.BINARIES)[0])
            sizes = cl.kernel_sub_group_info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE
            private = cl.kernel_work_group_info.PRIVATE_MEM_SIZE
            found = {
                "build": str(build),
                "kernel": name,
                "binary": str(binary),
                "simd_width": kernel.get_sub_group_info(device, sizes, [32, 1, 1]),
                "private_bytes": kernel.get_work_group_info(private, device),
                "spilled_bytes": spilled_bytes(loader, kernel, device),
            }
            sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
