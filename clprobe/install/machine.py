# SPDX-License-Identifier: MIT
"""The machine a plan is for: what is stated of it, looked up in the tables."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from clprobe.compat.known_gpu import KnownGpu, gpus_of_entries
from clprobe.compat.linux_choice import Place
from clprobe.install.stated_gpu import StatedGpu
from clprobe.install.target import Stated
from clprobe.knowledge.core_table import Core
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.named_gpu import VENDOR_IDS, NamedGpu
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
    folder that Python packages must come from; `engine` runs the containers. `contained`: what is
    planned is to run inside one.
    """

    want: Literal["gpu", "cpu"] | None = None
    root: bool = True
    third_party: bool = True
    wheels: str | None = None
    engine: Engine = "podman"
    contained: bool = False


NO_WISHES = Wishes()


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the planner knows of the machine; None is "not known".

    `chips` are the GPUs that the name may mean, all of one generation; empty without a known one.
    `pci_id` is set where the target named one, in the tables or not. `family` are chips of that
    name which are not in gpus/. `no_gpu_because`: there is none that computes. `gpu_name` is for
    sentences. `core` is the processor's. `windows_driver` is the vendor's for Windows. `wishes` are
    what the person wants.
    """

    chips: tuple[GpuEntry, ...]
    generation: Generation | None
    pci_id: str | None
    no_gpu_because: str | None
    gpu_name: str
    distribution: Distribution | None
    os_name: str
    linux: str | None
    python: str | None
    arch: str | None
    core: Core | None = None
    family: Family | None = None
    windows: bool = False
    wsl: bool = False
    windows_driver: WindowsDriver | None = None
    wishes: Wishes = NO_WISHES

    @property
    def has_gpu(self) -> bool:
        """Whether it may have a GPU that computes."""
        return self.no_gpu_because is None

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
        return "wsl2" if self.wsl else "linux"

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
            core=self.core,
            wsl2=self.system == "wsl2",
        )


def look_up(stated: Stated, tables: Tables, wishes: Wishes = NO_WISHES) -> Machine:
    """Return the machine that `stated` describes.

    Raises: ClprobeError if the GPU's name means nothing, or chips of several generations.
    """
    gpu, release = stated.gpu, stated.release
    named = _named(gpu, tables)
    family = named.family
    nothing = gpu.nothing_because if gpu is not None else None
    chips = _chips(gpu, named, tables) if gpu is not None and not (nothing or family) else ()
    generation = tables.generation(chips[0].generation) if chips else None
    machine = Machine(
        chips=chips,
        generation=generation,
        pci_id=gpu.pci_ids[0] if gpu is not None and len(gpu.pci_ids) == 1 else None,
        no_gpu_because=nothing,
        gpu_name=_gpu_name(gpu, chips, generation),
        distribution=release,
        os_name=release.short_name if release is not None else stated.os or _NO_OS,
        linux=stated.linux,
        python=stated.python or (release.python if release is not None else None),
        arch=family.architecture
        if family is not None and family.architecture is not None
        else stated.arch,
        core=stated.core,
        family=family,
        windows=stated.windows,
        wsl=stated.wsl,
        wishes=wishes,
    )
    return replace(machine, windows_driver=tables.windows_drivers().get(machine.vendor or ""))


def _named(gpu: StatedGpu | None, tables: Tables) -> NamedGpu:
    """Return what the one PCI id means where the tables know it, else what the name does."""
    if gpu is None or gpu.nothing_because is not None:
        return NamedGpu()
    if gpu.family is not None:
        return NamedGpu(families=(tables.families()[gpu.family],))
    by_id = tables.named_gpu(gpu.pci_ids[0]) if len(gpu.pci_ids) == 1 else NamedGpu()
    if by_id.is_known or len(gpu.pci_ids) > 1:
        return by_id
    by_name = tables.named_gpu(gpu.name)
    vendor = VENDOR_IDS.get(gpu.pci_ids[0][:4]) if gpu.pci_ids else None
    agree = vendor is None or all(one.vendor == vendor for one in by_name.families)
    return by_name if agree else by_id


def _chips(gpu: StatedGpu, named: NamedGpu, tables: Tables) -> tuple[GpuEntry, ...]:
    if len(named.families) > 1:
        names = " or ".join(one.name for one in named.families)
        raise ClprobeError(
            reference="gpu-ambiguous",
            message=f"{gpu.text!r} is the name of several GPUs: {names}.",
            hint="Give the PCI id, which lspci -nn shows.",
        )
    if not gpu.pci_ids:
        raise ClprobeError(
            reference="gpu-unknown",
            message=f"Unknown GPU {gpu.text!r}.",
            hint=tables.nearest_gpu_names(gpu.name),
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


def _gpu_name(
    gpu: StatedGpu | None, chips: tuple[GpuEntry, ...], generation: Generation | None
) -> str:
    if gpu is None:
        return "the GPU, which is not stated"
    if not chips or generation is None:
        return gpu.text
    names = {generation.platforms[c.platform].names.partition(":")[0] for c in chips}
    return f"{' or '.join(sorted(names))} ({generation.generation})"
