# SPDX-License-Identifier: MIT
"""The oracle: a program of its own that asks OpenCL by PyOpenCL and builds kernels, then tells.

Run by path in an environment that shows one implementation; prints a JSON list of devices.
"""

import json
import sys

import pyopencl as cl

_HALF = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *a) { a[0] = a[0] * (half)2; }"""
_DOUBLE = """#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k(global double *a) { a[0] = a[0] * 2.0; }"""
_SUBGROUPS = """#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global int *a) { a[0] = get_sub_group_size(); }"""
_IMAGES = """kernel void k(read_only image2d_t i, sampler_t s, global float4 *a) {
    a[0] = read_imagef(i, s, (int2)(0, 0)); }"""
_PLAIN = "kernel void k(global int *a) { a[get_global_id(0)] = 7 * get_global_id(0); }"
_MAX_NUM_SUB_GROUPS = 0x105C
_SIZED = """__attribute__((intel_reqd_sub_group_size({})))
kernel void k(global int *a) {{ a[get_global_id(0)] = get_sub_group_size(); }}"""
_LANGUAGES = ("1.1", "1.2", "2.0", "3.0")


def main() -> None:
    """Print what each device says, and what it builds."""
    devices = [one for platform in cl.get_platforms() for one in platform.get_devices()]
    json.dump([told(device) for device in devices], sys.stdout)


def told(device: cl.Device) -> dict:
    """Return the answers of one device, and which kernels it builds."""
    context = cl.Context([device])
    return {
        "platform": device.platform.name,
        "name": device.name,
        "vendor": device.vendor,
        "driver": device.driver_version,
        "version": device.version,
        "extensions": device.extensions.split(),
        "global_memory": device.global_mem_size,
        "buffer": device.max_mem_alloc_size,
        "local_memory": device.local_mem_size,
        "units": device.max_compute_units,
        "work_group": device.max_work_group_size,
        "images": bool(device.image_support) and builds(context, _IMAGES),
        "sub_groups": asked(device, _MAX_NUM_SUB_GROUPS),
        "sized": [size for size in (8, 16, 32) if builds(context, _SIZED.format(size))],
        "half": builds(context, _HALF),
        "double": builds(context, _DOUBLE),
        "subgroups": builds(context, _SUBGROUPS) or builds(context, _SUBGROUPS, "3.0"),
        "languages": [one for one in _LANGUAGES if builds(context, _PLAIN, one)],
        "builds": builds(context, _PLAIN),
    }


def builds(context: cl.Context, source: str, language: str | None = None) -> bool:
    """Return whether the device's compiler takes a kernel."""
    try:
        cl.Program(context, source).build([f"-cl-std=CL{language}"] if language else [])
    except cl.Error:
        return False
    return True


def asked(device: cl.Device, code: int) -> object:
    """Return a number that not every device tells; None: this one does not."""
    try:
        return device.get_info(code)
    except cl.Error:
        return None


if __name__ == "__main__":
    main()
