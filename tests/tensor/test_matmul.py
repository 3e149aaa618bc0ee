# SPDX-License-Identifier: MIT
"""Every matrix kernel, transposed and batched, against NumPy in double precision."""

import numpy as np
import pytest
from gradcheck import check_gradients
from oracles import assert_close, normal, rounding_bound

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device, ShapeError, Tensor, linear
from clprobe.tensor.ops.epilogue import BiasAlong, Epilogue
from clprobe.tensor.ops.matmul import ORACLE, matmul_forward
from clprobe.tensor.ops.variants import Variant, load_variants

VARIANTS = load_variants(kernels_path() / "matmul" / "variants.yaml")
# Those for one vendor's GPUs take long to build; test_gpu_kernels_matmul.py runs them.
ANYBODYS = [variant for variant in VARIANTS if variant.vendor_id is None]
SIZES = [(1, 1, 1), (31, 32, 33), (33, 31, 1), (1, 33, 32), (64, 10, 70), (65, 129, 67)]
TRANSPOSED = [(False, False), (False, True), (True, False), (True, True)]


def skip_unless_it_fits(device: Device, variant: Variant) -> None:
    if variant.local_memory_bytes <= device.limits.local_memory_bytes:
        kernel = device.programs.kernel(variant.file, "matmul", variant.defines)
        # rusticl on llvmpipe, for one, reports 1024 for the device and 32 for every kernel.
        if variant.work_group_size <= kernel.work_group_limit:
            return
    pytest.skip(f"{variant.name} is too large for {device.name}")


@pytest.mark.parametrize("variant", [ORACLE, *ANYBODYS], ids=lambda v: v.name)
@pytest.mark.parametrize("transposed", TRANSPOSED, ids=["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_products_match_numpy(
    device: Device, generator: np.random.Generator, variant: Variant, transposed: tuple, size: tuple
) -> None:
    skip_unless_it_fits(device, variant)
    m, n, k = size
    a, b = normal(generator, m, k), normal(generator, k, n)

    found = matmul_forward(
        Array.from_numpy(a.T if transposed[0] else a, device),
        Array.from_numpy(b.T if transposed[1] else b, device),
        transpose_a=transposed[0],
        transpose_b=transposed[1],
        variant=variant,
    ).numpy()

    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(found, exact, rounding_bound(k, np.abs(a) @ np.abs(b)))


@pytest.mark.parametrize("variant", [ORACLE, *ANYBODYS], ids=lambda v: v.name)
def test_a_batch_multiplies_matrix_by_matrix(
    device: Device, generator: np.random.Generator, variant: Variant
) -> None:
    skip_unless_it_fits(device, variant)
    a, b = normal(generator, 5, 9), normal(generator, 3, 9, 17)
    on_device = Array.from_numpy(a, device), Array.from_numpy(b, device)

    found = matmul_forward(*on_device, variant=variant).numpy()

    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(found, exact, rounding_bound(9, np.abs(a) @ np.abs(b)))


@pytest.mark.parametrize("variant", [ORACLE, *ANYBODYS], ids=lambda v: v.name)
@pytest.mark.parametrize("parts", [("bias", "residual", "relu"), ("bias of rows",)], ids=" ".join)
def test_an_epilogue_adds_bias_and_residual_before_relu(
    device: Device, generator: np.random.Generator, variant: Variant, parts: tuple
) -> None:
    skip_unless_it_fits(device, variant)
    check_epilogue(device, generator, variant, parts, depth=300)


@pytest.mark.parametrize("parts", [("relu",), ("residual",), ("bias", "relu")], ids=" ".join)
def test_an_epilogue_is_all_that_is_left_of_a_product_without_terms(
    device: Device, generator: np.random.Generator, parts: tuple
) -> None:
    check_epilogue(device, generator, None, parts, depth=0)


def check_epilogue(
    device: Device,
    generator: np.random.Generator,
    variant: Variant | None,
    parts: tuple,
    depth: int,
) -> None:
    a, b = normal(generator, 2, 7, depth), normal(generator, depth, 19)
    along = BiasAlong.ROWS if "bias of rows" in parts else BiasAlong.COLUMNS
    bias, residual = (
        normal(generator, 7 if along is BiasAlong.ROWS else 19),
        normal(generator, 2, 7, 19),
    )
    has_bias = bool({"bias", "bias of rows"}.intersection(parts))

    found = matmul_forward(
        Array.from_numpy(a, device),
        Array.from_numpy(b, device),
        epilogue=Epilogue(
            bias=Array.from_numpy(bias, device) if has_bias else None,
            relu="relu" in parts,
            residual=Array.from_numpy(residual, device) if "residual" in parts else None,
            bias_along=along,
        ),
        variant=variant,
    ).numpy()

    added = (bias[:, None] if along is BiasAlong.ROWS else bias) * np.float64(has_bias)
    added = added + residual * np.float64("residual" in parts)
    exact = a.astype(np.float64) @ b.astype(np.float64) + added
    bound = rounding_bound(depth + 2, np.abs(a) @ np.abs(b) + np.abs(added))
    assert_close(found, np.maximum(exact, 0) if "relu" in parts else exact, bound)


def test_an_epilogue_that_does_not_fit_is_refused(device: Device) -> None:
    a = Array.full(device, (2, 3), 1)
    b = Array.full(device, (3, 4), 1)

    with pytest.raises(ShapeError, match=r"bias \(2,\)"):
        matmul_forward(a, b, epilogue=Epilogue(bias=Array.full(device, (2,), 1)))
    with pytest.raises(ShapeError, match=r"residual \(2, 3\)"):
        matmul_forward(a, b, epilogue=Epilogue(residual=a))


def test_relu_does_not_hide_a_value_that_is_not_a_number(device: Device) -> None:
    a = Array.from_numpy(np.array([[np.nan, -1, 1]], np.float32).T.copy(), device)

    found = matmul_forward(a, Array.full(device, (1, 17), 1), epilogue=Epilogue(relu=True)).numpy()

    assert_close(found, np.array([[np.nan, 0, 1]]).T * np.ones(17), 0)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_variants_state_the_local_memory_that_their_kernels_header_gives(variant: Variant) -> None:
    size = variant.defines

    # Asking a built kernel would be better, but PoCL answers 0 and rusticl twice the amount.
    if variant.file == "matmul/packed.cl":
        taken = 64 * size["VECTORS"] * size["TILE_DEPTH"]
    elif variant.file == "matmul/subgroup.cl":
        taken = 0
    else:
        taken = (size["TILE_ROWS"] + size["TILE_COLUMNS"] + 8) * size["TILE_DEPTH"] * 4
        taken *= size.get("BUFFERS", 1)
    assert variant.local_memory_bytes == taken


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_variants_state_the_tile_and_work_group_that_their_defines_make(variant: Variant) -> None:
    size = variant.defines

    if variant.file == "matmul/packed.cl":
        assert variant.tile[1] == 16 * size["VECTORS"]
        assert variant.work_group_size == 1
        # Blocks of rows that end within a tile would be cut short in every tile.
        assert variant.tile[0] % size["ROWS"] == 0
        assert variant.tallest_tile % size["ROWS"] == 0
    elif variant.file == "matmul/subgroup.cl":
        rows, columns = size["ITEM_ROWS"] * size["SUB_GROUPS"], size["SUB_GROUP"] * 4
        assert variant.tile == (rows, columns)
        assert variant.work_group_size == size["SUB_GROUP"] * size["SUB_GROUPS"]
    else:
        assert variant.tile == (size["TILE_ROWS"], size["TILE_COLUMNS"])
        items = variant.tile[0] * variant.tile[1] // (size["ITEM_ROWS"] * size["ITEM_COLUMNS"])
        assert variant.work_group_size == items


def test_a_long_sum_runs_over_several_blocks(
    device: Device, generator: np.random.Generator
) -> None:
    a, b = normal(generator, 70, 600), normal(generator, 600, 130)

    found = matmul_forward(Array.from_numpy(a, device), Array.from_numpy(b, device)).numpy()

    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert_close(found, exact, rounding_bound(600, np.abs(a) @ np.abs(b)))


@pytest.mark.parametrize("size", [(0, 3, 4), (3, 0, 4), (3, 4, 0)], ids=str)
def test_products_without_elements(device: Device, size: tuple) -> None:
    m, n, k = size
    a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)

    found = (Tensor.from_numpy(a, device) @ Tensor.from_numpy(b, device)).numpy()

    assert_close(found, a @ b, 0)


def test_gradients_of_a_product(device: Device, generator: np.random.Generator) -> None:
    arguments = [normal(generator, 7, 9), normal(generator, 9, 5)]

    assert check_gradients(lambda a, b: a @ b, arguments, device, generator) == []


@pytest.mark.parametrize("batch", [1, 33])
def test_a_linear_layer_matches_numpy(
    device: Device, generator: np.random.Generator, batch: int
) -> None:
    arguments = normal(generator, batch, 31), normal(generator, 10, 31), normal(generator, 10)
    x, weight, bias = arguments

    found = linear(*(Tensor.from_numpy(value, device) for value in arguments)).numpy()

    exact = x.astype(np.float64) @ weight.T.astype(np.float64) + bias
    magnitude = np.abs(x) @ np.abs(weight.T) + np.abs(bias)
    assert_close(found, exact, rounding_bound(32, magnitude))
    assert check_gradients(linear, list(arguments), device, generator) == []


def test_shapes_that_do_not_fit_are_named(device: Device) -> None:
    a = Tensor.from_numpy(np.ones((2, 3), np.float32), device)

    with pytest.raises(ShapeError, match=r"\(2, 3\) and \(2, 3\)"):
        a @ a


def test_batches_of_different_lengths_are_refused(device: Device) -> None:
    a, b = Array.full(device, (2, 3, 3), 1), Array.full(device, (4, 3, 3), 1)

    with pytest.raises(ShapeError, match=r"\(2, 3, 3\) and \(4, 3, 3\)"):
        matmul_forward(a, b)


def test_only_matrices_are_multiplied(device: Device) -> None:
    a = Tensor.from_numpy(np.ones(3, np.float32), device)

    with pytest.raises(ShapeError, match="two matrices"):
        a @ a
