# SPDX-License-Identifier: MIT
"""Matrix products with the kernels for one vendor's GPUs, and with split sums, on every device."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from oracles import assert_close, normal, rounding_bound

from clprobe.resources import kernels_path
from clprobe.tensor import Array, BuildError, Device
from clprobe.tensor.ops.epilogue import BiasAlong, Epilogue
from clprobe.tensor.ops.matmul import matmul_forward
from clprobe.tensor.ops.variants import Variant, load_variants

VENDORS = [
    variant
    for variant in load_variants(kernels_path() / "matmul" / "variants.yaml")
    if variant.vendor_id is not None
]
SMALL = Variant(
    file="matmul/tiled.cl",
    defines={
        "TILE_ROWS": 16,
        "TILE_COLUMNS": 32,
        "TILE_DEPTH": 8,
        "ITEM_ROWS": 8,
        "ITEM_COLUMNS": 4,
        "LANES_DOWN": 2,
        "LANES_ACROSS": 4,
        "BUFFERS": 2,
        "BAND": 2,
    },
    tile=(16, 32),
    most_splits=7,
    work_group_size=16,
    local_memory_bytes=3584,
)
TRANSPOSED = {"NN": (False, False), "NT": (False, True), "TN": (True, False), "TT": (True, True)}

suiting = pytest.mark.made_where(
    lambda variant, limits: limits.sub_groups or not variant.sub_groups
)


@pytest.fixture
def large(device: Device) -> Iterator[Device]:
    """The same device, but it says that it has as many compute units as a large GPU."""
    with Device.open(device.cl_device, limits=replace(device.limits, compute_units=132)) as opened:
        yield opened


@suiting
@pytest.mark.parametrize("variant", VENDORS, ids=lambda variant: variant.name)
@pytest.mark.parametrize("size", [(131, 135, 67), (132, 136, 68)], ids=str)
@pytest.mark.parametrize("transposed", ["NN", "TT"])
@pytest.mark.slow
def test_products_for_one_vendor_match_numpy(
    device: Device,
    generator: np.random.Generator,
    variant: Variant,
    size: tuple[int, int, int],
    transposed: str,
) -> None:
    check(device, generator, variant, size, transposed)


@suiting
@pytest.mark.parametrize(
    "variant",
    [variant for variant in VENDORS if variant.sub_groups],
    ids=lambda variant: variant.name,
)
@pytest.mark.parametrize("size", [(67, 35, 21), (64, 64, 48)], ids=str)
@pytest.mark.parametrize("transposed", TRANSPOSED)
def test_products_of_sub_groups_match_numpy(
    device: Device,
    generator: np.random.Generator,
    variant: Variant,
    size: tuple[int, int, int],
    transposed: str,
) -> None:
    check(device, generator, variant, size, transposed)


@pytest.mark.parametrize("size", [(17, 33, 450), (32, 36, 448), (3, 4, 455)], ids=str)
@pytest.mark.parametrize("transposed", TRANSPOSED)
def test_split_sums_match_numpy(
    large: Device, generator: np.random.Generator, size: tuple[int, int, int], transposed: str
) -> None:
    check(large, generator, SMALL, size, transposed)


@pytest.mark.parametrize("along", BiasAlong)
@pytest.mark.parametrize("batches", [1, 3])
def test_the_epilogue_follows_the_last_part_of_a_split_sum(
    large: Device, generator: np.random.Generator, along: BiasAlong, batches: int
) -> None:
    a, b = normal(generator, batches, 5, 300), normal(generator, 300, 9)
    bias = normal(generator, 9 if along is BiasAlong.COLUMNS else 5)
    residual = normal(generator, batches, 5, 9)
    arrays = (Array.from_numpy(value, large) for value in (a, b))
    epilogue = Epilogue(
        bias=Array.from_numpy(bias, large),
        relu=True,
        residual=Array.from_numpy(residual, large),
        bias_along=along,
    )

    found = matmul_forward(*arrays, epilogue=epilogue, variant=SMALL).numpy()

    added = (bias if along is BiasAlong.COLUMNS else bias[:, None]) + residual.astype(np.float64)
    exact = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + added, 0)
    assert_close(found, exact, rounding_bound(302, np.abs(a) @ np.abs(b) + np.abs(added) + 1))


@pytest.mark.parametrize("most_splits", [1, 7])
@pytest.mark.parametrize("columns", [5, 8, 40])
@pytest.mark.parametrize("transposed", [False, True])
def test_columns_of_several_matrices_lie_side_by_side(
    large: Device, generator: np.random.Generator, most_splits: int, columns: int, transposed: bool
) -> None:
    a, b = normal(generator, 37, 300), normal(generator, 3, 300, columns)
    bias, residual = normal(generator, 37), normal(generator, 3, 37, columns)
    epilogue = Epilogue(
        bias=Array.from_numpy(bias, large),
        residual=Array.from_numpy(residual, large),
        bias_along=BiasAlong.ROWS,
    )
    defines = {**SMALL.defines, "TILE_ROWS": 32, "TILE_COLUMNS": 16}
    wide = replace(SMALL, defines=defines, tile=(32, 16), most_splits=most_splits)
    assert wide.takes_merged_columns
    left = Array.from_numpy(np.ascontiguousarray(a.T) if transposed else a, large)

    found = matmul_forward(
        *(left, Array.from_numpy(b, large)),
        transpose_a=transposed,
        epilogue=epilogue,
        variant=wide,
    ).numpy()

    added = bias[:, None] + residual.astype(np.float64)
    exact = a.astype(np.float64) @ b.astype(np.float64) + added
    assert_close(found, exact, rounding_bound(302, np.abs(a) @ np.abs(b) + np.abs(added)))


def test_many_parts_are_added(large: Device, generator: np.random.Generator) -> None:
    a, b = normal(generator, 2, 64 * 40), normal(generator, 64 * 40, 3)
    arrays = (Array.from_numpy(value, large) for value in (a, b))

    found = matmul_forward(*arrays, variant=replace(SMALL, most_splits=40)).numpy()

    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(found, exact, rounding_bound(64 * 40, np.abs(a) @ np.abs(b)))


def check(
    device: Device,
    generator: np.random.Generator,
    variant: Variant,
    size: tuple[int, int, int],
    transposed: str,
) -> None:
    m, n, k = size
    a, b = normal(generator, m, k), normal(generator, k, n)
    transpose_a, transpose_b = TRANSPOSED[transposed]
    operands = (a.T if transpose_a else a, b.T if transpose_b else b)
    arrays = (Array.from_numpy(np.ascontiguousarray(value), device) for value in operands)
    try:
        found = matmul_forward(
            *arrays, transpose_a=transpose_a, transpose_b=transpose_b, variant=variant
        ).numpy()
    except BuildError:
        pytest.skip(f"{variant.name} is too large for {device.name}")

    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(found, exact, rounding_bound(k, np.abs(a) @ np.abs(b)))
