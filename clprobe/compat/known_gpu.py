# SPDX-License-Identifier: MIT
"""A GPU as the tables know it: what each answer about it rests on."""

from collections.abc import Iterable, Sequence

import msgspec

from clprobe.knowledge.family_table import Family
from clprobe.knowledge.named_gpu import VENDOR_IDS
from clprobe.knowledge.table_types import Generation, GpuEntry, Implementation, Platform
from clprobe.knowledge.tables import Tables

MODULES = {
    "intel": frozenset({"i915", "xe"}),
    "amd": frozenset({"amdgpu"}),
    "nvidia": frozenset({"nvidia"}),
    "arm": frozenset({"mali", "panfrost", "panthor"}),
    "qualcomm": frozenset({"kgsl", "msm"}),
    "broadcom": frozenset({"v3d", "vc4"}),
    "apple": frozenset({"asahi"}),
}
"""The modules of Linux through which OpenCL implementations reach each vendor's GPUs."""
INTEL = "intel"


class KnownGpu(msgspec.Struct, frozen=True, kw_only=True):
    """What a PCI id or a name stands for.

    `vendor` is a key of MODULES, "another", or None where it is not known. `entry` and `generation`
    are those of an Intel PCI id, `family` that of chips which are not in gpus/.
    """

    vendor: str | None
    pci_id: str | None = None
    entry: GpuEntry | None = None
    generation: Generation | None = None
    family: Family | None = None

    @property
    def platform(self) -> Platform | None:
        """The chip of Intel's, such as Coffee Lake."""
        if self.entry is None or self.generation is None:
            return None
        return self.generation.platforms.get(self.entry.platform)

    def kind(self) -> tuple[object, ...]:
        """Return what answers depend on: all GPUs of one kind get the same."""
        one = self.entry
        if one is None:
            return (self.family and self.family.family, self.pci_id if not self.family else None)
        return (one.generation, one.platform, one.neo, one.legacy1, one.beignet,
            one.beignet_upstream, one.mesa, one.mesa_force_probe, one.mesa_lacks,
            one.mesa_since, one.mesa_until)  # fmt: skip


def gpu_of_id(pci_id: str, tables: Tables) -> KnownGpu:
    """Return what the tables know of a PCI id such as 8086:0416."""
    entry = tables.gpu(pci_id)
    if entry is not None:
        return KnownGpu(
            vendor=INTEL, pci_id=entry.pci_id, entry=entry,
            generation=tables.generation(entry.generation),
        )  # fmt: skip
    family = tables.named_gpu(pci_id).family
    vendor = VENDOR_IDS.get(pci_id[:4].lower(), "another")
    return KnownGpu(vendor=vendor, pci_id=pci_id, family=family)


def gpus_of_entries(entries: Iterable[GpuEntry], generation: Generation) -> tuple[KnownGpu, ...]:
    """Return the GPUs of these entries, which are all of one generation."""
    return tuple(
        KnownGpu(vendor=INTEL, pci_id=one.pci_id, entry=one, generation=generation)
        for one in entries
    )


def vendor_of(implementation: Implementation) -> str:
    """Return whose GPUs an implementation drives: a vendor's, "several", or none but the "cpu"."""
    if "gpu" not in implementation.device_types or not implementation.kernel_drivers:
        return "cpu" if "cpu" in implementation.device_types else "several"
    vendors = [name for name, modules in MODULES.items() if modules & implementation.modules]
    return vendors[0] if len(vendors) == 1 else "several"


def alike(gpus: Sequence[KnownGpu]) -> list[list[KnownGpu]]:
    """Return the GPUs in groups that get the same answers, in the order of their first ones."""
    groups: dict[tuple[object, ...], list[KnownGpu]] = {}
    for gpu in gpus:
        groups.setdefault(gpu.kind(), []).append(gpu)
    return list(groups.values())
