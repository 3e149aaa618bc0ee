# SPDX-License-Identifier: MIT
"""Says what each GPU is, which drivers could drive it, and whether the installed ones do."""

from collections.abc import Iterable

from msgspec.structs import asdict

from clprobe.compat.coverage import covers_all, version_range
from clprobe.compat.known_gpu import INTEL, MODULES, KnownGpu, gpus_of_entries
from clprobe.compat.linux_choice import (
    Identity,
    is_in_range,
    known_flaw,
    likely_linux,
    linux_binds,
    linux_fits,
    linux_is_suspect,
    linux_problem,
)
from clprobe.compat.packages import installable
from clprobe.facts.hardware_facts import Fit, GpuFacts
from clprobe.facts.runtimes import Runtime
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.named_gpu import VENDOR_IDS, NamedGpu
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.table_types import Generation, GpuEntry, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import conditions
from clprobe.model.hardware import Gpu
from clprobe.model.system import System
from clprobe.model.unknown import NOT_STATED, UNLISTED, Fact, Unknown, known

_FORMS = Forms("said")
_WITHOUT_TABLE = ("amd", "nvidia", "arm", "qualcomm", "broadcom", "apple")
"""Vendors of whose chips the table of generations holds none."""


def judge_gpu(
    gpu: Gpu,
    runtimes: Fact[tuple[Runtime, ...]],
    system: System,
    tables: Tables,
    *,
    presuming: bool = False,
) -> GpuFacts:
    """Return the GPU with everything but its OpenCL device and the driver that has it.

    `presuming`: one of which the maker alone is told is one that computes, as nearly all do.
    """
    linux = system.linux.release
    named = _named(gpu, tables)
    vendor = _vendor(gpu, named)
    family = named.family
    identity = _identity(gpu, named, tables)
    entry = identity.entry
    unlisted = gpu.pci_id if isinstance(gpu.pci_id, Unknown) else None
    suitable = _suitable(identity, vendor, tables)
    fits: Fact[tuple[Fit, ...]] = NOT_STATED
    if isinstance(runtimes, Unknown):
        fits = runtimes
    elif not isinstance(vendor, Unknown):
        meant = [run for run in runtimes if _is_meant_for(run.implementation, vendor, tables)]
        fits = tuple(_fit(run, identity, linux, tables) for run in meant)
    return GpuFacts(
        **asdict(gpu),
        vendor=vendor,
        generation=_generation(gpu, identity, vendor),
        pytorch_xpu=_pytorch_xpu(_generation(gpu, identity, vendor), vendor, tables),
        family=_family_name(gpu, family, vendor),
        codename=entry.codename if entry is not None else unlisted,
        marketing_name=entry.name if entry is not None else unlisted,
        label=_label(gpu, entry, vendor),
        computes=_computes(identity, vendor, presuming=presuming),
        discrete=_all_or_none(platform.cpus == "discrete" for platform in identity.platforms),
        needs_firmware=_all_or_none(platform.firmware for platform in identity.platforms),
        linux_binds=linux_binds(identity, linux),
        linux_suspect=linux_is_suspect(
            tables.implementations().values(), identity, likely_linux(system, tables)
        ),
        implementations=suitable,
        left_out_by=_left_out_by(identity.generation or family),
        installable=installable(suitable, gpu.pci_id, tables, system.distribution),
        installed=fits if isinstance(fits, Unknown) else tuple(f.implementation for f in fits),
        fits=fits,
    )


def _named(gpu: Gpu, tables: Tables) -> NamedGpu:
    """Return what the PCI id stands for, or where no table has it, what the name does."""
    pci_id, name = known(gpu.pci_id), known(gpu.name)
    by_id = tables.named_gpu(pci_id) if pci_id is not None else NamedGpu()
    if by_id.is_known or name is None:
        return by_id
    by_name = tables.named_gpu(name)
    if pci_id is None:
        # A processor without a GPU says nothing of the GPU that is listed under its name.
        inside = by_name.nothing_because is not None and tables.processor(name) is not None
        return NamedGpu() if inside else by_name
    vendor = VENDOR_IDS.get(pci_id[:4].lower())
    return NamedGpu(families=tuple(one for one in by_name.families if one.vendor == vendor))


def _identity(gpu: Gpu, named: NamedGpu, tables: Tables) -> Identity:
    pci_id = known(gpu.pci_id)
    if named.family is not None:
        return Identity((KnownGpu(vendor=named.family.vendor, pci_id=pci_id, family=named.family),))
    if len({entry.generation for entry in named.chips}) == 1:
        # A name may belong to several PCI ids; it tells what they have in common.
        generation = tables.generation(named.chips[0].generation)
        if generation is not None:
            return Identity(gpus_of_entries(named.chips, generation))
        only = named.chips[0]
        return Identity((KnownGpu(vendor=INTEL, pci_id=only.pci_id, entry=only),))
    if pci_id is not None:
        vendor = VENDOR_IDS.get(pci_id[:4].lower(), "another")
        return Identity((KnownGpu(vendor=vendor, pci_id=pci_id),))
    return Identity()


def _left_out_by(chips: Generation | Family | None) -> Fact[tuple[str, ...]]:
    """Return the implementations whose later releases no longer drive these chips."""
    if chips is None:
        return UNLISTED
    return tuple(
        key
        for key, support in chips.implementations.items()
        if any(sign.startswith("<") for sign, _ in conditions(support.versions))
    )


def _pytorch_xpu(
    generation: Fact[str | None], vendor: Fact[str], tables: Tables
) -> Fact[str | None]:
    """Return what the table of stacks says of it under PyTorch's XPU backend."""
    if vendor != "intel":
        return vendor if isinstance(vendor, Unknown) else None
    if not isinstance(generation, str):
        return UNLISTED if generation is None else generation
    stack = tables.stack("pytorch-xpu")
    supports = stack.supports if stack is not None else ()
    return next((one.outcome for one in supports if generation in one.generations), UNLISTED)


def _all_or_none(verdicts: Iterable[bool]) -> Fact[bool]:
    """Return what holds for every chip that the GPU may be."""
    found = set(verdicts)
    return found.pop() if len(found) == 1 else UNLISTED


def _vendor(gpu: Gpu, named: NamedGpu) -> Fact[str]:
    if named.virtual:
        return "virtual"
    if isinstance(gpu.pci_id, str):
        return VENDOR_IDS.get(gpu.pci_id.split(":")[0].lower(), "other")
    if named.chips or named.families:
        return named.families[0].vendor if named.families else INTEL
    if named.nothing_because is not None:
        return "other"
    said = _FORMS.meaning("vendors", gpu.name) if isinstance(gpu.name, str) else None
    return said or gpu.pci_id


def _generation(gpu: Gpu, identity: Identity, vendor: Fact[str]) -> Fact[str | None]:
    if identity.generation is not None:
        return identity.generation.generation
    if isinstance(gpu.pci_id, str) or vendor in (*_WITHOUT_TABLE, "virtual", "other"):
        return None
    return gpu.pci_id


def _family_name(gpu: Gpu, family: Family | None, vendor: Fact[str]) -> Fact[str | None]:
    if family is not None:
        return family.name
    if vendor in ("amd", "nvidia"):
        return UNLISTED
    return gpu.name if isinstance(gpu.name, Unknown) else None


def _label(gpu: Gpu, entry: GpuEntry | None, vendor: Fact[str]) -> str:
    listed = entry.name or entry.codename if entry is not None else None
    place = known(gpu.pci_address)
    maker = {"intel": "Intel ", "amd": "AMD ", "nvidia": "NVIDIA "}.get(str(vendor), "")
    name = listed or known(gpu.name) or f"{maker}GPU"
    detail = ", ".join(filter(None, (known(gpu.pci_id), f"at {place}" if place else None)))
    return f"{name} ({detail})" if detail else name


def _computes(identity: Identity, vendor: Fact[str], *, presuming: bool) -> Fact[bool]:
    family = identity.gpus[0].family if identity.gpus else None
    if family is not None and family.no_opencl_because is not None:
        return False
    if vendor in _WITHOUT_TABLE:
        return True
    if vendor in ("virtual", "other"):
        return False
    if identity.generation is None:
        if isinstance(vendor, Unknown):
            return vendor
        return True if presuming and not identity.gpus else UNLISTED
    return bool(identity.generation.implementations)


def _suitable(identity: Identity, vendor: Fact[str], tables: Tables) -> Fact[tuple[str, ...]]:
    if isinstance(vendor, Unknown):
        return vendor
    meant = [key for key in tables.implementations() if _is_meant_for(key, vendor, tables)]
    if vendor != "intel":
        return tuple(meant)
    if identity.generation is None:
        return UNLISTED
    return tuple(
        key
        for key in meant
        if covers_all(tables.implementations()[key], None, identity.gpus) is not False
    )


def _is_meant_for(implementation: str, vendor: str, tables: Tables) -> bool:
    entry = tables.implementation(implementation)
    return entry is not None and not entry.modules.isdisjoint(MODULES.get(vendor, ()))


def _fit(runtime: Runtime, identity: Identity, linux: Fact[str], tables: Tables) -> Fit:
    entry = tables.implementation(runtime.implementation)
    covers = _covers(runtime.version, entry, identity)
    versions = version_range(entry, identity.gpus[0]) if entry and identity.gpus else None
    scheme = entry.version_scheme if entry is not None else "dotted"
    as_installed = _as_installed(entry, identity)
    if as_installed is not None:
        versions = as_installed
        if covers is True and isinstance(runtime.version, str):
            covers = is_in_range(runtime.version, as_installed, scheme)
    old = _breaks(runtime.version, versions, scheme, ">")
    new = _breaks(runtime.version, versions, scheme, "<")
    if covers is True or (covers is False and versions is None):
        old, new = False, False  # it drives it, or no release ever did
    elif isinstance(covers, Unknown) and (covers == UNLISTED or isinstance(runtime.version, str)):
        # Within the bounds or beyond them, the table leaves it open.
        old = False if old is False and versions is not None else covers
        new = False if new is False and versions is not None else covers
    likely = isinstance(runtime.version, Unknown) and isinstance(runtime.likely_version, str)
    return Fit(
        icd=runtime.source,
        implementation=runtime.implementation,
        version=runtime.version,
        covers=covers,
        likely_covers=_covers(runtime.likely_version, entry, identity) if likely else covers,
        too_old=old,
        too_new=new,
        linux_fits=linux_fits(entry, identity, linux),
        linux_problem=linux_problem(entry, runtime.version, identity, linux),
        known_flaw=known_flaw(entry, runtime.version, identity, runtime.said),
        loadable=runtime.loadable,
    )


def _covers(version: Fact[str], entry: Implementation | None, identity: Identity) -> Fact[bool]:
    """Return whether a version drives the GPU; UNLISTED where no table says it of such GPUs."""
    if entry is None or not identity.gpus:
        return UNLISTED
    answer = covers_all(entry, known(version), identity.gpus)
    if not isinstance(answer, Unknown):
        return answer
    first = identity.gpus[0]
    if first.vendor != INTEL and version_range(entry, first) is None:
        return UNLISTED
    # Known id and version and no answer: the table says what would settle it.
    return version if isinstance(version, Unknown) else answer


def _as_installed(entry: Implementation | None, identity: Identity) -> str | None:
    """Return the versions that drive a family where no variable is set; None: all that ever do."""
    family = identity.gpus[0].family if identity.gpus else None
    if entry is None or family is None:
        return None
    for release in entry.releases:
        if release.breaks and release.environment and family.family in release.families:
            return next(f"<{bound}" for sign, bound in conditions(release.versions) if sign == ">=")
    return None


def _breaks(version: Fact[str], versions: str | None, scheme: str, side: str) -> Fact[bool]:
    """Whether a bound of that side (">" lower, "<" upper) is what keeps the version out."""
    if versions is None:
        return version if isinstance(version, Unknown) else False
    bounds = [f"{sign}{bound}" for sign, bound in conditions(versions) if sign.startswith(side)]
    if isinstance(version, Unknown):
        return version if bounds else False  # no version could be too new where none is excluded
    return any(is_in_range(version, bound, scheme) is False for bound in bounds)
