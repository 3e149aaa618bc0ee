# SPDX-License-Identifier: MIT
"""Joins what different commands told of one thing: a .icd file and its library, node and GPU."""

import re

import msgspec

from clprobe.model.hardware import Gpu
from clprobe.model.opencl import Icd, Loader
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Unknown, listed
from clprobe.paste.lspci import MOST_GPUS
from clprobe.paste.merge import merge


def finish(facts: Snapshot) -> Snapshot:
    """Return the facts with their parts joined."""
    loaders = facts.loaders
    icds = facts.icds
    if not isinstance(loaders, Unknown):
        loaders = _joined_loaders(loaders)
    if not isinstance(icds, Unknown):
        icds = _joined_icds(icds)
    if not isinstance(icds, Unknown) and not isinstance(loaders, Unknown):
        icds = tuple(_with_searchers(icd, loaders) for icd in icds)
    gpus = _with_nodes(facts) if not isinstance(facts.gpus, Unknown) else _shown_by_opencl(facts)
    return msgspec.structs.replace(
        facts, loaders=loaders, icds=icds, gpus=gpus[:MOST_GPUS] or facts.gpus
    )


def _joined_icds(icds: tuple[Icd, ...]) -> tuple[Icd, ...]:
    """Put what is known of a library by its own path to the .icd file that names it."""
    files = [icd for icd in icds if icd.path.endswith((".icd", ")"))]
    libraries = [icd for icd in icds if not icd.path.endswith((".icd", ")"))]
    named = {_base(icd.library_name): place for place, icd in reversed(list(enumerate(files)))}
    alone = []
    for library in libraries:
        place = named.get(_base(library.path))
        if place is None:
            alone.append(library)
            continue
        same = msgspec.structs.replace(library, path=files[place].path, library_name=NOT_STATED)
        files[place], _ = merge(files[place], same)
    return (*files, *alone)


def _base(name: object) -> str:
    return name.rpartition("/")[2] if isinstance(name, str) else ""


def _with_searchers(icd: Icd, loaders: tuple[Loader, ...]) -> Icd:
    """Say which loaders read the .icd file, where all of them tell their folders."""
    folder = icd.path.rpartition("/")[0].rstrip("/")
    folders = {one.path: one.icd_folders for one in loaders if isinstance(one.icd_folders, tuple)}
    if len(folders) != len(loaders) or not isinstance(icd.searched_by, Unknown):
        return icd
    readers = tuple(path for path, known in folders.items() if folder in known)
    return msgspec.structs.replace(icd, searched_by=readers)


def _joined_loaders(loaders: tuple[Loader, ...]) -> tuple[Loader, ...]:
    """Put kind and version, which clinfo tells, to the one file that another command named."""
    nameless = [one for one in loaders if "/" not in one.path]
    files = [one for one in loaders if "/" in one.path]
    if not nameless or len(files) != 1:
        return loaders
    same = msgspec.structs.replace(nameless[0], path=files[0].path)
    return (merge(files[0], same)[0],)


def _with_nodes(facts: Snapshot) -> tuple[Gpu, ...]:
    """Give GPUs the nodes whose PCI address a listing of by-path told."""
    by_place: dict[tuple[object, object], str] = {
        (node.pci_address, node.kind): node.path
        for node in listed(facts.device_nodes)
        if isinstance(node.pci_address, str)
    }
    return tuple(
        msgspec.structs.replace(
            gpu,
            render_node=by_place.get((gpu.pci_address, "render"), gpu.render_node),
            card_node=by_place.get((gpu.pci_address, "card"), gpu.card_node),
        )
        for gpu in listed(facts.gpus)
    )


def _shown_by_opencl(facts: Snapshot) -> tuple[Gpu, ...]:
    """Return the GPUs that must be there because an OpenCL device of that name is."""
    gpus = {}
    for view in listed(facts.views):
        for _, device in view.answer.shown():
            is_named = device.type == "gpu" and isinstance(device.name, str)
            if not is_named or _is_software(str(device.name)):
                continue
            name = re.sub(r"(?i)\((?:R|TM)\)|\[0x[0-9a-f]{4}\]", "", str(device.name))
            name = " ".join(name.split())
            known = (device.vendor_id, device.device_id)
            both = all(isinstance(number, int) and 0 <= number < 1 << 16 for number in known)
            pci_id = f"{known[0]:04x}:{known[1]:04x}" if both else NOT_STATED
            gpus[name, device.pci_address] = Gpu(
                name=name, pci_id=pci_id, pci_address=device.pci_address or NOT_STATED
            )
    return tuple(gpus.values())


def _is_software(name: str) -> bool:
    return bool(re.search(r"(?i)llvmpipe|softpipe|pocl|cpu|swrast", name))
