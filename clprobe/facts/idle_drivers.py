# SPDX-License-Identifier: MIT
"""Drivers that are installed and do nothing: no GPU of their maker is there, or none is shown."""

from collections.abc import Iterator

from clprobe.compat.known_gpu import vendor_of
from clprobe.facts.facts import DeviceFacts, IcdFacts
from clprobe.facts.hardware_facts import GpuFacts
from clprobe.facts.runtimes import ONE_MAKER, Runtime
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, known, listed

_COME_WITH_MESA = ("clover", "rusticl")
"""Distributions install these for whatever GPU there may be."""
_CPU_MAKERS = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}


def idle_drivers(
    runtimes: Fact[tuple[Runtime, ...]],
    gpus: Fact[tuple[GpuFacts, ...]],
    icds: Fact[tuple[IcdFacts, ...]],
    snapshot: Snapshot,
    tables: Tables,
) -> Fact[tuple[str, ...]]:
    """Return the names of installed drivers of whose maker no GPU is listed.

    One may be switched off in firmware, or was never there. Under WSL GPUs are not on the bus, so
    nothing follows from their absence.
    """
    if isinstance(runtimes, Unknown):
        return runtimes
    if isinstance(gpus, Unknown):
        return gpus
    if known(snapshot.system.virtualization.wsl) is not None:
        return ()
    present = {gpu.vendor for gpu in gpus if not isinstance(gpu.vendor, Unknown)}
    nameless = len(present) < len({gpu.vendor for gpu in gpus})
    partly = "gpus" in snapshot.excerpts
    crashed = {icd.implementation for icd in listed(icds) if icd.outcome == "crash"}
    idle: dict[str, None] = {}
    for entry in _of_one_maker(runtimes, tables):
        vendor = vendor_of(entry)
        if nameless and not is_without_gpu(snapshot, vendor, tables):
            return NOT_STATED
        if vendor in present:
            continue
        if partly and entry.implementation in crashed:
            return NOT_STATED  # who names one GPU in passing has others: no driver dies of none
        idle[entry.name] = None
    return tuple(idle)


def is_without_gpu(snapshot: Snapshot, vendor: str, tables: Tables) -> bool:
    """Whether the processor is this vendor's, and has no GPU inside it."""
    model = known(snapshot.system.cpu.model)
    line = tables.processor(model) if model is not None else None
    maker = _CPU_MAKERS.get(str(known(snapshot.system.cpu.vendor)), vendor)
    return line is not None and maker == vendor and line.platform is None and line.family is None


def silent_drivers(
    snapshot: Snapshot,
    runtimes: Fact[tuple[Runtime, ...]],
    devices: Fact[tuple[DeviceFacts, ...]],
    tables: Tables,
) -> Fact[tuple[str, ...]]:
    """Return the drivers of which a report tells, and of which no device is among those shown.

    Who tells of a driver for one maker's GPUs beside devices of others misses its device. A probe
    lists whatever is installed, so there nothing is missed.
    """
    if isinstance(snapshot.clprobe, str) or snapshot.gpus == ():
        return ()  # and without any GPU nothing is expected of its driver
    if isinstance(runtimes, Unknown):
        return runtimes
    if isinstance(devices, Unknown):
        return devices
    shown = {device.implementation for device in devices}
    # Branches of one driver, such as legacy1, show their devices under one name.
    answering = {str(key).split("-legacy")[0] for key in shown}
    unclear = any(isinstance(key, Unknown) or key is None for key in shown)
    silent = [
        entry.name
        for entry in _of_one_maker(runtimes, tables)
        if entry.implementation.split("-legacy")[0] not in answering
    ]
    if unclear and silent:
        return NOT_STATED
    return tuple(dict.fromkeys(silent)) if devices else ()


def _of_one_maker(runtimes: tuple[Runtime, ...], tables: Tables) -> Iterator[Implementation]:
    for runtime in runtimes:
        entry = tables.implementation(runtime.implementation)
        is_general = runtime.implementation in _COME_WITH_MESA
        if entry is not None and not is_general and vendor_of(entry) in ONE_MAKER:
            yield entry
