# SPDX-License-Identifier: MIT
"""Does an implementation, in a version, drive a GPU? If that is unknown: what would settle it."""

from typing import Literal

from clprobe.knowledge.table_types import Generation, GpuEntry, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import compare, in_range, in_words, upstream
from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import Unknown

Covers = Literal[True, False] | Unknown
_INTEL = "8086:"


def tables_cover(tables: Tables, implementation: str, version: str | None, pci_id: str) -> Covers:
    """Whether this implementation, in this version, drives this GPU.

    Unknown where the id, the implementation or the version decides and is not known; the reason
    says what would settle it. `version` is a driver's or a package's.
    """
    entry = tables.implementation(implementation)
    if entry is None:
        return Unknown(unknown=f"no table describes the implementation {implementation}")
    gpu = tables.gpu(pci_id)
    generation = tables.generation(gpu.generation) if gpu is not None else None
    return covers(entry, version, pci_id, gpu, generation)


def covers(
    implementation: Implementation,
    version: str | None,
    pci_id: str,
    gpu: GpuEntry | None,
    generation: Generation | None,
) -> Covers:
    """Answer for one GPU, given what the tables hold about each of the three."""
    if "gpu" not in implementation.device_types:
        return False
    key = implementation.implementation
    if not pci_id.lower().startswith(_INTEL):
        return _other_vendor(key, pci_id)
    if key in ("nvidia", "amd-rocm", "clover"):
        return False
    if gpu is None:
        return Unknown(unknown=f"{pci_id} is in no table; the driver's own list of ids decides")
    try:
        return _intel(key, version, gpu, generation)
    except ClprobeError as error:
        return Unknown(unknown=f"the version of {key} cannot be read: {error.message}")


def _other_vendor(key: str, pci_id: str) -> Covers:
    if key in ("compute-runtime", "compute-runtime-legacy1", "beignet", "intel-cpu"):
        return False
    vendor = {"nvidia": "10de:", "amd-rocm": "1002:"}.get(key)
    if vendor is not None and not pci_id.lower().startswith(vendor):
        return False
    return Unknown(unknown=f"the tables list Intel GPUs only, and {pci_id} is none")


def _intel(key: str, version: str | None, gpu: GpuEntry, generation: Generation | None) -> Covers:
    if key == "compute-runtime":
        return _mainline(version, gpu)
    if key == "compute-runtime-legacy1":
        return gpu.legacy1
    if key == "beignet":
        return _beignet(version, gpu)
    if key == "rusticl":
        return _rusticl(version, gpu, generation)
    return Unknown(unknown=f"no table says which Intel GPUs {key} drives")


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


def _rusticl(version: str | None, gpu: GpuEntry, generation: Generation | None) -> Covers:
    if gpu.mesa != "iris":
        return False
    support = generation.implementations.get("rusticl") if generation is not None else None
    if support is None:
        return Unknown(unknown="no table says since which Mesa rusticl drives it")
    if version is None:
        return Unknown(unknown=f"the version of Mesa decides: {support.versions} drives it")
    return _listed(upstream(version), gpu, support.versions)


def _listed(mesa: str, gpu: GpuEntry, seen: str) -> Covers:
    """Return whether this Mesa takes the id by itself; `seen` are versions that were looked at."""
    if in_range(mesa, f"<={gpu.mesa_lacks}" if gpu.mesa_lacks else "<22.3", "mesa"):
        return False
    if gpu.mesa_force_probe:
        return Unknown(unknown="Mesa drives it only where INTEL_FORCE_PROBE names its id")
    if gpu.mesa_since:
        seen = f">={gpu.mesa_since}"
    if in_range(mesa, seen, "mesa"):
        return True
    return Unknown(unknown=f"seen working with Mesa {in_words(seen)}; {mesa} was not looked at")
