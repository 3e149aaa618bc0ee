# SPDX-License-Identifier: MIT
"""Reads the variants.yaml of a folder of kernels: which kernel suits which device."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from clprobe.tensor.limits import Limits
from clprobe.tensor.program import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One kernel file with its tunables, the tile of C it computes, and what it needs."""

    file: str
    is_cpu: bool | None
    min_vector_width: int
    max_columns: int | None
    defines: Mapping[str, int]
    tile: tuple[int, int]
    """Rows and columns of the output that one work-group computes."""
    tiles_per_compute_unit: int
    """How many tiles there must be for each compute unit before this variant keeps them busy."""
    work_group_size: int
    local_memory_bytes: int

    @property
    def name(self) -> str:
        """Return what tells this variant from the others."""
        return " ".join([self.file, *(f"{key}={value}" for key, value in self.defines.items())])

    def suits(self, limits: Limits, columns: int) -> bool:
        """Say whether this variant is meant for such a device and this many columns."""
        return (
            self.is_cpu in (None, limits.is_cpu)
            and limits.native_vector_width >= self.min_vector_width
            and (self.max_columns is None or columns <= self.max_columns)
        )

    def candidate(self, flags: Mapping[str, int]) -> Candidate:
        """Return how to build this variant, with further defines."""
        return Candidate(
            file=self.file,
            defines={**self.defines, **flags},
            work_group_size=self.work_group_size,
            local_memory_bytes=self.local_memory_bytes,
        )

    def tiles(self, rows: int, columns: int) -> int:
        """Return how many work-groups a matrix takes."""
        return -(-rows // self.tile[0]) * -(-columns // self.tile[1])


@cache
def load_variants(path: Path) -> tuple[Variant, ...]:
    """Return the entries of a variants.yaml, in order."""
    return tuple(
        Variant(
            file=entry["file"],
            is_cpu=entry["for"].get("is_cpu"),
            min_vector_width=entry["for"].get("min_vector_width", 0),
            max_columns=entry["for"].get("max_columns"),
            defines=entry["defines"],
            tile=(entry["tile"][0], entry["tile"][1]),
            tiles_per_compute_unit=entry["tiles_per_compute_unit"],
            work_group_size=entry["work_group_size"],
            local_memory_bytes=entry["local_memory_bytes"],
        )
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))
    )
