# SPDX-License-Identifier: MIT
"""The ladder of ways to multiply matrices: reads kernels/matmul/variants.yaml and tuned tables."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import yaml

from clprobe.tensor.limits import Limits
from clprobe.tensor.ops.dealing import Dealt, Speed, deal
from clprobe.tensor.program import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """The sizes of a matrix product (rows, depth) x (depth, columns)."""

    rows: int
    columns: int
    depth: int
    batches: int = 1
    transposed: str = "NN"
    """N or T for either operand."""

    inner: int = 0
    """If not 0, columns are those of several matrices, so many of each, that lie apart."""

    def __str__(self) -> str:
        """Return it as people write it: NN 128x512x784, rows by columns by depth."""
        sizes = f"{self.transposed} {self.rows}x{self.columns}x{self.depth}"
        return sizes if self.batches == 1 else f"{sizes}, {self.batches} of them"

    @property
    def has_even_lines(self) -> bool:
        """Say whether halves of every line begin at multiples of four bytes."""
        return self.depth % 2 == 0 and self.columns % 2 == 0

    @property
    def operations(self) -> int:
        """Return how many multiplications and additions it takes."""
        return 2 * self.rows * self.columns * self.depth * self.batches

    def meets(self, condition: str, value: Any) -> bool:
        """Say whether a condition holds: `min_` or `max_` before a field bounds it."""
        bound, _, name = condition.partition("_")
        if bound == "min":
            return bool(getattr(self, name) >= value)
        if bound == "max":
            return bool(getattr(self, name) <= value)
        return bool(getattr(self, condition) in value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One kernel file with its tunables, the tile of C it computes, and what it needs."""

    file: str
    defines: Mapping[str, int]
    tile: tuple[int, int]
    """Rows and columns of C that one work-group computes."""
    tallest_tile: int = 0
    """If not 0, the launch may give a work-group up to so many rows, and `tile` is the least."""
    aimed_tiles_per_compute_unit: int = 0
    """How many tiles such a launch makes for each compute unit, if it can."""
    tiles_per_compute_unit: float = 0
    """How many tiles there must be for each compute unit before this variant keeps them busy."""
    most_splits: int = 1
    """If not 1, up to so many work-groups share what tiles are left when the device has been full
    for the last time: each takes a part of a sum over depth."""
    held_by_compute_unit: int = 1
    """How many work-groups a compute unit holds at once."""
    rate: float = 0
    """If not 0, the share of its multiply-adds that a full compute unit reaches; of variants with
    a rate the one comes first that a model of the device thinks is the fastest."""
    last_resort: bool = False
    """This variant is so slow that even one that leaves compute units idle is better."""
    work_group_size: int = 1
    local_memory_bytes: int = 0
    is_cpu: bool | None = None
    vendor_id: int | None = None
    not_vendor_id: int | None = None
    sub_groups: bool = False
    """Whether the kernel needs them."""
    min_vector_width: int = 0
    when: Mapping[str, Any] = field(default_factory=dict)
    """Conditions on the fields of Product."""

    @property
    def name(self) -> str:
        """Return what tells this variant from the others."""
        values = dict(self.defines)
        if self.tallest_tile:
            values["TILES"] = self.aimed_tiles_per_compute_unit
        if self.most_splits > 1:
            values["SPLITS"] = self.most_splits
        return " ".join([self.file, *(f"{key}={value}" for key, value in values.items())])

    @property
    def takes_merged_columns(self) -> bool:
        """Say whether it is the kernel that takes columns of several matrices side by side.

        All values of B that a work-item fetches must be of the same columns.
        """
        rows = self.defines.get("TILE_ROWS", 0)
        return self.file == "matmul/tiled.cl" and rows >= prod(
            self.defines[f"ITEM_{side}"] for side in ("ROWS", "COLUMNS")
        )

    def suits(self, limits: Limits, product: Product) -> bool:
        """Say whether this variant is meant for such a device and product."""
        return self.suits_device(limits) and all(
            product.meets(condition, value) for condition, value in self.when.items()
        )

    def suits_device(self, limits: Limits) -> bool:
        """Say whether this variant is meant for such a device, whatever the product."""
        return (
            self.is_cpu in (None, limits.is_cpu)
            and self.vendor_id in (None, limits.vendor_id)
            and self.not_vendor_id != limits.vendor_id
            and limits.sub_groups >= self.sub_groups
            and limits.native_vector_width >= self.min_vector_width
        )

    def keeps_busy(self, limits: Limits, product: Product) -> bool:
        """Say whether there are enough tiles for all compute units."""
        needed = self.tiles_per_compute_unit * limits.compute_units
        return not self.last_resort and self.dealt(limits, product).work_groups >= needed

    def tiles(self, limits: Limits, product: Product) -> int:
        """Return how many work-groups each matrix takes."""
        most, across = self._tiles(product, self.tile[0])
        fewest, _ = self._tiles(product, self.tallest_tile or self.tile[0])
        aim = self.aimed_tiles_per_compute_unit * limits.compute_units
        wanted = -(-aim // (across * product.batches))
        return across * max(fewest, min(most, wanted))

    def dealt(self, limits: Limits, product: Product) -> Dealt:
        """Return how the tiles of all matrices are dealt out to work-groups."""
        tiles = self.tiles(limits, product) * product.batches
        if self.most_splits == 1:
            return Dealt(tiles)
        held, depth = self.held_by_compute_unit * limits.compute_units, self._step_depth
        steps = -(-product.depth // depth)
        shared = deal(tiles, steps, held=held, most=self.most_splits, step_depth=depth)
        if not self.rate:
            return shared
        speed = self._speed(limits)
        return min(Dealt(tiles), shared, key=lambda dealt: speed.seconds(dealt, tiles, steps))

    def seconds(self, limits: Limits, product: Product) -> float:
        """Return about how long a product takes on a GPU, if this variant has a rate."""
        steps = -(-product.depth // self._step_depth)
        tiles = self.tiles(limits, product) * product.batches
        return self._speed(limits).seconds(self.dealt(limits, product), tiles, steps)

    def _speed(self, limits: Limits) -> Speed:
        return Speed(
            rate=self.rate,
            tile=self.tile,
            step_depth=self._step_depth,
            compute_units=limits.compute_units,
            held=self.held_by_compute_unit,
            work_items=self.work_group_size,
        )

    def candidate(self, flags: Mapping[str, int]) -> Candidate:
        """Return how to build this variant, with further defines."""
        return Candidate(
            file=self.file,
            defines={**self.defines, **flags},
            work_group_size=self.work_group_size,
            local_memory_bytes=self.local_memory_bytes,
        )

    @property
    def _step_depth(self) -> int:
        return self.defines["TILE_DEPTH"]

    def _tiles(self, product: Product, tile_rows: int) -> tuple[int, int]:
        return -(-product.rows // tile_rows), -(-product.columns // self.tile[1])


def splits(wanted: int, tiles: int, most: int) -> int:
    """Return how many parts of each sum make `tiles` into at most `wanted` work-groups."""
    return max(1, min(wanted // max(1, tiles), most))


@cache
def load_variants(path: Path) -> tuple[Variant, ...]:
    """Return the entries of a variants.yaml, in order."""
    return tuple(read_variant(entry) for entry in yaml.safe_load(path.read_text(encoding="utf-8")))


def read_variant(entry: Mapping[str, Any]) -> Variant:
    """Return what one entry of a YAML file says.

    **Raises** KeyError, TypeError, ValueError where it is none.
    """
    device, taller = entry.get("for", {}), entry.get("taller_tiles", {})
    rows, columns = (int(size) for size in entry["tile"])
    return Variant(
        file=str(entry["file"]),
        defines={str(key): int(value) for key, value in entry["defines"].items()},
        tile=(rows, columns),
        tallest_tile=int(taller.get("up_to", 0)),
        aimed_tiles_per_compute_unit=int(taller.get("tiles_per_compute_unit", 0)),
        tiles_per_compute_unit=float(entry["tiles_per_compute_unit"]),
        work_group_size=int(entry["work_group_size"]),
        local_memory_bytes=int(entry["local_memory_bytes"]),
        last_resort=bool(entry.get("last_resort", False)),
        most_splits=int(entry.get("most_splits", 1)),
        held_by_compute_unit=int(entry.get("held_by_compute_unit", 1)),
        rate=float(entry.get("rate", 0)),
        is_cpu=device.get("is_cpu"),
        vendor_id=device.get("vendor_id"),
        not_vendor_id=device.get("not_vendor_id"),
        sub_groups=bool(device.get("sub_groups", False)),
        min_vector_width=int(device.get("min_vector_width", 0)),
        when=entry.get("when", {}),
    )


def write_variant(variant: Variant) -> dict[str, Any]:
    """Return an entry of a YAML file that reads as this variant."""
    entry = asdict(variant)
    device = {
        name: entry.pop(name)
        for name in ("is_cpu", "vendor_id", "not_vendor_id", "sub_groups", "min_vector_width")
    }
    taller = {
        "up_to": entry.pop("tallest_tile"),
        "tiles_per_compute_unit": entry.pop("aimed_tiles_per_compute_unit"),
    }
    return entry | {
        "for": {name: value for name, value in device.items() if value is not None},
        "taller_tiles": taller if variant.tallest_tile else {},
    }
