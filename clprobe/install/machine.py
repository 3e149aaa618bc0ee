# SPDX-License-Identifier: MIT
"""The machine a plan is for: what is stated of it, looked up in the tables."""

import re
from typing import Literal

import msgspec
from msgspec.structs import replace

from clprobe.compat.known_gpu import VENDOR_IDS, KnownGpu, gpus_of_entries
from clprobe.compat.linux_choice import Place
from clprobe.install.target import NO_GPU, Stated, StatedGpu
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.table_types import PRE_PRODUCTION, Distribution, Generation, GpuEntry
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.windows_table import WindowsDriver
from clprobe.model.action import Engine
from clprobe.model.errors import ClprobeError

_NO_OS = "the distribution, which is not stated"


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the person wants.

    `root` and `third_party` False: no step may need root, and nothing may come from a repository
    or a file that is neither the distribution's nor a package index of Python. `wheels` is the
    folder that Python packages must come from; `engine` runs the containers.
    """

    want: Literal["gpu", "cpu"] | None = None
    root: bool = True
    third_party: bool = True
    wheels: str | None = None
    engine: Engine = "podman"


NO_WISHES = Wishes()


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the planner knows of the machine; None is "not known".

    `chips` are the GPUs that the name may mean, all of one generation; empty without a known one.
    `pci_id` is set where the target named one, in the tables or not. `family` are another vendor's
    chips of that name. `gpu_name` is for sentences.
    `windows_driver` is the vendor's for Windows. `wishes` are what the person wants of the plan.
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
    windows: bool = False
    wsl: bool = False
    windows_driver: WindowsDriver | None = None
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
        if self.windows:
            return "windows"
        under_windows = (self.linux is not None and "microsoft" in self.linux.lower()) or self.wsl
        return "wsl2" if under_windows else "linux"

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


def look_up(stated: Stated, tables: Tables, wishes: Wishes = NO_WISHES) -> Machine:
    """Return the machine that `stated` describes.

    Raises: ClprobeError if the GPU's name means nothing, or chips of several generations.
    """
    gpu, release = stated.gpu, stated.release
    family = _family(gpu, tables)
    chips = _chips(gpu, tables) if gpu not in (None, NO_GPU) and family is None else ()
    generation = tables.generation(chips[0].generation) if chips else None
    machine = Machine(
        chips=chips,
        generation=generation,
        pci_id=gpu.pci_ids[0] if gpu is not None and len(gpu.pci_ids) == 1 else None,
        has_gpu=gpu != NO_GPU,
        gpu_name=_gpu_name(gpu, chips, generation),
        distribution=release,
        os_name=release.short_name if release is not None else stated.os or _NO_OS,
        linux=stated.linux,
        python=stated.python or (release.python if release is not None else None),
        arch=family.architecture
        if family is not None and family.architecture is not None
        else stated.arch,
        family=family,
        windows=stated.windows,
        wsl="wsl" in (stated.os or "").lower(),
        wishes=wishes,
    )
    return replace(machine, windows_driver=tables.windows_drivers().get(machine.vendor or ""))


def _chips(gpu: StatedGpu, tables: Tables) -> tuple[GpuEntry, ...]:
    if not gpu.pci_ids:
        without = tables.processor(gpu.name) is not None
        raise ClprobeError(
            reference="gpu-unknown",
            message=f"{gpu.text} has no GPU." if without else f"Unknown GPU {gpu.text!r}.",
            hint="Name the graphics card beside it, which lspci -nn shows."
            if without
            else tables.nearest_gpu_names(gpu.name),
        )
    known = [tables.gpu(pci_id) for pci_id in gpu.pci_ids]
    found = tuple(c for c in known if c is not None and c.generation != PRE_PRODUCTION)
    first = {entry.generation: entry.pci_id for entry in reversed(found)}
    if len(first) > 1:
        examples = ", ".join(f"{pci_id} ({key})" for key, pci_id in sorted(first.items()))
        raise ClprobeError(
            reference="gpu-ambiguous",
            message=f"{gpu.text!r} means {len(found)} chips of several generations: {examples} …",
            hint="Give the PCI id, which lspci -nn shows.",
        )
    return found


def _family(gpu: StatedGpu | None, tables: Tables) -> Family | None:
    """Return the one family that the name fits, of the vendor that the PCI id tells.

    A name of Intel's counts as that: HD 4600 is a Radeon, too.
    """
    if gpu is None or any(pci_id.startswith("8086:") for pci_id in gpu.pci_ids):
        return None
    vendor = VENDOR_IDS.get(gpu.pci_ids[0][:4]) if gpu.pci_ids else None
    found = [
        family
        for family in tables.families().values()
        if vendor in (None, family.vendor)
        and any(re.search(name, gpu.name, re.IGNORECASE) for name in family.names)
    ]
    return found[0] if len(found) == 1 else None


def _gpu_name(
    gpu: StatedGpu | None, chips: tuple[GpuEntry, ...], generation: Generation | None
) -> str:
    if gpu is None:
        return "the GPU, which is not stated"
    if not chips or generation is None:
        return gpu.text
    names = {generation.platforms[c.platform].names.partition(":")[0] for c in chips}
    return f"{' or '.join(sorted(names))} ({generation.generation})"
