# SPDX-License-Identifier: MIT
"""Judges one way of getting one implementation: a route, or the constraint that rules it out."""

from clprobe.compat.coverage import covers
from clprobe.install import cpu_steps, route_steps
from clprobe.install.history import last_packaged
from clprobe.install.linux_fit import LinuxFit, fit
from clprobe.install.linux_words import linux_caveats, newer_linux
from clprobe.install.machine import Machine
from clprobe.install.version_fit import version_fit
from clprobe.install.ways import Way, packaged
from clprobe.install.wording import sentence
from clprobe.knowledge.table_types import Entry, Implementation, Release
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare, in_range, in_words
from clprobe.model.finding import Source
from clprobe.model.plan import Component, Rejected, Route, RouteStatus

_STATUS: tuple[RouteStatus, ...] = ("supported", "workaround", "unverified")


def hopeless(implementation: Implementation, machine: Machine) -> Rejected | None:
    """Return why the implementation can never help on this hardware, or None."""
    because = _never(implementation, machine)
    if because is None:
        return None
    offers = packaged(implementation, machine)
    if offers and machine.has_gpu:
        key = implementation.implementation
        because = f"{offers[0].offered_by} {key} {offers[0].release}, but {because}"
    return _rejected(implementation, because, *machine.chips[:1])


def judge(
    way: Way, implementation: Implementation, machine: Machine, tables: Tables
) -> Route | Rejected:
    """Return the route that this way is (its rank still 0), or the rejection."""
    unfit = _unfit(way, implementation, machine)
    if unfit is not None:
        return _rejected(implementation, unfit, way)
    if "gpu" not in implementation.device_types or not _drives_gpus(implementation):
        refusal = _too_old_below(way, implementation, machine)
        if refusal is not None:
            return _rejected(implementation, refusal, way)
        return _cpu_route(way, implementation, machine)
    caveats: list[str] = []
    status = way.status
    coverage = version_fit(way, implementation, machine)
    if coverage.refusal is not None:
        return _rejected(implementation, coverage.refusal, way, *machine.chips[:1])
    if coverage.doubt is not None:
        caveats.append(sentence(coverage.doubt))
        status = _worst(status, "workaround" if coverage.some_chips else "unverified")
    linux = fit(machine, implementation)
    if linux.because is not None:
        return _rejected(implementation, linux.because, *_generations(machine))
    if linux.force_probe is not None or linux.newer == "backports":
        status = _worst(status, "workaround")
    known = _releases(way, implementation, machine, linux.linux)
    if any(release.breaks for release in known):
        status = _worst(status, "workaround")
    caveats += _caveats(way, machine, linux, known) + _limits(implementation, machine)
    environment = route_steps.enabled(implementation, machine)
    for release in known:
        environment |= release.environment
    return Route(
        rank=0,
        backend=implementation.implementation,
        stack=None,
        uses_gpu=True,
        status=status,
        because=_because(way, implementation, machine, linux),
        components=(*_components(way, machine, linux, tables), *_modules(way, implementation)),
        steps=route_steps.for_gpu(way, implementation, machine, linux, environment, tables),
        caveats=tuple(dict.fromkeys(caveats + route_steps.caveats(way, machine, environment))),
        sources=_sources(way, implementation, *machine.chips[:1], *known),
        how=route_steps.how(way, machine),
    )


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


def _drives_gpus(implementation: Implementation) -> bool:
    return bool(implementation.kernel_drivers)


def _never(implementation: Implementation, machine: Machine) -> str | None:
    key = implementation.implementation
    if implementation.architectures and machine.arch not in (None, *implementation.architectures):
        return f"{key} exists for {', '.join(implementation.architectures)}, not {machine.arch}"
    if machine.system == "windows":
        return f"{key} is for Linux; on Windows OpenCL comes with the GPU's or CPU's own driver"
    return _never_on_gpu(implementation, machine) if _drives_gpus(implementation) else None


def _never_on_gpu(implementation: Implementation, machine: Machine) -> str | None:
    if not machine.has_gpu:
        return "this machine has no GPU on its PCI bus"
    if machine.generation is not None:
        return _never_on_chips(implementation, machine)
    if machine.vendor is None:
        return "which GPU it is for is not stated; lspci -nn shows its PCI id, --gpu takes it"
    answer = covers(implementation, None, machine.some_id, None, None)
    return f"it does not drive {machine.gpu_name}" if answer is False else None


def _never_on_chips(implementation: Implementation, machine: Machine) -> str | None:
    key, generation = implementation.implementation, machine.generation
    if machine.system == "wsl2" and not _under_wsl2(implementation, machine):
        return (
            f"under WSL2 the GPU is reached through /dev/dxg, where {key} does not drive "
            f"{machine.gpu_name}"
        )
    answers = [covers(implementation, None, c.pci_id, c, generation) for c in machine.chips]
    if generation is None or any(answer is not False for answer in answers):
        return None
    if generation.no_opencl_because is not None:
        return f"nothing drives {machine.gpu_name}: {generation.no_opencl_because.rstrip('.')}"
    if key in generation.not_driven_by:
        reason = generation.not_driven_by[key]
        return f"{machine.gpu_name} was never supported by it: {reason}"
    ids = machine.pci_id or ", ".join(chip.pci_id for chip in machine.chips[:4])
    return f"no release of {key} lists {ids}, {machine.gpu_name}"


def _under_wsl2(implementation: Implementation, machine: Machine) -> bool:
    listed = implementation.wsl2
    return any(chip.platform in listed or chip.generation in listed for chip in machine.chips)


def _releases(
    way: Way, implementation: Implementation, machine: Machine, linux: str | None
) -> list[Release]:
    generation = machine.generation.generation if machine.generation is not None else None
    return [
        release
        for release in implementation.releases
        if (not release.generations or generation in release.generations)
        and _in_release(way, release, implementation)
        and (linux is None or in_range(linux, release.linux, "linux"))
    ]


def _in_release(way: Way, release: Release, implementation: Implementation) -> bool:
    if way.version is None or way.release is None:
        return release.versions == "*"
    if any(compare(way.version, mended, "debian") >= 0 for mended in release.mended):
        return False
    return in_range(way.release, release.versions, implementation.version_scheme)


def _caveats(way: Way, machine: Machine, linux: LinuxFit, known: list[Release]) -> list[str]:
    caveats = [sentence(way.note)] if way.note is not None else []
    caveats += [sentence(release.note) for release in known]
    return caveats + linux_caveats(machine, linux)


def _limits(implementation: Implementation, machine: Machine) -> list[str]:
    capabilities = machine.generation.capabilities if machine.generation is not None else {}
    limits = capabilities.get(implementation.implementation)
    return [sentence(limits.note)] if limits is not None and limits.note is not None else []


def _because(way: Way, implementation: Implementation, machine: Machine, linux: LinuxFit) -> str:
    said = f"{way.offered_by} {implementation.implementation} {way.release or ''}".rstrip()
    said = said[:1].upper() + said[1:]
    known = version_fit(way, implementation, machine).doubt is None
    if not machine.chips and known and machine.family is not None:
        return f"{said}, which drives {machine.family.name}."
    if not machine.chips:
        return f"{said}; whether it drives {machine.gpu_name} is not known."
    verb = "drives" if known else "may drive"
    text = f"{said}, which {verb} {machine.gpu_name}"
    bound = {d for c in machine.chips for d in c.kernel_drivers} | {linux.force_probe}
    accepted = [d for d in implementation.kernel_drivers if d in bound]
    if linux.linux is not None and accepted and machine.system == "linux":
        text += f" through {' or '.join(accepted)} of Linux {linux.linux}"
    return text + "."


def _components(
    way: Way, machine: Machine, linux: LinuxFit, tables: Tables
) -> tuple[Component, ...]:
    versions = route_steps.versions_of(way, tables)
    components = [
        Component(name=name, version=version, origin=way.origin)
        for name, version in zip(way.packages, versions, strict=True)
    ]
    return (*components, *newer_linux(machine, linux))


def _unfit(way: Way, implementation: Implementation, machine: Machine) -> str | None:
    """Return why nothing can be taken from there, whatever the hardware."""
    said = f"{way.offered_by} {implementation.implementation}"
    if way.architectures and machine.arch not in (None, *way.architectures):
        return f"{said} for {', '.join(way.architectures)}, not {machine.arch}"
    if way.third_party is not None and way.third_party.fingerprint is None:
        return (
            f"{said}, but no table vouches for the fingerprint of the key that signs it, so "
            "nothing is taken from there"
        )
    return None


def _modules(way: Way, implementation: Implementation) -> tuple[Component, ...]:
    """Return the package with the kernel module, where the driver needs its own."""
    names = route_steps.module_packages(way, implementation)
    return tuple(Component(name=n, version=way.version, origin=way.origin) for n in names)


def _too_old_below(way: Way, implementation: Implementation, machine: Machine) -> str | None:
    """Return why its files do not fit the C library or the Python, or None."""
    offered = f"{way.offered_by} {implementation.implementation} {way.version} for"
    shipped = machine.glibc
    if shipped is not None and not in_range(shipped, way.glibc, "dotted"):
        has = shipped if shipped != "0" else "musl"
        return f"{offered} glibc {in_words(way.glibc)}; {machine.os_name} has {has}"
    if machine.python is not None and not in_range(machine.python, way.python, "pep440"):
        return f"{offered} Python {in_words(way.python)}; {machine.os_name} has {machine.python}"
    return None


def _cpu_route(way: Way, implementation: Implementation, machine: Machine) -> Route:
    key = implementation.implementation
    said = f"{way.offered_by} {key} {way.release or ''}".rstrip()
    because = f"{said}, which runs OpenCL on the CPU: no GPU and no kernel driver are needed"
    caveats = [sentence(way.note)] if way.note is not None else []
    return Route(
        rank=0,
        backend=key,
        stack=None,
        uses_gpu=False,
        status=way.status,
        because=sentence(because),
        components=tuple(
            Component(name=name, version=way.versions.get(name, way.version), origin=way.origin)
            for name in way.packages
        ),
        steps=cpu_steps.for_cpu(way, machine),
        caveats=tuple(caveats + cpu_steps.cpu_caveats(way, machine)),
        sources=_sources(way, implementation),
        how=route_steps.how(way, machine),
    )


def _rejected(implementation: Implementation, because: str, *entries: Entry | Way) -> Rejected:
    return Rejected(
        backend=implementation.implementation,
        stack=None,
        because=sentence(because),
        sources=_sources(*entries, implementation),
        how=next((entry.how for entry in entries if isinstance(entry, Way)), None),
    )


def _sources(*entries: Entry | Way) -> tuple[Source, ...]:
    found = {source.url: source for entry in entries for source in entry.sources}
    return tuple(found.values())


def _generations(machine: Machine) -> list[Entry]:
    return [machine.generation] if machine.generation is not None else []


def _worst(one: RouteStatus, other: RouteStatus) -> RouteStatus:
    return max(one, other, key=_STATUS.index)
