# SPDX-License-Identifier: MIT
"""What platforms and devices are asked, by OpenCL's numbers.

Part of the child (opencl_worker.py): nothing but the standard library.
"""

MOST_OBJECTS = 64  # asked of each answer; no machine has more platforms or devices than that
PLATFORM_TEXTS = {"name": 0x0902, "vendor": 0x0903, "version": 0x0901, "icd_suffix": 0x0920}

# In the order asked: should a later one crash the driver, the earlier answers are kept.
DEVICE_TEXTS = {
    "name": 0x102B,
    "vendor": 0x102C,
    "driver_version": 0x102D,
    "opencl_version": 0x102F,
    "opencl_c_version": 0x103D,
    "extensions": 0x1030,
}
DEVICE_NUMBERS = {
    "type": 0x1000,
    "vendor_id": 0x1001,
    "compute_units": 0x1002,
    "max_work_group_size": 0x1004,
    "max_clock_mhz": 0x100C,
    "address_bits": 0x100D,
    "max_allocation_bytes": 0x1010,
    "global_memory_bytes": 0x101F,
    "local_memory_type": 0x1022,
    "local_memory_bytes": 0x1023,
    "available": 0x1027,
    "compiler_available": 0x1028,
    "image_support": 0x1016,
}
# Raw answers, kept as hex, that only drivers with the named extension may be asked for: others
# are free to do anything with a code that they do not know.
DEVICE_EXTRAS = {
    "pci_bus_info": (0x410F, "cl_khr_pci_bus_info"),
    "nv_pci_bus": (0x4008, "cl_nv_device_attribute_query"),
    "nv_pci_slot": (0x4009, "cl_nv_device_attribute_query"),
    "nv_pci_domain": (0x400A, "cl_nv_device_attribute_query"),
    "nv_warp_size": (0x4003, "cl_nv_device_attribute_query"),
    "amd_topology": (0x4037, "cl_amd_device_attribute_query"),
    "amd_wavefront_width": (0x4043, "cl_amd_device_attribute_query"),
    "intel_ip_version": (0x4250, "cl_intel_device_attribute_query"),
    "intel_device_id": (0x4251, "cl_intel_device_attribute_query"),
    "sub_group_sizes": (0x4108, "cl_intel_required_subgroup_size"),
    "double_fp_config": (0x1032, "cl_khr_fp64"),
    "half_fp_config": (0x1033, "cl_khr_fp16"),
}
# Numbers that came with a version of OpenCL: the same holds for devices of earlier ones.
DEVICE_NUMBERS_SINCE = {"max_sub_groups": (0x105C, (2, 1))}

_LONGEST_IDENTITY = 240  # a file name has 255 bytes


def version_in(text: str) -> tuple[int, int] | None:
    """Return the version of "OpenCL 3.0 NEO"; None where the text tells none."""
    words = text.split()
    major, _, minor = words[1].partition(".") if len(words) > 1 else ("", "", "")
    if words[:1] != ["OpenCL"] or not (major.isdecimal() and minor.isdecimal()):
        return None
    return int(major[:4]), int(minor[:4])


def identity(name: str, driver_version: str) -> str:
    """Return a file name that tells one device from another, and one driver from the next."""
    return f"{name}/{driver_version}".encode().hex()[:_LONGEST_IDENTITY]
