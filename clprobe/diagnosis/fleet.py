# SPDX-License-Identifier: MIT
"""Sums up the diagnoses of many machines: by cause, action, GPU and driver."""

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar, get_args

from clprobe.model.action import Check, CheckHashes, Look
from clprobe.model.finding import Diagnosis, Finding, GpuReport, Remedy, Severity, Status
from clprobe.model.fleet import ActionRow, CauseRow, FirstAction, Fleet, Machine, PartRow, Skipped
from clprobe.model.mending import FindOwner, Show
from clprobe.model.shell_words import command_line

NO_GPU = "no GPU"
GPU_NOT_KNOWN = "GPU not known"
K = TypeVar("K", bound=Hashable)
_LOOKS = Show, Look, Check, CheckHashes, FindOwner
"""Actions that mend nothing: they only tell more."""
_SEVERITIES: tuple[Severity, ...] = get_args(Severity)


def machine_of(name: str, diagnosis: Diagnosis, summaries: Mapping[str, str]) -> Machine:
    """Return what the sums need of one diagnosis; `summaries` has each rule's title without facts.

    So machines whose nodes or users have other names have the same cause.
    """
    present = [one for one in diagnosis.findings if one.verdict == "present"]
    root = next((one for one in present if one.id == diagnosis.root_cause), None)
    suspect = next((one for one in diagnosis.findings if one.suspect), None)
    cause = root or suspect
    errors = [one for one in present if one.severity == "error" and one.caused_by is None]
    return Machine(
        name=name,
        status=diagnosis.status,
        worst=min((one.severity for one in present), key=_SEVERITIES.index, default=None),
        cause=cause.id if cause is not None else None,
        suspected=cause is not None and cause is not root,
        title=summaries.get(cause.id, cause.title) if cause is not None else None,
        gpus=_gpus(diagnosis),
        drivers=_drivers(diagnosis),
        action=_first_action(root) if root is not None else None,
        mends_all={one.id for one in errors} <= {diagnosis.root_cause},
    )


def _gpus(diagnosis: Diagnosis) -> tuple[str, ...] | None:
    if diagnosis.host is not None and diagnosis.host.gpus is None:
        return None
    named = {one.pci_id: one.name for one in diagnosis.devices if one.type == "gpu"}
    return tuple(sorted({_gpu(one, named.get(one.pci_id)) for one in diagnosis.gpus}))


def _gpu(gpu: GpuReport, device: str | None) -> str:
    """Return its name, where the tables have none that of its device, with its PCI id."""
    name = gpu.marketing_name or device or gpu.vendor or "GPU"
    return f"{name} [{gpu.pci_id}]" if gpu.pci_id is not None else name


def _drivers(diagnosis: Diagnosis) -> tuple[tuple[str, str | None], ...]:
    by_icd = {one.icd: one.driver_version for one in diagnosis.devices if one.icd is not None}
    found = {
        (one.implementation or _file_name(one.icd), one.version or by_icd.get(one.icd))
        for one in diagnosis.drivers
    }
    return tuple(sorted(found, key=str))


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _first_action(root: Finding) -> FirstAction | None:
    """Return the first remedy that changes something, with those that come after it.

    Not with those in its place.
    """
    at = [n for n, one in enumerate(root.remedies) if not isinstance(one.action, _LOOKS)]
    if not at:
        return None
    first, *others = root.remedies[at[0] :]
    steps = [first, *itertools.takewhile(lambda one: one.then, others)]
    return FirstAction(
        title=first.title,
        steps=tuple(map(_step, steps)),
        by_command=first.argv is not None,
    )


def _step(remedy: Remedy) -> str:
    if remedy.argv is None:
        return remedy.title.rstrip(".")
    return f"{'sudo ' if remedy.needs_root else ''}{command_line(remedy.argv)}"


def sum_up(folder: str, machines: Iterable[Machine], skipped: Iterable[Skipped]) -> Fleet:
    """Return the sums; machines come out by name, rows by how many they are."""
    hosts = tuple(sorted(machines, key=lambda one: one.name))
    count = len(hosts) or 1
    causes = _grouped(((one.cause, one.suspected), one) for one in hosts if one.cause is not None)
    actions = _grouped((one.action.steps, one) for one in hosts if one.action is not None)
    gpus = _grouped((gpu, one) for one in hosts for gpu in gpus_of(one))
    drivers = _grouped((driver, one) for one in hosts for driver in one.drivers)
    return Fleet(
        folder=folder,
        machines=len(hosts),
        statuses=_statuses(hosts),
        causes=tuple(_cause_row(group, count) for group in causes.values()),
        actions=tuple(_action_row(group, count) for group in actions.values()),
        gpus=tuple(_part_row(gpu, None, group, count) for gpu, group in gpus.items()),
        drivers=tuple(_part_row(*driver, group, count) for driver, group in drivers.items()),
        skipped=tuple(sorted(skipped, key=lambda one: one.name)),
        hosts=hosts,
    )


def gpus_of(machine: Machine) -> tuple[str, ...]:
    """Return its GPUs, or that it has none, or that nobody tells."""
    return (GPU_NOT_KNOWN,) if machine.gpus is None else machine.gpus or (NO_GPU,)


def driver_name(name: str, version: str | None) -> str:
    """Return a driver with its version, as people write it."""
    return f"{name} {version}" if version is not None else name


def _grouped(pairs: Iterable[tuple[K, Machine]]) -> dict[K, list[Machine]]:
    """Return the machines by their keys, the most frequent first."""
    groups: dict[K, list[Machine]] = {}
    for key, machine in pairs:
        groups.setdefault(key, []).append(machine)
    return dict(sorted(groups.items(), key=lambda one: (-len(one[1]), str(one[0]))))


def _cause_row(group: list[Machine], count: int) -> CauseRow:
    first = group[0]
    return CauseRow(
        id=first.cause or "",
        title=first.title or "",
        suspected=first.suspected,
        machines=len(group),
        share=len(group) / count,
        gpus=_counted(gpu for one in group for gpu in gpus_of(one)),
        drivers=_counted(driver_name(*it) for one in group for it in one.drivers),
        names=_names(group),
    )


def _part_row(name: str, version: str | None, group: list[Machine], count: int) -> PartRow:
    return PartRow(
        name=name,
        version=version,
        machines=len(group),
        share=len(group) / count,
        statuses=_statuses(group),
        causes=_causes(group),
        names=_names(group),
    )


def _action_row(group: list[Machine], count: int) -> ActionRow:
    actions = [one.action for one in group if one.action is not None]
    return ActionRow(
        title=actions[0].title,
        steps=actions[0].steps,
        by_command=actions[0].by_command,
        machines=len(group),
        share=len(group) / count,
        mended=sum(one.mends_all for one in group),
        causes=_causes(group),
        names=_names(group),
    )


def _names(group: list[Machine]) -> tuple[str, ...]:
    return tuple(one.name for one in group)


def _causes(group: list[Machine]) -> dict[str, int]:
    return _counted(one.cause for one in group if one.cause is not None)


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda one: (-one[1], one[0])))


def _statuses(machines: Iterable[Machine]) -> dict[str, int]:
    found = Counter(one.status for one in machines)
    return {status: found[status] for status in get_args(Status) if found[status]}
