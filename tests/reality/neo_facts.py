# SPDX-License-Identifier: MIT
"""What the tables promise of a GPU under compute-runtime, beside what the driver answers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from emulated_neo import Driver, Emulated

from clprobe.compat.coverage import tables_cover
from clprobe.knowledge.gpu_names import ip_version_in
from clprobe.knowledge.table_types import Generation, GpuEntry
from clprobe.knowledge.tables import Tables

# What the driver calls the chip of a key of rules/tables/generations. Chips that only repeat
# another one's are listed under that one's name.
PRODUCTS = {
    "bdw": "bdw", "skl": "skl", "bxt": "bxt", "kbl": "kbl", "aml": "kbl", "cfl": "cfl",
    "whl": "cfl", "cml": "cfl", "glk": "glk", "icl": "icllp", "lkf": "lkf", "ehl": "ehl",
    "jsl": "ehl", "tgl": "tgllp", "rkl": "rkl", "dg1": "dg1", "adls": "adls", "rpls": "adls",
    "adlp": "adlp", "rplp": "adlp", "adln": "adln", "dg2": "dg2", "atsm": "dg2", "pvc": "pvc",
}  # fmt: skip
# 22.43 holds no shape of these chips; without one it plays a GPU without threads, or stops. And
# Alchemist in its first stepping, which was not sold, would take 512 work-items only.
SHAPES = {
    "adln": {"HardwareInfoOverride": "1x2x16"},
    "dg2": {"HardwareInfoOverride": "2x4x16", "OverrideRevision": "8"},
    "pvc": {"HardwareInfoOverride": "8x8x8"},
}
PER_PLATFORM = 3
"""PCI ids asked of each chip: the first, the last and one between them."""


@dataclass(slots=True)
class Comparison:
    """Counts what was compared, and keeps what disagrees: (what, table, driver).

    `shapeless` counts the GPUs that the driver played without threads.
    """

    compared: Counter[str] = field(default_factory=Counter)
    disagreements: list[tuple[str, Any, Any]] = field(default_factory=list)
    shapeless: int = 0

    def expect(self, what: str, table: object, driver: object, of: str) -> None:
        """Compare one value; `of` is the GPU."""
        self.compared[what] += 1
        if table != driver:
            self.disagreements.append((f"{of}: {what}", table, driver))

    def told(self, driver: str) -> str:
        """Return each disagreement on a line of its own, with both values."""
        return "\n".join(
            f"{what}: {table} in the tables, {found} to {driver}"
            for what, table, found in self.disagreements
        )

    def __str__(self) -> str:
        counts = ", ".join(f"{what} {count}" for what, count in sorted(self.compared.items()))
        return f"{self.compared.total()} facts compared: {counts}; {self.shapeless} without a shape"


def driven(tables: Tables, implementation: str, version: str) -> dict[str, GpuEntry]:
    """Return the GPUs that the tables say this release drives, by PCI id."""
    return {
        pci_id: gpu
        for pci_id, gpu in tables.gpus().items()
        if tables_cover(tables, implementation, version, pci_id) is True
    }


def cases(tables: Tables, driver: Driver) -> list[tuple[str, str]]:
    """Return (platform, PCI id) of some GPUs of each chip that this driver drives."""
    of_platform: dict[str, list[str]] = {}
    for pci_id, gpu in driven(tables, driver.implementation, driver.version).items():
        if gpu.platform in PRODUCTS:
            of_platform.setdefault(gpu.platform, []).append(pci_id)
    chosen: list[tuple[str, str]] = []
    for platform, ids in of_platform.items():
        places = sorted({0, len(ids) // 2, len(ids) - 1})[:PER_PLATFORM]
        chosen += [(platform, sorted(ids)[place]) for place in places]
    return chosen


def compare(
    gpu: GpuEntry, generation: Generation, driver: Driver, found: Emulated, into: Comparison
) -> None:
    """Compare every fact that the tables state of this GPU with the driver's answer."""
    promised, device = generation.capabilities[driver.implementation], found.device
    extensions = device.extensions if isinstance(device.extensions, tuple) else ()
    for what, table, answer in (
        ("PCI id", int(gpu.pci_id[5:], 16), device.device_id),
        ("OpenCL version", f"OpenCL {promised.opencl_version}", _short(device.opencl_version)),
        ("fp16", promised.fp16, "cl_khr_fp16" in extensions),
        ("fp64", promised.fp64, "cl_khr_fp64" in extensions),
        ("sub-group sizes", promised.sub_group_sizes, device.sub_group_sizes),
        ("local memory", promised.local_memory_bytes, device.local_memory_bytes),
    ):
        into.expect(what, table, answer, gpu.pci_id)
    _compare_ip_version(gpu, generation, found, into)
    _compare_shape(gpu, generation, driver, found, into)


def _compare_ip_version(
    gpu: GpuEntry, generation: Generation, found: Emulated, into: Comparison
) -> None:
    number = found.device.ip_version
    into.compared["IP version"] += 1
    if not isinstance(number, int) or not ip_version_in(number, generation):
        known = generation.ip_versions + generation.ip_versions_early
        shown = hex(number) if isinstance(number, int) else number
        into.disagreements.append((f"{gpu.pci_id}: IP version", known, shown))


def _compare_shape(
    gpu: GpuEntry, generation: Generation, driver: Driver, found: Emulated, into: Comparison
) -> None:
    _, _, eus, threads = found.topology
    if not threads:
        # It plays a GPU without threads, whose work-groups then hold 0 work-items.
        into.shapeless += 1
        return
    platform = generation.platforms[gpu.platform]
    table = platform.threads_per_eu or generation.threads_per_eu
    into.expect("threads per EU", table, threads, gpu.pci_id)
    expected = platform.eus_per_subslice or generation.eus_per_subslice
    if expected is not None and PRODUCTS[gpu.platform] not in SHAPES:  # that number is ours
        into.expect("EUs per sub-slice", expected, eus, gpu.pci_id)
    promised = generation.capabilities[driver.implementation].max_work_group_size
    into.expect("max work-group", promised, found.device.max_work_group_size, gpu.pci_id)


def compare_eus(
    gpus: Mapping[str, GpuEntry], sizes: Mapping[str, Mapping[str, int] | None], into: Comparison
) -> None:
    """Compare the EUs of each GPU with the sizes that the driver has of its chip.

    `sizes` are by the driver's name of the chip; one that takes on any size is not compared.
    """
    for pci_id, gpu in gpus.items():
        of_chip = sizes.get(PRODUCTS.get(gpu.platform, ""))
        if gpu.eus is None or of_chip is None:
            continue
        counts = sorted(set(of_chip.values()))
        into.compared["EU count"] += 1
        if gpu.eus not in counts:
            into.disagreements.append((f"{pci_id}: EU count", gpu.eus, counts))


def _short(version: object) -> object:
    return " ".join(version.split()[:2]) if isinstance(version, str) else version
