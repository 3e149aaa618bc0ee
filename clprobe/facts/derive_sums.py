# SPDX-License-Identifier: MIT
"""Sums up what there is to compute on, and what of it a report misses."""

from clprobe.facts.derive_views import NOT_FOUND, is_settled, serves_plain_programs
from clprobe.facts.facts import DeviceFacts, Facts, IcdFacts, OpenclFacts
from clprobe.facts.hardware_facts import GpuFacts, NodeFacts
from clprobe.facts.idle_drivers import idle_drivers, silent_drivers
from clprobe.facts.runtimes import Runtime
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.tables import Tables
from clprobe.model.hardware import node_kind
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, known, listed

_FORMS = Forms("said")
_WAYS_TO_A_GPU = ("render", "kfd", "nvidia", "dxg", "mali", "kgsl")


def sum_up(
    snapshot: Snapshot, facts: Facts, runtimes: Fact[tuple[Runtime, ...]], tables: Tables
) -> OpenclFacts:
    """Return whether there is anything to compute on, and any GPU at all."""
    icds = facts.icds
    unknown = (one for one in (facts.devices, icds) if isinstance(one, Unknown))
    absent = False if is_settled(snapshot, icds) else next(unknown, NOT_STATED)
    usable = [device for device in listed(facts.devices) if device.usable is True]
    has_loader = _has_loader(snapshot)
    silent = silent_drivers(snapshot, runtimes, facts.devices, tables)
    idle = idle_drivers(runtimes, facts.gpus, icds, snapshot, tables)
    return OpenclFacts(
        # Without a loader no program reaches a driver, however healthy that is.
        usable_device=False if has_loader is False else (True if usable else absent),
        gpu_device=True if any(device.software is False for device in usable) else absent,
        any_gpu=_any_gpu(facts.gpus, facts.device_nodes),
        empty_platforms=_empty_platforms(snapshot, icds),
        idle_drivers=idle,
        silent_drivers=silent,
        misses_idle=_misses_idle(snapshot, idle, silent),
        unnamed_node=_has_unnamed_node(snapshot, usable),
        loader_found=has_loader,
        icd_registered=_icd_registered(snapshot, icds, runtimes),
        plain_loader=_has_plain_loader(snapshot, has_loader),
    )


def _empty_platforms(snapshot: Snapshot, icds: Fact[tuple[IcdFacts, ...]]) -> Fact[tuple[str, ...]]:
    """Return their names; unknown in a report that shows no program's whole list."""
    answers = [icd.answer for icd in listed(icds)] + [
        view.answer for view in listed(snapshot.views)
    ]
    names = [
        platform.name
        for answer in answers
        for platform in listed(answer.platforms)
        if platform.devices == () and isinstance(platform.name, str)
    ]
    lists = any(
        view.viewer == "clinfo" and listed(view.answer.platforms) for view in listed(snapshot.views)
    )
    if not names and snapshot.told and not lists:
        return NOT_STATED
    return tuple(dict.fromkeys(names))


def _misses_idle(
    snapshot: Snapshot, idle: Fact[tuple[str, ...]], silent: Fact[tuple[str, ...]]
) -> Fact[bool]:
    """Whether what somebody misses is of the maker of a driver that has no GPU here."""
    if not listed(idle) or not set(listed(idle)) & set(listed(silent)):
        return False
    missed = [view.misses for view in listed(snapshot.views)]
    stated = [text for texts in missed for text in listed(texts)]
    makers = {_FORMS.meaning("makers", text) for text in stated}
    if any(_FORMS.meaning("makers", name) in makers for name in listed(idle)):
        return True
    return False if stated else next((one for one in missed if isinstance(one, Unknown)), False)


def _icd_registered(
    snapshot: Snapshot, icds: Fact[tuple[IcdFacts, ...]], runtimes: Fact[tuple[Runtime, ...]]
) -> Fact[bool]:
    if isinstance(icds, Unknown):
        is_there = bool(runtimes) and not isinstance(runtimes, Unknown)
        return True if is_there or _has_answered(snapshot, by_driver=True) else icds
    if any(icd.is_read is not False for icd in icds):
        return True
    return NOT_STATED if "icds" in snapshot.excerpts else False


def _has_loader(snapshot: Snapshot) -> Fact[bool]:
    if isinstance(snapshot.loaders, Unknown):
        return True if _has_answered(snapshot) else snapshot.loaders
    if snapshot.loaders:
        return True
    return NOT_STATED if "loaders" in snapshot.excerpts else False


def _has_answered(snapshot: Snapshot, *, by_driver: bool = False) -> bool:
    """Whether a program got an answer through a loader; `by_driver`: one that only a driver gives.

    CL_PLATFORM_NOT_FOUND_KHR is the loader's, CL_DEVICE_NOT_FOUND a platform's.
    """
    codes = (-1,) if by_driver else NOT_FOUND
    return any(
        view.answer.error_code in codes
        or bool(listed(view.answer.platforms))
        or (not by_driver and view.answer.platforms == () and view.loader is not None)
        for view in listed(snapshot.views)
    )


def _has_unnamed_node(snapshot: Snapshot, usable: list[DeviceFacts]) -> bool:
    """Whether a node leads to a GPU, and nobody says to which: then it is the one that is meant.

    Where a GPU of /dev/dri computes and nobody lists the nodes, the whole folder was given.
    """
    if isinstance(snapshot.device_nodes, Unknown):
        return any(one.software is False and one.implementation != "nvidia" for one in usable)
    kinds = {known(node.kind) or node_kind(node.path) for node in listed(snapshot.device_nodes)}
    return isinstance(snapshot.gpus, Unknown) and not kinds.isdisjoint(_WAYS_TO_A_GPU)


def _has_plain_loader(snapshot: Snapshot, has_loader: Fact[bool]) -> Fact[bool]:
    """Whether programs without a loader of their own find one."""
    if any(one.viewer == "system-loader" and one.loader is None for one in listed(snapshot.views)):
        return False
    if has_loader is not True or isinstance(snapshot.loaders, Unknown):
        return has_loader
    if any(serves_plain_programs(loader) for loader in snapshot.loaders):
        return True
    return NOT_STATED if "loaders" in snapshot.excerpts else False


def _any_gpu(gpus: Fact[tuple[GpuFacts, ...]], nodes: Fact[tuple[NodeFacts, ...]]) -> Fact[bool]:
    known = listed(gpus)
    if any(gpu.computes is not False for gpu in known):
        return True
    drawn = {gpu.pci_address for gpu in known}
    for node in listed(nodes):
        if node.kind in _WAYS_TO_A_GPU and node.pci_address not in drawn:
            return True
    return gpus if isinstance(gpus, Unknown) else False
