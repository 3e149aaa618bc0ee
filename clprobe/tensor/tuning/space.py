# SPDX-License-Identifier: MIT
"""Which configurations of a kernel there are, and which of them a device probably likes best."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product as combinations
from math import ceil
from pathlib import Path
from typing import Any

import yaml

from clprobe.tensor.limits import Limits
from clprobe.tensor.ops.variants import Product, Variant

_VECTOR = 16
"""Floats in a vector of packed.cl."""
_TALLEST_ROWS = 1020
# A sum takes so many cycles to be ready for the next term, on CPUs with two units.
_SUMS_IN_FLIGHT = 8
# What fetching a row or column of a tile costs beside one multiplication: a guess that keeps tiles
# from being long and thin.
_FETCH = 4.0


@dataclass(frozen=True, slots=True)
class Space:
    """The values that each parameter of one kernel file may take."""

    file: str
    is_cpu: bool
    values: Mapping[str, tuple[int, ...]]

    def variants(self) -> list[Variant]:
        """Return every configuration whose kernel can exist."""
        make = packed if self.file == "matmul/packed.cl" else tiled
        made = (
            make(self.file, dict(zip(self.values, chosen, strict=True)))
            for chosen in combinations(*self.values.values())
        )
        return [variant for variant in made if variant is not None]


def load_space(path: Path) -> tuple[tuple[Space, ...], tuple[Product, ...]]:
    """Return the spaces and the products of a space.yaml."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    spaces = tuple(_space(entry) for entry in content["spaces"])
    products = tuple(
        Product(rows=rows, columns=columns, depth=depth, transposed=transposed)
        for rows, columns, depth in content["products"]
        for transposed in ("NN", "NT", "TN")
    )
    return spaces, products


def packed(file: str, values: Mapping[str, int]) -> Variant:
    """Return the configuration of kernels/matmul/packed.cl that has these values."""
    defines = {name: values[name] for name in ("ROWS", "VECTORS", "TILE_DEPTH")}
    if values.get("PREFETCH"):
        defines["PREFETCH"] = 1
    rows = defines["ROWS"]
    return Variant(
        file=file,
        defines=defines,
        tile=(4 * rows, _VECTOR * defines["VECTORS"]),
        tallest_tile=_TALLEST_ROWS // rows * rows,
        aimed_tiles_per_compute_unit=values["tiles_per_compute_unit"],
        local_memory_bytes=4 * _VECTOR * defines["VECTORS"] * defines["TILE_DEPTH"],
        is_cpu=True,
    )


def tiled(file: str, values: Mapping[str, int]) -> Variant | None:
    """Return the configuration of kernels/matmul/tiled.cl with these values, if there is one."""
    defines = {name: value for name, value in values.items() if name != "most_splits"}
    down, left_down = divmod(defines["TILE_ROWS"], defines["ITEM_ROWS"])
    across, left_across = divmod(defines["TILE_COLUMNS"], defines["ITEM_COLUMNS"])
    lanes = (down % defines["LANES_DOWN"], across % defines["LANES_ACROSS"])
    spans = defines["TILE_ROWS"], defines["TILE_COLUMNS"]
    # Each work-item loads whole vectors of four of both tiles.
    loads = [span * defines["TILE_DEPTH"] % (4 * max(1, down * across)) for span in spans]
    if any((left_down, left_across, *lanes, *loads)):
        return None
    return Variant(
        file=file,
        defines=defines,
        tile=spans,
        most_splits=values["most_splits"],
        work_group_size=down * across,
        local_memory_bytes=(sum(spans) + 8) * defines["TILE_DEPTH"] * 4 * defines["BUFFERS"],
        is_cpu=False,
    )


def estimate(variant: Variant, limits: Limits, product: Product) -> float:
    """Return how long a product probably takes, in arbitrary units; good only for an order.

    It counts what every device pays for: work on rows and columns that do not exist, compute units
    that wait for the last tile, fetching tiles, and too few or too many sums in registers.
    """
    rows, columns = variant.tile
    tiles = variant.dealt(limits, product).work_groups
    across = ceil(product.columns / columns)
    if variant.tallest_tile:
        rows = ceil(product.rows / max(1, tiles // (across * product.batches)))
    padded = ceil(product.rows / rows) * rows * across * columns
    waste = padded / (product.rows * product.columns)
    balance = ceil(tiles / limits.compute_units) * limits.compute_units / tiles
    return waste * balance * (1 + _FETCH / rows + _FETCH / columns) * _registers(variant, limits)


def exceeds(variant: Variant, limits: Limits) -> str:
    """Return which limit of the device a configuration is beyond, nothing if none."""
    if variant.work_group_size > min(limits.max_work_group_size, limits.max_work_item_sizes[0]):
        return f"{variant.work_group_size} work-items, more than a work-group may have"
    if variant.local_memory_bytes > limits.local_memory_bytes:
        return f"{variant.local_memory_bytes} bytes of local memory, more than there are"
    return ""


def _registers(variant: Variant, limits: Limits) -> float:
    """Return how much slower sums are that have too few neighbours, or no register."""
    defines = variant.defines
    if not variant.is_cpu:
        sums = defines["ITEM_ROWS"] * defines["ITEM_COLUMNS"]
        return 1 + 4 / defines["ITEM_ROWS"] + 4 / defines["ITEM_COLUMNS"] + max(0, sums - 64) / 64
    # AVX-512 has 32 registers, what came before it 16.
    registers = 32 if limits.native_vector_width >= _VECTOR else 16
    parts = max(1, _VECTOR // max(1, limits.native_vector_width))
    taken = (defines["ROWS"] * defines["VECTORS"] + defines["VECTORS"] + 1) * parts
    sums = defines["ROWS"] * defines["VECTORS"] * parts
    loads = 1 / defines["ROWS"] + 1 / defines["VECTORS"]
    return (1 + loads / 2) * max(1, taken / registers) ** 2 * max(1, _SUMS_IN_FLIGHT / sums)


def _space(entry: Mapping[str, Any]) -> Space:
    values = {name: tuple(allowed) for name, allowed in entry["values"].items()}
    return Space(entry["file"], entry["is_cpu"], values)
