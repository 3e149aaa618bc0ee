# SPDX-License-Identifier: MIT
"""What a process told of itself beside its libraries: limits, folders, what it asked devices."""

import os
import resource
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from clprobe.model.unknown import Fact, Unknown
from clprobe.watch.actor import is_wrapper
from clprobe.watch.links import Links
from clprobe.watch.privileged import given_variables, holds_loaders_name

_LIMITS = {
    "nofile": resource.RLIMIT_NOFILE,
    "nproc": resource.RLIMIT_NPROC,
    "data": resource.RLIMIT_DATA,
    "stack": resource.RLIMIT_STACK,
}
_CACHES = ("POCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
"""https://github.com/pocl/pocl/blob/main/lib/CL/pocl_cache.c asks them in this order."""
# https://registry.khronos.org/OpenCL/api/3.0/CL/cl.h
_ALL_TYPES = 0xFFFFFFFF
_TYPES = ((1, "default"), (2, "cpu"), (4, "gpu"), (8, "accelerator"), (16, "custom"))
_PROPERTIES = {
    0x1000: "type",
    0x1001: "vendor id",
    0x102C: "vendor",
    0x102B: "name",
    0x102F: "version",
    0x102D: "driver version",
    0x103D: "OpenCL C version",
    0x1030: "extensions",
    0x1002: "compute units",
    0x1004: "work-group size",
    0x100C: "clock",
    0x1010: "largest allocation",
    0x101F: "global memory",
    0x1023: "local memory",
    0x1016: "images",
    0x1027: "availability",
    0x1028: "compiler",
    0x1032: "double precision",
    0x1033: "half precision",
    0x1035: "memory shared with the processor",
    0x1053: "shared virtual memory",
    0x105B: "intermediate language",
}


def lower_limits(trace: Links | None, why_not: str) -> Fact[tuple[str, ...]]:
    """Return the limits that are lower in the program than in our own process."""
    if trace is None:
        return Unknown(why_not)
    found = []
    for name, number in _LIMITS.items():
        own = resource.getrlimit(number)[0]
        its = trace.limits.get(name)
        if its is not None and (own == resource.RLIM_INFINITY or its < own):
            found.append(f"{name} {its}")
    return tuple(found)


def closed_folders(trace: Links | None, why_not: str) -> Fact[tuple[str, ...]]:
    """Return the variables whose folders it may not write to, with the errno's name.

    Of those that name a folder for caches the first one that is set counts, as it does for drivers.
    """
    if trace is None:
        return Unknown(why_not)
    deciding = next((name for name in _CACHES if trace.environment.get(name)), None)
    return tuple(
        f"{name} {error}"
        for name, error in trace.closed_folders.items()
        if name == deciding or name not in _CACHES
    )


def asked_properties(traces: Iterable[Links]) -> tuple[str, ...]:
    """Return in words what was asked of devices; what has none here does not choose them."""
    numbers = (number for one in traces for number in one.properties)
    return tuple(dict.fromkeys(_PROPERTIES[one] for one in numbers if one in _PROPERTIES))


def types_of(asked: Iterable[tuple[int, int]], *, refused: bool) -> tuple[str, ...]:
    """Return the types of devices that were asked for in vain, or not."""
    all_bits = (bits for bits, code in asked if (code != 0) is refused)
    return tuple(dict.fromkeys(name for bits in all_bits for name in _names_of(bits)))


def _names_of(bits: int) -> tuple[str, ...]:
    """Return the types that the bits of CL_DEVICE_TYPE name."""
    if bits & _ALL_TYPES == _ALL_TYPES:
        return ("all",)
    return tuple(name for bit, name in _TYPES if bits & bit)


def variables_before(
    traces: Iterable[Links], actor: int, own: Links | None, shell: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables of all that led to the program: the shell, and what started it.

    The first value counts, which is what a person gave.
    """
    led = (
        one for one in traces if one is not own and (one.pid == actor or is_wrapper(one.program))
    )
    found = dict(_set_in(shell))
    for one in led:
        given = given_variables(one.argv) if Path(one.program).name == "env" else ()
        found = {**dict(given), **dict(_set_in(one.environment)), **found}
    return found


def _set_in(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, value in environment.items() if value)


def names_loader(path: Fact[str]) -> Fact[bool]:
    """Return whether a program's file holds a loader's name, as one does that opens it itself."""
    if isinstance(path, Unknown):
        return path
    try:
        with open(path, "rb"):  # noqa: PTH123 - as in sight.py
            return holds_loaders_name(path)
    except OSError as error:
        return Unknown(f"{path} cannot be read: {os.strerror(error.errno or 0)}")
