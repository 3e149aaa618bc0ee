# SPDX-License-Identifier: MIT
"""Operations that read and store half values as they lie, against double precision."""

import numpy as np
import oracles
import pytest
from oracles import normal, rounded_to_half, rounding_bound

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device, Tensor, max_pool2d
from clprobe.tensor.ops.conv.choose import ALGORITHMS, TAKE_HALF, Entry, load_entries
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue
from clprobe.tensor.ops.matmul import ORACLE, matmul_forward
from clprobe.tensor.ops.variants import Variant

TILED = Variant(
    file="matmul/tiled.cl",
    defines={
        "TILE_ROWS": 16,
        "TILE_COLUMNS": 16,
        "TILE_DEPTH": 8,
        "ITEM_ROWS": 4,
        "ITEM_COLUMNS": 4,
    },
    tile=(16, 16),
    work_group_size=16,
    local_memory_bytes=1280,
)
PACKED = Variant(
    file="matmul/packed.cl",
    defines={"TILE_DEPTH": 32, "ROWS": 5, "VECTORS": 2},
    tile=(10, 32),
    work_group_size=1,
    local_memory_bytes=4096,
)
# One entry of the ladder for each algorithm and direction.
CONVOLUTIONS = {
    (entry.algorithm, direction): entry
    for entry in load_entries(kernels_path() / "conv" / "variants.yaml")
    for direction in sorted(entry.directions, key=str)
    if entry.algorithm in TAKE_HALF
}
# By how much Winograd's bound exceeds the definition's: test_conv_winograd.py.
WINOGRAD = 1000


@pytest.mark.parametrize("halves", [(True, False), (False, True), (True, True)], ids=str)
@pytest.mark.parametrize(
    ("transposed", "size"), [("NN", (5, 7, 3)), ("NT", (5, 39, 68)), ("TN", (33, 36, 68))], ids=str
)
def test_products_read_half_operands_as_they_are_stored(
    device: Device,
    generator: np.random.Generator,
    transposed: str,
    halves: tuple[bool, bool],
    size: tuple[int, int, int],
) -> None:
    m, n, k = size
    transposes = [letter == "T" for letter in transposed]
    values = [normal(generator, m, k), normal(generator, k, n)]
    values = [
        value.astype(np.float16) if half else value
        for value, half in zip(values, halves, strict=True)
    ]
    stored = [
        np.ascontiguousarray(value.T if transpose else value)
        for value, transpose in zip(values, transposes, strict=True)
    ]
    arrays = [Array.from_numpy(value, device) for value in stored]
    exact = values[0].astype(np.float64) @ values[1].astype(np.float64)
    bound = rounding_bound(k, np.abs(values[0].astype("f8")) @ np.abs(values[1].astype("f8")))

    for variant in (None, ORACLE, TILED, PACKED):
        with device.record_events() as recorded:
            found = matmul_forward(
                *arrays, transpose_a=transposes[0], transpose_b=transposes[1], variant=variant
            )
        assert (np.abs(found.numpy() - exact) <= bound).all()
        if variant is not None:
            # No copy in float is made for these; others may take one.
            assert [each.name for each in recorded] == ["matmul"]


@pytest.mark.parametrize("size", [(5, 7, 3), (33, 36, 32), (11, 49, 68)], ids=str)
def test_results_in_half_are_rounded_once_after_the_epilogue(
    device: Device, generator: np.random.Generator, size: tuple[int, int, int]
) -> None:
    m, n, k = size
    a, b = (normal(generator, *shape).astype(np.float16) for shape in ((m, k), (k, n)))
    bias, residual = normal(generator, n), normal(generator, m, n)
    arrays = [Array.from_numpy(value, device) for value in (a, b, bias, residual)]
    exact = np.maximum(a.astype("f8") @ b.astype("f8") + bias + residual, 0)
    magnitude = np.abs(a.astype("f8")) @ np.abs(b.astype("f8")) + np.abs(bias) + np.abs(residual)
    epilogue = Epilogue(bias=arrays[2], residual=arrays[3], relu=True, half=True)

    for variant in (None, ORACLE, TILED, PACKED):
        with device.record_events() as recorded:
            found = matmul_forward(*arrays[:2], epilogue=epilogue, variant=variant)
        assert found.dtype == np.float16
        bound = rounded_to_half(exact, rounding_bound(k + 2, magnitude))
        assert (np.abs(found.numpy() - exact) <= bound).all()
        if variant in (ORACLE, TILED) or (variant is PACKED and k <= 32):
            assert [each.name for each in recorded] == ["matmul"]


@pytest.mark.parametrize(("size", "stride", "padding"), [(2, 2, 0), (3, 2, 1)])
@pytest.mark.parametrize("image", [(6, 8), (9, 35)], ids=str)
def test_pooled_halves_are_halves(  # noqa: PLR0917 - one argument for each axis of the test
    device: Device,
    generator: np.random.Generator,
    image: tuple[int, int],
    size: int,
    stride: int,
    padding: int,
) -> None:
    values = normal(generator, 2, 3, *image).astype(np.float16)
    options = (size, stride, padding)
    stored, in_float = (
        Tensor(Array.from_numpy(each, device), requires_grad=True)
        for each in (values, values.astype(np.float32))
    )

    pooled = [max_pool2d(each, *options, relu=True) for each in (stored, in_float)]
    for each in pooled:
        (each * each).sum().backward()

    assert pooled[0].array.dtype == np.float16
    np.testing.assert_array_equal(*(each.numpy() for each in pooled))
    assert stored.grad is not None
    assert in_float.grad is not None
    np.testing.assert_array_equal(stored.grad.numpy(), in_float.grad.numpy())


@pytest.mark.made_where(
    lambda entry, limits: entry.device.get("is_cpu", limits.is_cpu) == limits.is_cpu
)
@pytest.mark.parametrize("shape", [(2, 3, 7, 5), (1, 5, 6, 37)], ids=str)
@pytest.mark.parametrize(
    ("direction", "entry"),
    [(direction, entry) for (_, direction), entry in CONVOLUTIONS.items()],
    ids=lambda value: value.name,
)
def test_convolutions_read_half_images_as_they_are_stored(
    device: Device,
    generator: np.random.Generator,
    shape: tuple[int, int, int, int],
    direction: Direction,
    entry: Entry,
) -> None:
    x, weight = normal(generator, *shape), normal(generator, 7, shape[1], 3, 3)
    geometry = Geometry.of(shape, weight.shape, 1, 1)
    plan = ALGORITHMS[entry.algorithm](device, direction, geometry, entry.defines)
    assert plan is not None
    dy = normal(generator, *geometry.output_shape)
    # Gradients are float, and so is what is computed from one.
    first, second, half = {
        Direction.FORWARD: (x.astype(np.float16), weight.astype(np.float16), True),
        Direction.INPUT_GRADIENT: (dy, weight.astype(np.float16), False),
        Direction.WEIGHT_GRADIENT: (dy, x.astype(np.float16), False),
    }[direction]
    bias = normal(generator, 7)
    epilogue = NO_EPILOGUE
    if half:
        epilogue = Epilogue(bias=Array.from_numpy(bias, device), relu=True, half=True)

    with device.record_events() as recorded:
        found = plan(Array.from_numpy(first, device), Array.from_numpy(second, device), epilogue)

    exact, magnitude = (
        {
            Direction.FORWARD: lambda a, b: oracles.conv2d(a, b, 1, 1),
            Direction.INPUT_GRADIENT: lambda a, b: oracles.conv2d_input_gradient(a, b, shape, 1, 1),
            Direction.WEIGHT_GRADIENT: lambda a, b: oracles.conv2d_weight_gradient(
                a, b, weight.shape, 1, 1
            ),
        }[direction](*operands)
        for operands in ((first, second), (np.abs(first), np.abs(second)))
    )
    terms = {
        Direction.FORWARD: geometry.window,
        Direction.INPUT_GRADIENT: weight[:, 0].size,
        Direction.WEIGHT_GRADIENT: geometry.images * geometry.pixels,
    }[direction]
    bound = rounding_bound(terms, magnitude) * (WINOGRAD if "winograd" in entry.algorithm else 1)
    if half:
        exact = np.maximum(exact + bias.reshape(-1, 1, 1), 0)
        bound = rounded_to_half(exact, bound + rounding_bound(2, np.abs(bias).reshape(-1, 1, 1)))
    assert found.dtype == (np.float16 if half else np.float32)
    assert (np.abs(found.numpy() - exact) <= bound).all()
    # Filters may be copied in float, but not images.
    copies = [each.name for each in recorded if each.name == "elementwise"]
    assert len(copies) <= (direction is not Direction.WEIGHT_GRADIENT)
