# SPDX-License-Identifier: MIT
"""Products and convolutions that multiply in half precision, where a device has that."""

from dataclasses import replace
from pathlib import Path

import pytest
from implementations import INTEL_CPU
from on_implementation import only_or_skip, run_there

from clprobe.resources import kernels_path
from clprobe.tensor import Device, Limits
from clprobe.tensor.autocast import (
    Policy,
    autocast,
    computes_in_half,
    has_fp16,
    multiplies_in_half,
)
from clprobe.tensor.ops.variants import Product, Variant, load_variants

PROGRAM = Path(__file__).with_name("half_math.py")
LADDER = load_variants(kernels_path() / "matmul" / "half_variants.yaml")
TILED = "matmul/tiled.cl"
OF_HALVES = "matmul/subgroup_half.cl"


def test_they_keep_to_their_bounds_on_intels_cpu_runtime(tmp_path: Path) -> None:
    """Which has cl_khr_fp16 and sub-groups, and poses as the GPU of Intel and of another maker."""
    result = run_there(PROGRAM, "Intel", only_or_skip(INTEL_CPU, tmp_path), limit_s=180)

    assert result.returncode == 0, result.stdout + result.stderr[-2000:]


@pytest.fixture(scope="module")
def gpu() -> Limits:
    return Limits(
        max_work_group_size=256,
        max_work_item_sizes=(256, 256, 256),
        local_memory_bytes=65536,
        global_memory_bytes=1 << 32,
        max_allocation_bytes=1 << 30,
        compute_units=24,
        native_vector_width=1,
        is_cpu=False,
        vendor_id=0x8086,
        sub_groups=True,
    )


def files(limits: Limits, product: Product) -> set[str]:
    return {variant.file for variant in LADDER if variant.suits(limits, product)}


@pytest.mark.parametrize(
    ("sizes", "transposed", "expected"),
    [
        ((64, 64, 64), "NN", {OF_HALVES}),
        ((7, 10, 6), "NT", {OF_HALVES}),
        ((64, 63, 64), "NN", set()),
        ((64, 64, 63), "NT", set()),
        ((64, 64, 64), "TN", set()),
    ],
)
def test_intels_gpus_multiply_halves_in_sub_groups(
    gpu: Limits, sizes: tuple[int, int, int], transposed: str, expected: set[str]
) -> None:
    rows, columns, depth = sizes
    product = Product(rows=rows, columns=columns, depth=depth, transposed=transposed)

    assert files(gpu, product) == expected
    assert files(replace(gpu, vendor_id=0x1002), product) == {TILED}
    assert files(replace(gpu, is_cpu=True), product) == set()


def test_each_kernel_computes_the_tile_that_its_entry_says() -> None:
    def of(variant: Variant) -> tuple[int, int]:
        defines = variant.defines
        if variant.file == OF_HALVES:
            return defines["ITEM_ROWS"] * defines["SUB_GROUPS"], 32
        return defines["TILE_ROWS"], defines["TILE_COLUMNS"]

    assert [variant.tile for variant in LADDER] == [of(variant) for variant in LADDER]


def test_only_listed_operations_of_gpus_that_can_multiply_in_half(device: Device) -> None:
    policy = Policy.shipped()

    assert {"linear", "matmul", "conv2d"} == policy.computed
    assert policy.computed <= policy.half
    is_able = has_fp16(device) and not device.limits.is_cpu
    assert multiplies_in_half(policy, device) <= is_able
    assert not computes_in_half("linear", device)
    with autocast():
        assert computes_in_half("linear", device) == multiplies_in_half(policy, device)
        assert not computes_in_half("conv_transpose2d", device)
