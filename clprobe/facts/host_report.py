# SPDX-License-Identifier: MIT
"""The host in a few words: what a maintainer asks for first, and what a report told at all."""

from collections.abc import Iterable, Iterator

from clprobe.facts.facts import Facts, IcdFacts, OtherFacts, ViewFacts
from clprobe.facts.hardware_facts import GpuFacts, NodeFacts
from clprobe.model.finding import HostReport, OutsideReport
from clprobe.model.snapshot import OUTSIDE, Snapshot
from clprobe.model.system import Distribution, Package, Virtualization
from clprobe.model.unknown import Unknown, known, listed

_MOST = 4
"""So many of a kind are named; of the rest the number."""


def host_report(facts: Facts, snapshot: Snapshot) -> HostReport:
    """Return what is known of the host, in words."""
    gpus = None if known(facts.gpus) is None else tuple(map(_gpu, listed(facts.gpus)))
    return HostReport(
        distribution=_distribution(facts.system.distribution),
        linux=known(facts.system.linux.release),
        gpus=gpus,
        drivers=_drivers(facts),
        user=_user(facts),
        container=_place(facts.system.virtualization),
        read=tuple(_read(facts, snapshot, gpus or ())),
    )


def outside_report(snapshot: Snapshot) -> OutsideReport | None:
    """Return by which tool it was looked at from outside; None: from inside, or nobody tells."""
    if snapshot.source != OUTSIDE:
        return None
    nobody_saw = isinstance(snapshot.icds, Unknown) and isinstance(snapshot.loaders, Unknown)
    return OutsideReport(
        as_root=None if isinstance(snapshot.user.uid, Unknown) else snapshot.user.uid == 0,
        by=known(snapshot.system.virtualization.container) or "its tool",
        unseen=str(snapshot.icds.unknown)
        if nobody_saw and isinstance(snapshot.icds, Unknown)
        else None,
    )


def _read(facts: Facts, snapshot: Snapshot, gpus: tuple[str, ...]) -> Iterator[str]:
    """Yield what was told, the setting first."""
    if told := _distribution(facts.system.distribution):
        yield told
    if isinstance(release := facts.system.linux.release, str):
        yield f"Linux {release}"
    place = _place(facts.system.virtualization)
    if place not in (None, "none"):
        yield f"in {place}"
    yield from gpus or (("no GPU",) if facts.gpus == () else ())
    yield from _some(map(_node, listed(facts.device_nodes)))
    if facts.device_nodes == ():
        yield "no device node"
    if told := _user(facts):
        yield told
    yield from _some(map(_package, listed(facts.packages)))
    yield from _some(icd.file_name or icd.path for icd in listed(facts.icds))
    yield from (f"{name}={value}" for name, value in facts.environment.items() if value)
    yield from _some(filter(None, map(_view, listed(facts.views))))
    yield from filter(None, map(_other, facts.others))
    if isinstance(facts.system.linux.log, str) and facts.system.linux.log:
        yield "lines of the kernel log"
    if count := len(listed(snapshot.messages)):
        yield f"{count} message{'' if count == 1 else 's'} of programs"


def _some(words: Iterable[str]) -> list[str]:
    """Return the first of them, and how many more there are."""
    told = list(dict.fromkeys(words))
    left = len(told) - _MOST
    return [*told[:_MOST], *((f"{left} more",) if left > 0 else ())]


def _distribution(distribution: Distribution) -> str | None:
    name = known(distribution.name)
    if name is not None:
        return name
    words = (known(distribution.id), known(distribution.version))
    told = " ".join(word for word in words if word)
    return told[:1].upper() + told[1:] or None


def _gpu(gpu: GpuFacts) -> str:
    driver = gpu.kernel_driver
    bound = f", {driver}" if isinstance(driver, str) else ", no kernel driver"
    return gpu.label + (bound if driver is None or isinstance(driver, str) else "")


def _drivers(facts: Facts) -> tuple[str, ...] | None:
    """Return the registered drivers, else the installed ones that belong to some GPU."""
    icds = known(facts.icds)
    if icds is not None:
        return tuple(map(_driver, icds))
    fits = {fit.icd: known(fit.version) for gpu in listed(facts.gpus) for fit in listed(gpu.fits)}
    return tuple(f"{source} {version or ''}".strip() for source, version in fits.items()) or None


def _driver(icd: IcdFacts) -> str:
    version = known(icd.version)
    return f"{icd.file_name or icd.path}{f' {version}' if version else ''}"


def _node(node: NodeFacts) -> str:
    owner, group, mode = known(node.owner), known(node.group), known(node.mode)
    return " ".join(word for word in (node.path, mode, owner, group) if word)


def _user(facts: Facts) -> str | None:
    """Return the user by number and groups, never by name."""
    user = facts.user
    groups = known(user.groups)
    if groups is None:
        return "root" if user.is_root is True else None
    # Most people have a group of their own name.
    named = (one for one in groups if known(one.name) is None or one.name != user.name)
    names = sorted(str(known(one.name) or known(one.gid) or "?") for one in named)
    who = "root" if user.is_root is True else "a user"
    return f"{who} in {', '.join(names)}" if names else f"{who} in no other group"


def _place(virtual: Virtualization) -> str | None:
    if isinstance(virtual.container, str):
        return virtual.container
    if isinstance(virtual.wsl, int):
        return f"WSL {virtual.wsl}"
    return "none" if virtual.container is None else None


def _package(package: Package) -> str:
    return f"{package.name} {known(package.version) or ''}".strip()


def _view(view: ViewFacts) -> str | None:
    platforms = known(view.answer.platforms)
    if platforms is None:
        return None
    devices = sum(len(listed(platform.devices)) for platform in platforms)
    told = f"{view.viewer}: {_count(len(platforms), 'platform')}"
    return f"{told}, {_count(devices, 'device')}" if platforms else told


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _other(other: OtherFacts) -> str | None:
    words = [word for word in (known(other.who), known(other.where), known(other.when)) if word]
    if not words or not isinstance(other.usable_device, bool):
        return None
    return f"as {', '.join(words)}: {'a device' if other.usable_device else 'no device'}"
