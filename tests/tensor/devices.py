# SPDX-License-Identifier: MIT
"""The OpenCL devices of this process, and why one of them builds nothing."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pyopencl as cl

from clprobe.tensor import Device, Limits
from clprobe.tensor.binary_cache import BinaryCache
from clprobe.tensor.pocl_target import name_target_cpu
from clprobe.tensor.program import first_errors

TRIVIAL = "kernel void nothing(global int *x) { x[0] = 0; }"


def visible() -> list[cl.Device]:
    """Return every device that the ICD loader finds."""
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # no ICD at all is an error to the loader
        return []
    return [device for platform in platforms for device in _devices_of(platform)]


def label(device: cl.Device) -> str:
    """Return a name that also tells two versions of one runtime apart."""
    version = device.platform.version.split()
    return "-".join([device.platform.name, *version[2:4], device.name]).replace(" ", "-")


def why_broken(device: cl.Device) -> str:
    """Return why the device builds not even an empty kernel; nothing if it does."""
    name_target_cpu(device)  # as Device.open does
    try:
        with warnings.catch_warnings():
            # Some compilers greet every build with a log.
            warnings.simplefilter("ignore", cl.CompilerWarning)
            cl.Program(cl.Context([device]), TRIVIAL).build(cache_dir=False)
    except cl.Error as error:
        return f"{label(device)} builds nothing: {'; '.join(first_errors(str(error)))}"
    return ""


def views(cl_devices: Iterable[cl.Device]) -> Iterator[tuple[cl.Device, bool]]:
    """Yield devices and whether each poses as the other kind, CPU or GPU.

    Kernels of both kinds run everywhere: the only device of its kind appears twice, two or more
    take turns. (test_implementations.py runs each operation in both kinds on each implementation,
    but for rusticl, on which no kernel for CPUs is ever chosen.)
    """
    of_kind: dict[bool, list[cl.Device]] = {}
    for device in cl_devices:
        of_kind.setdefault(Limits.of(device).is_cpu, []).append(device)
    for alike in of_kind.values():
        for index, device in enumerate(alike):
            yield device, index % 2 == 1
        if len(alike) == 1:
            yield alike[0], True


def limits(device: cl.Device, as_other_kind: bool) -> Limits:
    """Return what the device can do, as the kind it is or as the other."""
    own = Limits.of(device)
    return replace(own, is_cpu=not own.is_cpu) if as_other_kind else own


def opened(device: cl.Device, as_other_kind: bool) -> Device:
    """Return the device opened for work, as the kind it is or as the other."""
    return Device.open(device, limits=limits(device, as_other_kind), cache=BinaryCache(None))


def _devices_of(platform: cl.Platform) -> list[cl.Device]:
    try:
        return list(platform.get_devices())
    except cl.Error:  # a platform without devices is an error, too
        return []
