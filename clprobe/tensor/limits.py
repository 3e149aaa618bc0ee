# SPDX-License-Identifier: MIT
"""What a device says of itself; every work-group and local size is chosen from its limits."""

from dataclasses import dataclass

import pyopencl as cl

_SUB_GROUPS = {"cl_intel_subgroups", "cl_intel_required_subgroup_size"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one device, as it reports them (or as a test pretends)."""

    max_work_group_size: int
    max_work_item_sizes: tuple[int, int, int]
    local_memory_bytes: int
    global_memory_bytes: int
    max_allocation_bytes: int
    compute_units: int
    native_vector_width: int
    """Floats in a vector register; 1 on most GPUs."""
    is_cpu: bool
    """Whether kernels for CPUs suit it, in which one work-item fills the vectors by itself. Not so
    llvmpipe: a CPU that puts one work-item in each lane of its vectors, as GPUs do, and says so by
    a native vector width of 1. There, kernels for GPUs build ten times as fast and run twice so."""
    vendor_id: int = 0
    """The PCI id of the vendor for GPUs: 0x8086 is Intel, 0x10de NVIDIA, 0x1002 AMD."""
    sub_groups: bool = False
    """Whether kernels may ask for sub-groups of a size, which read blocks and exchange values."""
    host_unified: bool = False
    """Whether device and host share memory, so that mapping a buffer need not copy it."""

    @classmethod
    def of(cls, device: cl.Device) -> "Limits":
        """Ask the device.

        **Source** OpenCL 1.2 specification, table 4.3.
        """
        # Intel's driver reports 0 for DG2 without hardware; the standard's least is 1.
        x, y, z = (max(1, size) for size in device.max_work_item_sizes[:3])
        return cls(
            max_work_group_size=max(1, device.max_work_group_size),
            max_work_item_sizes=(x, y, z),
            local_memory_bytes=device.local_mem_size,
            global_memory_bytes=device.global_mem_size,
            max_allocation_bytes=device.max_mem_alloc_size,
            compute_units=device.max_compute_units,
            native_vector_width=device.native_vector_width_float,
            is_cpu=bool(device.type & cl.device_type.CPU) and device.native_vector_width_float > 1,
            vendor_id=device.vendor_id,
            sub_groups=set(device.extensions.split()) >= _SUB_GROUPS,
            host_unified=bool(device.host_unified_memory),
        )


def said(thing: "cl.Device | cl.Platform", attribute: str) -> str:
    """Return a text such as `name` of a device or platform, with � for bytes that are no UTF-8.

    pyopencl decodes strictly, though a driver may say what it likes.
    """
    try:
        return str(getattr(thing, attribute))
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "replace")
