# SPDX-License-Identifier: MIT
"""The machine a plan is for: a Target looked up in the tables."""

import re

import msgspec

from clprobe.compat.known_gpu import VENDOR_IDS, KnownGpu, gpus_of_entries
from clprobe.compat.linux_choice import Place
from clprobe.install.wishes import NO_WISHES, Wishes
from clprobe.knowledge.checked_yaml import nearest
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.table_types import PRE_PRODUCTION, Distribution, Generation, GpuEntry
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.model.plan import Target

NO_GPU = "none"
"""What a Target's `gpu` says when the machine verifiably has none."""


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the planner knows of the machine; None is "not known".

    `chips` are the GPUs that the name may mean, all of one generation; empty without a known one.
    `pci_id` is set where the target named one, in the tables or not. `family` are AMD's or
    NVIDIA's chips of that name. `gpu_name` is for sentences.
    `wishes` are what the person wants of the plan.
    """

    chips: tuple[GpuEntry, ...]
    generation: Generation | None
    pci_id: str | None
    has_gpu: bool
    gpu_name: str
    distribution: Distribution | None
    os_name: str
    linux: str | None
    python: str | None
    arch: str | None
    family: Family | None = None
    wishes: Wishes = NO_WISHES

    @property
    def vendor(self) -> str | None:
        """Who made the GPU: "intel", "nvidia", "amd", "another"; None if that is not known."""
        if self.family is not None:
            return self.family.vendor
        if self.pci_id is None:
            return "intel" if self.chips else None
        return VENDOR_IDS.get(self.pci_id[:4], "another")

    @property
    def system(self) -> str:
        """What it runs: "linux", "wsl2" or "windows"."""
        if self.os_name.lower().startswith("windows"):
            return "windows"
        return "wsl2" if self.linux is not None and "microsoft" in self.linux.lower() else "linux"

    @property
    def gpus(self) -> tuple[KnownGpu, ...]:
        """The GPUs that it may have, as the tables know them; one, if unknown, where none is."""
        if self.generation is not None and self.chips:
            return gpus_of_entries(self.chips, self.generation)
        return (KnownGpu(vendor=self.vendor, pci_id=self.pci_id, family=self.family),)

    @property
    def place(self) -> Place:
        """Where an implementation is to run."""
        return Place(
            release=self.distribution,
            linux=self.linux,
            python=self.python,
            arch=self.arch,
            wsl2=self.system == "wsl2",
        )


def look_up(target: Target, tables: Tables, wishes: Wishes = NO_WISHES) -> Machine:
    """Return the machine that `target` describes.

    Raises: ClprobeError if the GPU's name means nothing, or chips of several generations.
    """
    pci_ids = _pci_ids(target.gpu)
    family = _family(target.gpu, tables)
    chips = () if family is not None else _chips(target.gpu, pci_ids, tables)
    generation = tables.generation(chips[0].generation) if chips else None
    distribution = find_distribution(target.os, tables) if target.os else None
    return Machine(
        chips=chips,
        generation=generation,
        pci_id=pci_ids[0] if len(pci_ids) == 1 else None,
        has_gpu=target.gpu != NO_GPU,
        gpu_name=_gpu_name(target.gpu, chips, generation),
        distribution=distribution,
        os_name=_os_name(target.os, distribution),
        linux=target.linux,
        python=target.python or (distribution.python if distribution is not None else None),
        arch=target.arch,
        family=family,
        wishes=wishes,
    )


def find_distribution(name: str, tables: Tables) -> Distribution | None:
    """Return the release called `name`, such as ubuntu-24.04, "Ubuntu 24.04" or debian-bookworm."""
    distribution_id, _, release = re.sub(r"[\s:]+", "-", name.strip().lower()).partition("-")
    # os-release may say more than the tables: 3.24.1 of Alpine 3.24, 9.4 of RHEL 9.
    parts = release.split(".")
    for count in range(len(parts), 0, -1):
        found = tables.distribution(distribution_id, ".".join(parts[:count]))
        if found is not None:
            return found
    return None


def is_windows(name: str) -> bool:
    """Whether `name` is a Windows, such as windows-11."""
    return re.fullmatch(r"windows[ -]1[01]", name.strip().lower()) is not None


def check_distribution(name: str, tables: Tables) -> Distribution:
    """Return the release called `name`.

    Raises: ClprobeError if it is in no table; the hint names the nearest that are.
    """
    found = find_distribution(name, tables)
    if found is None:
        raise ClprobeError(
            reference="os-unknown",
            message=f"{name!r} is no distribution that the tables know.",
            hint=nearest(name.lower(), [d.key for d in tables.distributions()]),
        )
    return found


def _pci_ids(gpu: str | None) -> list[str]:
    return re.findall(r"\b[0-9a-f]{4}:[0-9a-f]{4}\b", (gpu or "").lower())


def _chips(gpu: str | None, pci_ids: list[str], tables: Tables) -> tuple[GpuEntry, ...]:
    if gpu is None or gpu == NO_GPU:
        return ()
    if pci_ids:
        known = [tables.gpu(pci_id) for pci_id in pci_ids]
        return tuple(c for c in known if c is not None and c.generation != PRE_PRODUCTION)
    found = tuple(entry for _, entry in tables.find_gpus(gpu))
    if not found:
        raise ClprobeError(
            reference="gpu-unknown",
            message=f"Unknown GPU {gpu!r}.",
            hint=tables.nearest_gpu_names(gpu),
        )
    generations = sorted({entry.generation for entry in found})
    if len(generations) > 1:
        first = {entry.generation: entry.pci_id for entry in reversed(found)}
        examples = ", ".join(f"{first[g]} ({g})" for g in generations)
        raise ClprobeError(
            reference="gpu-ambiguous",
            message=f"{gpu!r} means {len(found)} chips of several generations: {examples} …",
            hint="Give the PCI id, which lspci -nn shows.",
        )
    return found


def _family(gpu: str | None, tables: Tables) -> Family | None:
    """Return the one family that the name fits, of the vendor that the PCI id tells.

    A name of Intel's counts as that: HD 4600 is a Radeon, too.
    """
    if gpu is None or "8086:" in gpu or tables.find_gpus(gpu):
        return None
    vendor = VENDOR_IDS.get(gpu[:4])
    found = [
        family
        for family in tables.families().values()
        if vendor in (None, family.vendor)
        and any(re.search(name, gpu, re.IGNORECASE) for name in family.names)
    ]
    return found[0] if len(found) == 1 else None


def _gpu_name(gpu: str | None, chips: tuple[GpuEntry, ...], generation: Generation | None) -> str:
    if gpu is None:
        return "the GPU, which is not stated"
    if not chips or generation is None:
        return gpu
    names = {generation.platforms[c.platform].names.partition(":")[0] for c in chips}
    return f"{' or '.join(sorted(names))} ({generation.generation})"


def _os_name(name: str | None, distribution: Distribution | None) -> str:
    if distribution is not None:
        return distribution.short_name
    return name or "the distribution, which is not stated"
