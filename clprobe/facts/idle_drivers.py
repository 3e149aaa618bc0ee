# SPDX-License-Identifier: MIT
"""Drivers that wait for a GPU that is not on the bus: switched off in firmware, or never there."""

from clprobe.compat.known_gpu import vendor_of
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.facts.runtimes import Runtime
from clprobe.knowledge.tables import Tables
from clprobe.model.system import System
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

_ONE_MAKER = ("intel", "amd", "nvidia")
_COME_WITH_MESA = ("clover", "rusticl")
"""Distributions install these for whatever GPU there may be."""


def idle_drivers(
    runtimes: Fact[tuple[Runtime, ...]],
    gpus: Fact[tuple[GpuFacts, ...]],
    system: System,
    tables: Tables,
) -> Fact[tuple[str, ...]]:
    """Return the names of installed drivers of whose maker no GPU is listed.

    Under WSL GPUs are not on the bus, so nothing follows from their absence.
    """
    if isinstance(runtimes, Unknown):
        return runtimes
    if isinstance(gpus, Unknown):
        return gpus
    if system.virtualization.wsl is not None and not isinstance(system.virtualization.wsl, Unknown):
        return ()
    if any(isinstance(gpu.vendor, Unknown) for gpu in gpus):
        return NOT_STATED
    present = {gpu.vendor for gpu in gpus}
    idle: dict[str, None] = {}
    for runtime in runtimes:
        entry = tables.implementation(runtime.implementation)
        if entry is None or runtime.implementation in _COME_WITH_MESA:
            continue
        vendor = vendor_of(entry)
        if vendor in _ONE_MAKER and vendor not in present:
            idle[entry.name] = None
    return tuple(idle)
