# SPDX-License-Identifier: MIT
"""Does an implementation, in a version, drive a GPU? If that is unknown: what would settle it."""

from collections.abc import Sequence
from typing import Literal

from clprobe.compat.known_gpu import MODULES, KnownGpu, alike, gpu_of_id
from clprobe.knowledge.table_types import GpuEntry, Implementation, Support
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare, in_range, in_words, upstream
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import Unknown

OTHER_MAKERS = "it does not drive GPUs of this maker"
Covers = Literal[True, False] | Unknown


def tables_cover(tables: Tables, implementation: str, version: str | None, pci_id: str) -> Covers:
    """Whether this implementation, in this version, drives this GPU.

    Unknown where the id, the implementation or the version decides and is not known; the reason
    says what would settle it. `version` is a driver's or a package's.
    """
    entry = tables.implementation(implementation)
    if entry is None:
        return Unknown(unknown=f"no table describes the implementation {implementation}")
    return covers(entry, version, gpu_of_id(pci_id, tables))


def covers(implementation: Implementation, version: str | None, gpu: KnownGpu) -> Covers:
    """Answer for one GPU; `version` None asks whether any version drives it."""
    if not drives_gpus(implementation) or not is_for_vendor(implementation, gpu):
        return False
    unlisted = _unlisted(gpu)
    if unlisted is not None:
        return unlisted
    try:
        if gpu.entry is None:
            return _of_family(implementation, version, gpu)
        return _intel(implementation, version, gpu, gpu.entry)
    except ClprobeError as error:
        key = implementation.implementation
        return Unknown(unknown=f"the version of {key} cannot be read: {error.message}")


def _unlisted(gpu: KnownGpu) -> Unknown | None:
    """Return why no table says anything of the GPU, or None."""
    if gpu.entry is not None or gpu.family is not None:
        return None
    if gpu.vendor is None:
        return Unknown(unknown="which GPU it is for is not known")
    return Unknown(unknown=f"{gpu.pci_id} is in no table; the driver's own list of ids decides")


def drives_gpus(implementation: Implementation) -> bool:
    """Whether it computes on GPUs, through a module of Linux, and not on the CPU alone."""
    return "gpu" in implementation.device_types and bool(implementation.kernel_drivers)


def covers_all(
    implementation: Implementation, version: str | None, gpus: Sequence[KnownGpu]
) -> Covers:
    """Answer for a GPU that may be each of several; Unknown where they differ."""
    answers = [covers(implementation, version, group[0]) for group in alike(gpus)]
    unknown = [answer for answer in answers if isinstance(answer, Unknown)]
    if unknown:
        return unknown[0]
    if len(set(answers)) == 1:
        return answers[0]
    return Unknown(unknown="it drives some of the chips of that name; the PCI id decides")


def version_range(implementation: Implementation, gpu: KnownGpu) -> str | None:
    """Return the range of versions that drive the GPU, as far as a range says it."""
    entry, support = gpu.entry, _support(implementation, gpu)
    if entry is not None and implementation.ids_listed == "neo" and entry.neo is not None:
        return entry.neo
    if entry is not None and implementation.ids_listed == "mesa" and entry.mesa_since is not None:
        return f">={entry.mesa_since}"
    return support.versions if support is not None else None


def needed_versions(implementation: Implementation, gpu: KnownGpu) -> str | None:
    """Return in words which versions drive the GPU; None: none does, or which ones is not known."""
    if covers(implementation, None, gpu) is False:
        return None
    entry = gpu.entry
    by_commit = entry is not None and entry.beignet_upstream != "1.3.2"
    if entry is not None and implementation.ids_listed == "beignet" and by_commit:
        return f"{entry.beignet} or newer" if entry.beignet else "a later commit than 1.3.2"
    versions = version_range(implementation, gpu)
    return in_words(versions) if versions is not None else None


def why_never(implementation: Implementation, gpu: KnownGpu) -> str:
    """Return why no version drives the GPU, as far as the tables say."""
    if not is_for_vendor(implementation, gpu):
        return OTHER_MAKERS
    key, known = implementation.implementation, gpu.generation or gpu.family
    reason = known.not_driven_by.get(key) if known is not None else None
    if reason is None and known is not None:
        reason = known.no_opencl_because
    return (reason or "no release of it lists this GPU").rstrip(".")


def is_for_vendor(implementation: Implementation, gpu: KnownGpu) -> bool:
    """Whether it may drive GPUs of this vendor; of a vendor that nobody listed it may."""
    if gpu.vendor is None or not implementation.kernel_drivers:
        return True
    if gpu.vendor in MODULES:
        return bool(implementation.modules & MODULES[gpu.vendor])
    return bool(
        implementation.modules
        - frozenset.union(MODULES["intel"], MODULES["amd"], MODULES["nvidia"])
    )


def is_makers_current(implementation: Implementation) -> bool:
    """Whether it is the driver that a maker of GPUs keeps up for its own: what people expect."""
    makers = [vendor for vendor, modules in MODULES.items() if implementation.modules & modules]
    return len(makers) == 1 and implementation.status.startswith("maintained")


def _support(implementation: Implementation, gpu: KnownGpu) -> Support | None:
    known = gpu.generation or gpu.family
    return known.implementations.get(implementation.implementation) if known is not None else None


def _of_family(implementation: Implementation, version: str | None, gpu: KnownGpu) -> Covers:
    key, family, support = implementation.implementation, gpu.family, _support(implementation, gpu)
    if family is not None and (family.no_opencl_because or key in family.not_driven_by):
        return False
    if support is None:
        return Unknown(unknown=f"no table says which {key} drives {gpu.family and gpu.family.name}")
    if implementation.ids_listed == "mesa" and version is not None:
        if support.never is not None and in_range(upstream(version), support.never, "mesa"):
            return False
        return _seen_with(upstream(version), support.versions)
    return _in_range(implementation, version, support.versions)


def _in_range(implementation: Implementation, version: str | None, versions: str) -> Covers:
    key, scheme = implementation.implementation, implementation.version_scheme
    if version is None:
        return Unknown(unknown=f"the version of {key} decides: {in_words(versions)} drives it")
    number = version if scheme == "debian" else upstream(version)
    return in_range(number, versions, scheme)


def _intel(
    implementation: Implementation, version: str | None, gpu: KnownGpu, entry: GpuEntry
) -> Covers:
    support = _support(implementation, gpu)
    if implementation.ids_listed == "neo":
        return _mainline(version, entry)
    if implementation.ids_listed == "legacy1":
        return entry.legacy1
    if implementation.ids_listed == "beignet":
        return _beignet(version, entry)
    if implementation.ids_listed == "mesa":
        return _rusticl(version, entry, support)
    # No list of ids: what the generation says holds for all of its chips.
    return _in_range(implementation, version, support.versions) if support is not None else False


def _mainline(version: str | None, gpu: GpuEntry) -> Covers:
    if gpu.neo is None:
        return False
    if version is None:
        return Unknown(unknown=f"the version of compute-runtime decides: {gpu.neo} drives it")
    number = upstream(version)
    if in_range(number, gpu.neo, "neo"):
        return True
    built_with_legacy = gpu.legacy1 and in_range(number, ">24.31.30508.7, <24.39", "neo")
    if built_with_legacy:
        return Unknown(
            unknown="24.35 drives it only where it was built with the legacy platforms; "
            "upstream's own packages are not"
        )
    return False


def _beignet(version: str | None, gpu: GpuEntry) -> Covers:
    if gpu.beignet is None and gpu.beignet_upstream is None:
        return False
    needed = gpu.beignet or "a later commit than 1.3.2"
    if version is None:
        return Unknown(unknown=f"the version of Beignet decides: {needed} and later drive it")
    if gpu.beignet is not None and "-" in version:
        return compare(version, gpu.beignet, "debian") >= 0
    if gpu.beignet_upstream == "1.3.2" and compare(upstream(version), "1.3.2", "dotted") >= 0:
        return True
    first = upstream(gpu.beignet) if gpu.beignet else "1.3.2"
    order = compare(_short(version), _short(first), "dotted")
    if order:
        return order > 0
    # A driver says 1.3 for every 1.3.x, and distributions added ids in package revisions.
    return Unknown(unknown=f"Beignet {version} leaves open which package it is; {needed} drives it")


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _rusticl(version: str | None, gpu: GpuEntry, support: Support | None) -> Covers:
    if gpu.mesa != "iris":
        return False
    if support is None:
        return Unknown(unknown="no table says since which Mesa rusticl drives it")
    if version is None:
        return Unknown(unknown=f"the version of Mesa decides: {support.versions} drives it")
    return _listed(upstream(version), gpu, support.versions)


def _listed(mesa: str, gpu: GpuEntry, seen: str) -> Covers:
    """Return whether this Mesa takes the id by itself; `seen` are versions that were looked at."""
    if gpu.mesa_lacks and in_range(mesa, f"<={gpu.mesa_lacks}", "mesa"):
        return False
    if gpu.mesa_until and in_range(mesa, f">{gpu.mesa_until}", "mesa"):
        return False
    if gpu.mesa_force_probe:
        return Unknown(unknown="Mesa drives it only where INTEL_FORCE_PROBE names its id")
    return _seen_with(mesa, f">={gpu.mesa_since}" if gpu.mesa_since else seen)


def _seen_with(mesa: str, seen: str) -> Covers:
    """Answer where `seen` are versions of Mesa that were looked at, of all that have rusticl."""
    if in_range(mesa, "<22.3", "mesa"):
        return False
    if in_range(mesa, seen, "mesa"):
        return True
    return Unknown(unknown=f"seen working with Mesa {in_words(seen)}; {mesa} was not looked at")
