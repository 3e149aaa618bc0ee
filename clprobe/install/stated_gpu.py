# SPDX-License-Identifier: MIT
"""The GPUs that a plan may be for: as somebody names them, or as a snapshot shows them."""

import re

import msgspec

from clprobe.knowledge.named_gpu import VENDOR_IDS
from clprobe.knowledge.tables import Tables
from clprobe.model.hardware import Gpu, pci_id_of
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown

_HANDFUL = 6
_NAME = re.compile(r"[\w .,()/+\[\]-]{1,80}", re.ASCII)
_PCI_ID = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{4}\b")


class StatedGpu(msgspec.Struct, frozen=True):
    """A GPU as it was stated: its `name`, and the PCI ids that it stands for, known or not.

    `text` is how plans show it. `nothing_because`: what was stated has no GPU that computes.
    `passed_over`: what is called so, too, and has no OpenCL. `family`: the one that it is taken
    for, of several that are called so.
    """

    text: str
    name: str
    pci_ids: tuple[str, ...] = ()
    nothing_because: str | None = None
    passed_over: tuple[str, ...] = ()
    family: str | None = None


NO_GPU = StatedGpu("none", "none", nothing_because="this machine has no GPU on its PCI bus")
"""Of a machine that verifiably has no GPU."""


def stated_gpu(name: str, tables: Tables) -> StatedGpu:
    """Return what a PCI id, a name, or a line that a program prints stands for.

    Names that stand for more than a handful, such as Haswell, are shown as they are.
    """
    if name.strip().lower() == NO_GPU.name:
        return NO_GPU
    several = [one for one in _PCI_ID.findall(name.lower()) if one[:4] in VENDOR_IDS]
    if len(several) > 1:
        return StatedGpu(name, name, tuple(dict.fromkeys(several)))
    named = tables.named_gpu(name)
    found = named.chips
    pci_ids = tuple(one.pci_id for one in found) or ((named.pci_id,) if named.pci_id else ())
    text = name
    if named.nothing_because is not None:
        text = f"{name} (no GPU for OpenCL)"
    elif len(found) == 1:
        text = f"{pci_ids[0]} {found[0].name or found[0].codename}"
    elif 1 < len(found) <= _HANDFUL and len({one.generation for one in found}) == 1:
        text = f"{name} ({', '.join(pci_ids)})"
    elif named.pci_id is not None and not named.is_known:
        text = f"{name} (in no table)"
    elif named.family is not None and name.strip().lower() == named.pci_id:
        text = f"{name} {named.chip}"
    passed_over = tuple(one.name for one in named.passed_over)
    return StatedGpu(text, name, pci_ids, named.nothing_because, passed_over)


def gpus_of_snapshot(
    snapshot: Snapshot, tables: Tables
) -> tuple[StatedGpu | None, tuple[StatedGpu, ...]]:
    """Return the GPU that stands for a machine, and the known ones beside it, each kind once.

    Intel's comes first, whose ids the tables know all. Where nobody tells of any it is the one
    inside the processor. None: it is not known, or too vague.
    """
    gpus, cpu = snapshot.gpus, snapshot.system.cpu.model
    if isinstance(gpus, Unknown):
        return (_inside(cpu, tables) if isinstance(cpu, str) else None), ()
    if not gpus:
        return NO_GPU, ()
    found = [one for gpu in gpus if (one := _seen(gpu, tables)) is not None]
    by_id = {pci_id for gpu in gpus if (pci_id := pci_id_of(gpu)) is not None}
    kinds = {_generations(one, tables) for one in found if by_id & set(one.pci_ids)}
    # What only has a name is another GPU where none of those with an id is of its kind.
    each = [
        one for one in found if by_id & set(one.pci_ids) or _generations(one, tables) not in kinds
    ]
    first = min(each, key=lambda one: _place(one, tables), default=None)
    others = dict.fromkeys(
        one
        for one in each
        if first is not None
        and one.nothing_because is None
        and (one.pci_ids or one.name) != (first.pci_ids or first.name)
        and tables.named_gpu(one.pci_ids[0] if one.pci_ids else one.name).is_known
    )
    return first, tuple(others)


def _seen(gpu: Gpu, tables: Tables) -> StatedGpu | None:
    """Return a GPU of a snapshot; None: it has no id, and its name is unknown or too vague."""
    pci_id = pci_id_of(gpu)
    name = gpu.name if isinstance(gpu.name, str) else None
    if pci_id is None:
        return _of_name(name, tables) if name is not None else None
    if tables.gpu(pci_id) is None and name is not None and _NAME.fullmatch(name):
        because = tables.named_gpu(pci_id).nothing_because
        return StatedGpu(f"{pci_id} {name}", name, (pci_id,), because)
    return stated_gpu(pci_id, tables)


def _of_name(name: str, tables: Tables) -> StatedGpu | None:
    """Return the GPU that is named without an id, if that means one generation of Intel's.

    Of others' names that mean several families each can be planned for.
    """
    named = tables.named_gpu(name)
    if len({chip.generation for chip in named.chips}) > 1 or not named.is_known:
        return None
    return StatedGpu(name, name, tuple(chip.pci_id for chip in named.chips), named.nothing_because)


def _inside(cpu: str, tables: Tables) -> StatedGpu | None:
    """Return the GPU inside a processor; None: its name tells of none."""
    found = _of_name(cpu, tables) if tables.processor(cpu) is not None else None
    if found is None or found.nothing_because is not None:
        return None
    return msgspec.structs.replace(found, text=f"GPU inside {cpu}")


def _generations(gpu: StatedGpu, tables: Tables) -> frozenset[str]:
    """Return what it may be: GPUs of the same generations or families are of one kind."""
    named = tables.named_gpu(gpu.pci_ids[0] if gpu.pci_ids else gpu.name)
    return frozenset(
        [*(chip.generation for chip in named.chips), *(one.family for one in named.families)]
    )


def _place(gpu: StatedGpu, tables: Tables) -> int:
    """Return which GPU of a machine stands for it: the least."""
    ids = gpu.pci_ids
    if any(tables.gpu(pci_id) is not None for pci_id in ids):
        return 0
    if any(pci_id.startswith("8086:") for pci_id in ids):
        return 1
    return 2 if gpu.nothing_because is None else 3


def is_inside_processor(gpu: StatedGpu, tables: Tables) -> bool:
    """Tell whether a GPU of Intel's is a part of a processor, as far as its ids say."""
    chips = [tables.gpu(pci_id) for pci_id in gpu.pci_ids]
    platforms = [
        generation.platforms[chip.platform]
        for chip in chips
        if chip is not None and (generation := tables.generation(chip.generation)) is not None
    ]
    return bool(chips) and len(platforms) == len(chips) and all(one.is_inside for one in platforms)
