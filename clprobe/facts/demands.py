# SPDX-License-Identifier: MIT
"""What a program's table says that it demands of a device, and no device here has."""

import re
from collections.abc import Iterator, Sequence

from clprobe.facts.facts import DeviceFacts
from clprobe.knowledge.program_table import Demand
from clprobe.knowledge.program_table import Program as TableProgram
from clprobe.knowledge.versions import compare
from clprobe.model.unknown import Fact, Unknown

_MIB = 1 << 20
_VERSION = re.compile(r"\d+\.\d+")


def unmet(row: TableProgram | None, devices: Sequence[DeviceFacts]) -> Iterator[str]:
    """Yield in words each demand on OpenCL devices that surely none of these meets."""
    for demand in () if row is None or not devices else row.demands:
        if demand.api == "opencl" and all(_rules_out(demand, one) for one in devices):
            unless = f" (unless {demand.unless})" if demand.unless else ""
            yield f"{demand.because}{unless}"


def _rules_out(demand: Demand, device: DeviceFacts) -> bool:
    """Whether what is known of the device speaks against it."""
    wanted = {*demand.extensions}
    wanted |= {"cl_khr_fp64"} if demand.fp64 else set()
    wanted |= {"cl_khr_fp16"} if demand.fp16 else set()
    memory = device.global_memory_bytes
    return (
        (bool(demand.types) and isinstance(device.type, str) and device.type not in demand.types)
        or device.implementation in demand.leaves_out
        or device.generation in demand.leaves_out
        or (demand.opencl is not None and _is_older(device.opencl_version, demand.opencl))
        or _lacks(device.extensions, wanted)
        or (isinstance(memory, int) and memory < (demand.memory_mib or 0) * _MIB)
    )


def _is_older(version: Fact[str], wanted: str) -> bool:
    found = _VERSION.search(version) if isinstance(version, str) else None
    return found is not None and compare(found[0], wanted, "dotted") < 0


def _lacks(has: Fact[tuple[str, ...]], wanted: set[str]) -> bool:
    return not isinstance(has, Unknown) and not wanted <= set(has)
