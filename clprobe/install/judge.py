# SPDX-License-Identifier: MIT
"""Judges one offer of one implementation: a route, or the constraint that rules it out."""

from clprobe.compat.coverage import OTHER_MAKERS, drives_gpus, is_for_vendor
from clprobe.compat.linux_choice import ANY_LINUX
from clprobe.compat.offers import Offer, packaged
from clprobe.compat.processor import known_of
from clprobe.compat.resolve import (
    No,
    Open,
    Summary,
    is_reached_under_wsl2,
    is_workaround,
    never_drives,
    refused,
    summed_up,
)
from clprobe.install import by_hand, cpu_steps, route_steps, windows
from clprobe.install.machine import Machine
from clprobe.install.ranking import FilesOfOthers
from clprobe.install.wording import all_sources, last_packaged, linux_caveats, newer_linux, sentence
from clprobe.knowledge.table_types import Entry, Implementation, Release
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import Source
from clprobe.model.plan import Component, Rejected, Route, RouteStatus


def hopeless(implementation: Implementation, machine: Machine) -> Rejected | None:
    """Return why the implementation can never help on this hardware, or None."""
    because = _never(implementation, machine)
    if because is None:
        return None
    of_gpu = because if because == _nothing_drives(machine) else None
    offers = packaged(implementation, machine.distribution)
    if offers and machine.has_gpu and because != OTHER_MAKERS:
        key = implementation.implementation
        because = f"{offers[0].offered_by} {key} {offers[0].release}, but {because}"
    return _rejected(implementation, because, *machine.chips[:1], of_gpu=of_gpu)


def judge(offer: Offer, implementation: Implementation, machine: Machine) -> Route | Rejected:
    """Return the route that this offer makes (its rank still 0), or the rejection."""
    if not drives_gpus(implementation):
        on_core = known_of(implementation, offer, machine.core)
        refusal = refused(implementation, offer, machine.place)
        if refusal is not None:
            because = _refusal(refusal, offer, implementation, machine)
            told = on_core if refusal.what == "processor" else ()
            return _rejected(implementation, because, offer, *told)
        return _cpu_route(offer, implementation, machine, on_core)
    found = summed_up(implementation, offer, machine.gpus, machine.place)
    return on_gpu(offer, found, implementation, machine)


def on_gpu(
    offer: Offer, found: Summary, implementation: Implementation, machine: Machine
) -> Route | Rejected:
    """Return the same for what drives GPUs, given what the offer comes to on them."""
    answer = found.answer
    if isinstance(answer, No):
        because = _refusal(answer, offer, implementation, machine)
        entries: list[Entry | Offer] = [offer, *machine.chips[:1]]
        of_linux = answer.what == "linux"
        if of_linux:
            entries = [machine.generation] if machine.generation is not None else []
        return _rejected(implementation, because, *entries, of_gpu=because if of_linux else None)
    status = _status(offer, found)
    caveats = [*_doubts(found), *([sentence(offer.note)] if offer.note is not None else [])]
    caveats += [sentence(release.note) for release in answer.known]
    caveats += linux_caveats(machine, answer.linux) + _limits(implementation, machine)
    environment = route_steps.enabled(implementation, machine)
    packages = route_steps.packages_of(offer, implementation, machine)
    for release in answer.known:
        environment |= release.environment
    linux = answer.linux
    left = route_steps.caveats(offer, implementation, machine, environment)
    # Who has one of the chips left out would install it in vain.
    left_out = _doubts(found) if found.verdict == "some" else []
    needs = [*left_out, *linux_caveats(machine, linux), *left]
    return Route(
        rank=0,
        backend=implementation.implementation,
        stack=None,
        uses_gpu=True,
        status=status,
        because=_because(offer, implementation, machine, found),
        components=(
            *_components(offer, machine, packages),
            *newer_linux(machine, linux),
        ),
        steps=route_steps.for_gpu(offer, implementation, machine, linux, environment),
        caveats=tuple(dict.fromkeys(caveats + left)),
        sources=_sources(offer, implementation, *machine.chips[:1], *answer.known),
        how=route_steps.how(offer, machine),
        essential=tuple(one for one in needs if one not in route_steps.OF_SESSIONS),
        by_hand=by_hand.lines(offer, implementation, machine, packages, environment),
        is_known=not (isinstance(answer, Open) and answer.what == "version")
        and not found.is_unseen,
    )


def _status(offer: Offer, found: Summary) -> RouteStatus:
    if isinstance(found.answer, Open):
        return "unverified"
    if not isinstance(found.answer, No) and is_workaround(offer, found.answer):
        return "unverified" if offer.status == "unverified" or found.is_doubted else "workaround"
    if found.is_doubted:
        return "unverified"
    return "workaround" if found.verdict == "some" and not found.holds_for_most else offer.status


def _doubts(found: Summary) -> list[str]:
    """Return what is not known, or which of several chips are left out."""
    if isinstance(found.answer, Open) and found.answer.what != "confirmation":
        return [sentence(found.answer.because)]
    if found.verdict != "some":
        return []
    some = ", ".join(found.left_out[:6]) + (" …" if len(found.left_out) > 6 else "")
    refused_some = any(isinstance(answer, No) for answer, _ in found.answers)
    verb = "does not drive" if refused_some else "may not drive"
    return [sentence(f"not for all chips of that name: it {verb} {some}; give the PCI id")]


def _refusal(answer: No, offer: Offer, implementation: Implementation, machine: Machine) -> str:
    """Return why the offer does not help on this machine."""
    key, gpu = implementation.implementation, machine.gpu_name
    if answer.what == "linux" and answer.linux is not None:
        if answer.linux.needed == ANY_LINUX:
            return f"no kernel driver in Linux up to 7.3 binds to {gpu} by itself"
        linux = answer.linux
        # Drivers of boards' makers end with the Linux that their module was made for.
        fits = "is none for" if "before" in linux.needed else "is too old for"
        return f"Linux {linux.linux} {fits} {gpu}: it takes {linux.needed}"
    said = f"{offer.offered_by} {key}"
    if answer.what == "files":
        needed = f"for {answer.needs}; {machine.os_name} has {answer.has}"
        return f"{said} {offer.version} {needed}"
    if answer.what == "origin":
        return f"{said}, but {answer.because}"
    if answer.what == "processor":
        return f"{said} {offer.release}, but {answer.because}"
    whole = implementation.version_scheme == "debian"
    version = (offer.version if whole else offer.release) or "in its current release"
    name = machine.family.name if machine.family is not None else gpu
    return f"{said} {version}; {name} {answer.because}"


def not_offered(implementation: Implementation, machine: Machine, tables: Tables) -> Rejected:
    """Return the rejection for an implementation that the release does not package."""
    because, entries = _not_packaged(implementation, machine)
    history, releases = last_packaged(implementation, machine, tables)
    if history:
        because = f"{because}; {history}"
    return _rejected(implementation, because, *entries, *releases)


def _not_packaged(
    implementation: Implementation, machine: Machine
) -> tuple[str, tuple[Entry, ...]]:
    key = implementation.implementation
    if machine.distribution is None:
        because = (
            f"{machine.os_name} is in no table, so it is not known whether it packages {key}; "
            "its package search settles it"
        )
        return because, ()
    names = implementation.packages.get(machine.distribution.id, ())
    named = f" ({', '.join(names)})" if names else ""
    present = [name for name in names if name in machine.distribution.packages]
    if names and all(name in machine.distribution.absent for name in names):
        because = f"{machine.os_name} does not package {key}{named}"
    elif present:
        because = f"{present[0]} of {machine.os_name} does not contain {key}"
    else:
        because = f"no package of {key}{named} is known on {machine.os_name}"
    return because, (machine.distribution,)


def _never(implementation: Implementation, machine: Machine) -> str | None:
    key = implementation.implementation
    if machine.system == "windows":
        return f"{key} is for Linux; on Windows OpenCL comes with the GPU's own driver"
    if machine.vendor is not None and not is_for_vendor(implementation, machine.gpus[0]):
        return OTHER_MAKERS
    if implementation.architectures and machine.arch not in (None, *implementation.architectures):
        return f"{key} exists for {', '.join(implementation.architectures)}, not {machine.arch}"
    if implementation.not_planned is not None:
        return implementation.not_planned
    return _never_on_gpu(implementation, machine) if drives_gpus(implementation) else None


def _never_on_gpu(implementation: Implementation, machine: Machine) -> str | None:
    if machine.no_gpu_because is not None:
        return machine.no_gpu_because
    if machine.generation is None and machine.vendor is None:
        return "which GPU it is for is not stated; lspci -nn shows its PCI id, --gpu takes it"
    reached = any(is_reached_under_wsl2(implementation, gpu) for gpu in machine.gpus)
    if machine.system == "wsl2" and not reached:
        return _not_under_wsl2(implementation, machine)
    if machine.generation is not None:
        return _never_on_chips(implementation, machine)
    return _never_on_family(implementation, machine)


def _never_on_family(implementation: Implementation, machine: Machine) -> str | None:
    never = never_drives(implementation, machine.gpus[0])
    if never is None:
        return None
    key = implementation.implementation
    nothing = _nothing_drives(machine)
    if nothing is not None:
        return nothing
    if machine.family is not None and key in machine.family.not_driven_by:
        return f"{machine.family.name} was never supported by it: {never.because}"
    return f"it does not drive {machine.gpu_name}"


def _never_on_chips(implementation: Implementation, machine: Machine) -> str | None:
    key, generation = implementation.implementation, machine.generation
    never = [never_drives(implementation, gpu) for gpu in machine.gpus]
    if generation is None or not all(never):
        return None
    nothing = _nothing_drives(machine)
    if nothing is not None:
        return nothing
    if key in generation.not_driven_by:
        reason = generation.not_driven_by[key]
        return f"{machine.gpu_name} was never supported by it: {reason}"
    ids = machine.pci_id or ", ".join(chip.pci_id for chip in machine.chips[:4])
    return f"no release of {key} lists {ids}, {machine.gpu_name}"


def _nothing_drives(machine: Machine) -> str | None:
    """Return why no driver for OpenCL exists for these chips; None: one may."""
    name, reason = machine.gpu_name, None
    if machine.generation is not None:
        reason = machine.generation.no_opencl_because
    elif machine.family is not None:
        name, reason = machine.family.name, machine.family.no_opencl_because
    return f"nothing drives {name}: {reason.rstrip('.')}" if reason is not None else None


def _not_under_wsl2(implementation: Implementation, machine: Machine) -> str:
    if implementation.not_under_wsl2 is not None:
        return f"under WSL2 there is none: {implementation.not_under_wsl2}"
    return (
        f"under WSL2 the GPU is reached through /dev/dxg, where {implementation.implementation} "
        f"does not drive {machine.gpu_name}"
    )


def _limits(implementation: Implementation, machine: Machine) -> list[str]:
    capabilities = machine.generation.capabilities if machine.generation is not None else {}
    limits = capabilities.get(implementation.implementation)
    return [sentence(limits.note)] if limits is not None and limits.note is not None else []


def _because(offer: Offer, implementation: Implementation, machine: Machine, found: Summary) -> str:
    said = f"{offer.offered_by} {implementation.implementation} {offer.release or ''}".rstrip()
    said = said[:1].upper() + said[1:]
    answer = found.answer
    some = found.verdict == "some" and not found.holds_for_most
    doubtful = some or (isinstance(answer, Open) and answer.what == "version")
    if not machine.chips and not doubtful and machine.family is not None:
        return f"{said}, which drives {machine.family.name}."
    if not machine.chips:
        return f"{said}; whether it drives {machine.gpu_name} is not known."
    text = f"{said}, which {'may drive' if doubtful else 'drives'} {machine.gpu_name}"
    linux = answer.linux
    force = linux.force_probe if linux is not None else None
    bound = {d for c in machine.chips for d in c.kernel_drivers} | {force}
    accepted = [d for d in implementation.kernel_drivers if d in bound]
    if linux is not None and linux.linux is not None and accepted and machine.system == "linux":
        text += f" through {' or '.join(accepted)} of Linux {linux.linux}"
    return text + "."


def _components(offer: Offer, machine: Machine, packages: tuple[str, ...] = ()) -> list[Component]:
    """Return the offer's packages, and those of `packages` that it does not name itself."""
    theirs, ours = offer.of_release, machine.distribution
    same_vendor = theirs is not None and ours is not None and theirs.id == ours.id
    kind = FilesOfOthers if offer.how == "file" and not same_vendor else Component
    versions = dict(zip(offer.packages, route_steps.versions_of(offer), strict=True))
    names = packages or offer.packages
    return [
        kind(name=name, version=versions.get(name, offer.version), origin=offer.origin)
        for name in names
    ]


def _cpu_route(
    offer: Offer, implementation: Implementation, machine: Machine, on_core: tuple[Release, ...]
) -> Route:
    """Return the route, given what is known of the offer on the machine's processor."""
    key = implementation.implementation
    said = f"{offer.offered_by} {key} {offer.release or ''}".rstrip()
    because = f"{said}, which runs OpenCL on the CPU: no GPU and no kernel driver are needed"
    notes = offer.notes if machine.core is None else filter(None, [offer.note])
    noted = [sentence(note) for note in notes]
    needs = [sentence(one.note) for one in on_core] + cpu_steps.cpu_caveats(offer, machine)
    return Route(
        rank=0,
        backend=key,
        stack=None,
        uses_gpu=False,
        status="unverified" if offer.entry.unverified else offer.status,
        because=sentence(because),
        components=tuple(_components(offer, machine)),
        steps=cpu_steps.for_cpu(offer, machine),
        caveats=(*noted, *windows.seen_under_wsl2(machine), *needs),
        sources=_sources(offer, implementation, *on_core),
        how=route_steps.how(offer, machine),
        # A note on a wheel is about its place; one on a package, what it needs or where it fails.
        essential=(*(noted if offer.how == "package" else ()), *needs),
    )


def _rejected(
    implementation: Implementation, because: str, *entries: Entry | Offer, of_gpu: str | None = None
) -> Rejected:
    return Rejected(
        backend=implementation.implementation,
        stack=None,
        because=sentence(because),
        sources=_sources(*entries, implementation),
        how=next((entry.how for entry in entries if isinstance(entry, Offer)), None),
        of_gpu=sentence(of_gpu) if of_gpu is not None else None,
    )


def _sources(*entries: Entry | Offer) -> tuple[Source, ...]:
    return all_sources(*(entry.sources for entry in entries))
