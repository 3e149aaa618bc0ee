# SPDX-License-Identifier: MIT
"""Which GPU there is where nobody names one: by firmware, processor, driver or program."""

from collections.abc import Iterator

from msgspec.structs import replace

from clprobe.compat.known_gpu import vendor_of
from clprobe.facts.closure.closed import Closed
from clprobe.facts.idle_drivers import is_without_gpu
from clprobe.facts.runtimes import ONE_MAKER, Runtime, said_runtimes
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.tables import Tables
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown, known, listed

_FORMS = Forms("closure")
_CORE = ("i5", "i7", "i3", "i9")
_VENDORS = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}
_NAMES = {"intel": "Intel GPU", "amd": "AMD GPU", "nvidia": "NVIDIA GPU"}


def with_gpus(closed: Closed, tables: Tables) -> Closed:
    """Return it with the GPU that there must be, or with a name for the only one there is."""
    snapshot = closed.snapshot
    machine = snapshot.system.virtualization
    if known(machine.machine) is not None or known(machine.wsl) is not None:
        return closed  # the processor's GPU is the host's
    gpus = snapshot.gpus
    if isinstance(gpus, Unknown):
        for gpu, why in _candidates(snapshot, tables):
            return closed.with_list("gpus", (gpu,), why)
    elif len(gpus) == 1 and not _is_named(gpus[0], tables):
        for gpu, why in _by_hardware(snapshot, tables):
            if isinstance(gpu.name, str) and _may_be(gpus[0], gpu.name, tables):
                named = (replace(gpus[0], name=gpu.name),)
                return closed.with_change(replace(snapshot, gpus=named), "gpus", why)
    return closed


def _candidates(snapshot: Snapshot, tables: Tables) -> Iterator[tuple[Gpu, str]]:
    drivers = said_runtimes(snapshot, tables)
    yield from _by_hardware(snapshot, tables)
    yield from _of_drivers(drivers, snapshot, tables)
    yield from _of_programs(snapshot, tables)
    vendor = _VENDORS.get(str(known(snapshot.system.cpu.vendor)))
    if vendor is not None and any(run.implementation == "clover" for run in drivers):
        yield Gpu(name=_NAMES[vendor]), "the processor's maker, and no other GPU is told of"


def _by_hardware(snapshot: Snapshot, tables: Tables) -> Iterator[tuple[Gpu, str]]:
    log = known(snapshot.system.linux.log) or ""
    for match in _FORMS.firmware.finditer(log):
        chip = _FORMS.tables["firmware"].get(match["file"])
        if chip is not None:
            yield Gpu(name=chip), f"the firmware {match['file']} that Linux loads"
    model = known(snapshot.system.cpu.model)
    name = _full_name(model, tables) if model is not None else None
    line = tables.processor(name) if name is not None else None
    if line is not None and (line.platform is not None or line.family is not None):
        yield Gpu(name=f"GPU of {name}"), f"the GPU inside the processor {model}"


def _full_name(model: str, tables: Tables) -> str:
    """Return the processor's name, with its line where people give the number alone."""
    bare = _FORMS.bare_number.search(model)
    if bare is None or tables.processor(model) is not None:
        return model
    names = [f"{line}-{bare['number']}" for line in _CORE]
    found = [name for name in names if tables.processor(name) is not None]
    return found[0] if found else model


def _of_drivers(
    drivers: list[Runtime], snapshot: Snapshot, tables: Tables
) -> Iterator[tuple[Gpu, str]]:
    for run in drivers:
        entry = tables.implementation(run.implementation)
        vendor = vendor_of(entry) if entry is not None else ""
        is_inside = vendor in ONE_MAKER and not is_without_gpu(snapshot, vendor, tables)
        if entry is not None and is_inside and run.implementation != "clover":
            yield Gpu(name=_NAMES[vendor]), f"{entry.name} is in use ({run.source})"


def _of_programs(snapshot: Snapshot, tables: Tables) -> Iterator[tuple[Gpu, str]]:
    for view in listed(snapshot.views):
        entry = tables.implementation(_FORMS.meaning("made_for", view.viewer))
        if entry is not None:
            yield Gpu(name=_NAMES[vendor_of(entry)]), f"{view.viewer} is made for such GPUs"


def _is_named(gpu: Gpu, tables: Tables) -> bool:
    return any(
        isinstance(one, str) and tables.named_gpu(one).is_known for one in (gpu.pci_id, gpu.name)
    )


def _may_be(gpu: Gpu, name: str, tables: Tables) -> bool:
    """Whether what is told of the GPU does not say another maker than the name does."""
    if isinstance(gpu.pci_id, str):
        return False  # an id that no table knows is no GPU that the tables name
    meant = tables.named_gpu(name)
    vendor = meant.families[0].vendor if meant.families else "intel"
    said = str(known(gpu.name) or vendor).lower()
    return vendor in said
