# SPDX-License-Identifier: MIT
"""Matrix products, single and batched, of operands that may be transposed, and their gradients."""

from dataclasses import dataclass, replace

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.autocast import computes_in_half
from clprobe.tensor.device import Device, NdRange
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import work_groups_above_first
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.dealing import Dealt
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, BiasAlong, Epilogue
from clprobe.tensor.ops.half import all_half, to_float, to_half
from clprobe.tensor.ops.mask_and_sum import with_epilogue
from clprobe.tensor.ops.variants import Product, Variant, load_variants
from clprobe.tensor.program import Kernel
from clprobe.tensor.tape import Result
from clprobe.tensor.tuning.table import Tables, load_tables

ORACLE = Variant(file="matmul/naive.cl", defines={}, tile=(1, 1))
"""The kernel that the others are checked against."""

_TILED = "matmul/tiled.cl"
"""The kernel that loads and stores vectors where the sizes allow it, and may share sums out."""
_PACKED = "matmul/packed.cl"
"""The kernel that adds parts of sums up in the result, which must then be float, and that takes as
an argument whether A is transposed."""
_OF_HALVES = "matmul/subgroup_half.cl"
"""The kernel that takes nothing but halves, and multiplies them as such."""
_READ_HALF = {ORACLE.file, _TILED, _PACKED, _OF_HALVES}
"""The kernels that read half operands; subgroup.cl gets a copy in float: halves of B, read lane by
lane, would cost it registers that Gen8 does not have (4096 bytes spilled with 16 rows)."""


def matmul(a: Array, b: Array) -> Result:
    """Return a @ b.

    **Shapes** a (m, k), b (k, n), result (m, n).

    **Raises** ShapeError.
    """
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise ShapeError(f"A matrix product takes two matrices, not {a.shape} and {b.shape}.")
    in_half = computes_in_half("matmul", a.device)
    return Result(
        matmul_forward(a, b, epilogue=Epilogue(half=all_half(a, b)), in_half=in_half),
        (
            lambda dc: matmul_forward(dc, b, transpose_b=True),
            lambda dc: matmul_forward(a, dc, transpose_a=True),
        ),
    )


def linear(x: Array, weight: Array, bias: Array | None = None, *, relu: bool = False) -> Result:
    """Return x @ weightᵀ + bias, with negative values made zero if `relu`.

    **Shapes** x (batch, in), weight (out, in), bias (out,), result (batch, out).

    **Raises** ShapeError.
    """
    if len(x.shape) != 2 or len(weight.shape) != 2:
        raise ShapeError(f"A linear layer takes two matrices, not {x.shape} and {weight.shape}.")
    epilogue = Epilogue(bias=bias, relu=relu, half=all_half(x, weight))
    in_half = computes_in_half("linear", x.device)
    return with_epilogue(
        matmul_forward(x, weight, transpose_b=True, epilogue=epilogue, in_half=in_half),
        epilogue,
        (
            lambda dy: matmul_forward(dy, weight),
            lambda dy: matmul_forward(dy, x, transpose_a=True),
        ),
    )


def matmul_forward(  # noqa: PLR0913 - a product has two operands and as many ways to use them
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    epilogue: Epilogue | None = None,
    variant: Variant | None = None,
    in_half: bool = False,
) -> Array:
    """Return the product, without a tape; `variant` is chosen to suit the device unless given.

    `in_half` has halves multiplied as such where a kernel does that, and summed in float.

    **Shapes** a (m, k), b (k, n), result (m, n), a transposed operand the other way round; with a
    leading batch axis on either operand, the result has it too and the other operand is repeated.

    **Raises** ShapeError.
    """
    if not {len(a.shape), len(b.shape)} <= {2, 3}:
        raise ShapeError(f"Matrices, or batches of them, are needed, not {a.shape} and {b.shape}.")
    m, k = a.shape[-2:][:: -1 if transpose_a else 1]
    k_b, n = b.shape[-2:][:: -1 if transpose_b else 1]
    batches = (a.shape[:-2] or b.shape[:-2] or (1,))[0]
    if k != k_b or any(x.shape[:-2] not in ((), (batches,)) for x in (a, b)):
        raise ShapeError(
            f"Shapes {a.shape}{' transposed' * transpose_a} and {b.shape}"
            f"{' transposed' * transpose_b} do not fit a matrix product."
        )
    epilogue = epilogue or NO_EPILOGUE
    shape = (*(a.shape[:-2] or b.shape[:-2]), m, n)
    bias_axis = -1 if epilogue.bias_along is BiasAlong.COLUMNS else -2
    epilogue.check(shape, bias_axis)
    if 0 in shape:
        return Array.empty(a.device, shape, epilogue.dtype)
    if not k:
        # Zeros after the epilogue: the product of one column and one row of zeros.
        column, row = (
            Array.full(a.device, zeros, 0.0) for zeros in ((*shape[:-1], 1), (1, shape[-1]))
        )
        return matmul_forward(column, row, epilogue=epilogue, variant=variant)
    # Columns of all matrices side by side fill tiles better; a bias along them would be repeated.
    merged = batches > 1 and len(a.shape) == 2 and not transpose_b and batches * n < 1 << 31
    merged = merged and (bias_axis == -2 or epilogue.bias is None)
    merged = merged and (variant.takes_merged_columns if variant else _merges(a.device))
    product = Product(
        rows=m,
        columns=n * batches if merged else n,
        depth=k,
        batches=1 if merged else batches,
        transposed="NT"[transpose_a] + "NT"[transpose_b],
        inner=n if merged else 0,
    )
    halves = (a.dtype == np.float16, b.dtype == np.float16)
    in_half = in_half and all(halves) and variant is None
    chosen = a.device.programs.remember(
        (product, epilogue.flags, variant and variant.name, halves, in_half),
        lambda: _choose(a.device, product, epilogue, variant, halves, in_half=in_half),
    )
    if chosen.kernel.file not in _READ_HALF:
        a, b = to_float(a), to_float(b)
    c = Array.empty(a.device, shape, epilogue.dtype if chosen.writes_half else np.float32)
    # What is pending is computed before parts take memory.
    operands = arguments(a, b)
    after = epilogue.arguments(unused=a)
    values = arguments(
        *(*operands, c, m, product.columns, k, np.uint64(product.batches)),
        np.uint64(m * k if a.shape[:-2] else 0),
        np.uint64(k * n if b.shape[:-2] else 0),
        np.uint64(m * n),
        *after,
        *([int(transpose_a)] if chosen.kernel.file == _PACKED else []),
        *([n] if chosen.kernel.file == _TILED else []),
    )
    dealt = chosen.dealt
    if chosen.add is None:
        a.device.launch(chosen.kernel, *chosen.ranges, values)
        return to_half(c) if epilogue.half and not chosen.writes_half else c
    # Work-groups that share tiles leave up to two parts each.
    parts = Array.empty(a.device, (max(1, 2 * dealt.shares), *chosen.tile))
    numbers = arguments(dealt.whole, dealt.share)
    a.device.launch(chosen.kernel, *chosen.ranges, (*values, *arguments(parts), *numbers))
    if dealt.shares:
        of_c = arguments(parts, c, m, product.columns, k, np.uint64(m * n), *after, n)
        a.device.launch(chosen.add, *chosen.add_ranges, (*of_c, *numbers))
    return c


@dataclass(frozen=True, slots=True)
class _Chosen:
    """How a product is computed."""

    kernel: Kernel
    ranges: NdRange
    writes_half: bool
    """Whether the kernel, or what adds up its sums, stores the result in half."""
    dealt: Dealt
    tile: tuple[int, int]
    add: Kernel | None = None
    """What adds up shared tiles, where the kernel was built for such."""
    add_ranges: NdRange = ((1,), (1,))


def _choose(  # noqa: PLR0913 - all that decides
    device: Device,
    product: Product,
    epilogue: Epilogue,
    only: Variant | None,
    halves: tuple[bool, bool],
    *,
    in_half: bool,
) -> _Chosen:
    variants = (only,) if only else in_order_of_preference(device, product)
    if in_half:
        variants = (*in_order_of_preference(device, product, in_half=True), *variants)
    candidates = [
        variant.candidate(_flags(variant, product, epilogue) | _stored(variant, halves))
        for variant in variants
    ]
    built, fitting = device.programs.first_that_fits("matmul", candidates)
    variant = variants[candidates.index(fitting)]
    size, tiles = variant.work_group_size, variant.tiles(device.limits, product)
    dealt = variant.dealt(device.limits, product)
    writes_half = _writes_half(variant, product)
    if variant.most_splits > 1:
        add = device.programs.kernel(fitting.file, "add_shares", fitting.defines)
        rest = (tiles * product.batches - dealt.whole) * size, variant.defines["ITEM_ROWS"] // 4
        ranges = (dealt.work_groups * size, 1), (size, 1)
        return _Chosen(built, ranges, writes_half, dealt, variant.tile, add, (rest, (size, 1)))
    groups = work_groups_above_first(product.batches)
    if variant.sub_groups:
        # Intel's GPUs take any number, and a loop over batches would cost the kernel registers.
        groups = product.batches
    return _Chosen(built, ((tiles * size, groups), (size, 1)), writes_half, dealt, variant.tile)


def _merges(device: Device) -> bool:
    """Say whether all that multiplies on a device takes columns of several matrices."""
    ladder = load_variants(device.programs.folder / "matmul" / "variants.yaml")
    return any(each.rate and each.suits_device(device.limits) for each in ladder)


def _writes_half(variant: Variant, product: Product) -> bool:
    """Say whether a kernel can store its result in half without rounding what is yet to grow."""
    if variant.file == _PACKED:
        return product.depth <= variant.defines["TILE_DEPTH"]
    return variant.file in _READ_HALF


def _stored(variant: Variant, halves: tuple[bool, bool]) -> dict[str, int]:
    """Return the defines that say which operands are half, to a kernel that reads such."""
    if variant.file == _OF_HALVES:
        return {}
    named = zip(("A_HALF", "B_HALF"), halves, strict=True)
    return {name: 1 for name, is_half in named if is_half and variant.file in _READ_HALF}


def _flags(variant: Variant, product: Product, epilogue: Epilogue) -> dict[str, int]:
    """Return the defines that follow from the product."""
    transpose_a, transpose_b = (letter == "T" for letter in product.transposed)
    flags = {"TRANSPOSE_B": int(transpose_b)}
    if variant.file not in (_PACKED, _OF_HALVES):
        flags["TRANSPOSE_A"] = int(transpose_a)
    if variant.file == _TILED:
        along = {
            "WIDTH_A": product.rows if transpose_a else product.depth,
            "WIDTH_B": product.depth if transpose_b else product.inner or product.columns,
            "WIDTH_C": product.inner or product.columns,
        }
        flags |= {name: 1 if size % 4 else 4 for name, size in along.items()}
        named = {"SHARED": variant.most_splits > 1, "MERGED": product.inner > 0}
        flags |= {name: 1 for name, wanted in named.items() if wanted}
        if product.rows < variant.tile[0] or product.columns < variant.tile[1]:
            flags["CLAMPED"] = 1
    half = epilogue.half and _writes_half(variant, product)
    return flags | replace(epilogue, half=half).defines


def tables_of(device: Device) -> Tables:
    """Return the configurations that were measured on such devices."""
    return device.programs.remember(
        "tuned tables", lambda: load_tables(device.cl_device, device.programs.folder)
    )


def in_order_of_preference(
    device: Device, product: Product, *, in_half: bool = False
) -> tuple[Variant, ...]:
    """Return what was measured at similar products, then the ladder of kernels/matmul.

    Of that, those with a rate, the fastest by a model of the device first; those with enough tiles
    for all compute units as listed; then the others backwards.
    `in_half` asks for the ladder of those that multiply in half, of which nothing is measured.
    """
    limits = device.limits
    measured = [] if in_half else tables_of(device).nearest(product)
    tuned = [each for each in measured if each.suits(limits, product)]
    file = "half_variants.yaml" if in_half else "variants.yaml"
    ladder = load_variants(device.programs.folder / "matmul" / file)
    suitable = [variant for variant in ladder if variant.suits(limits, product)]
    modelled = sorted(
        (variant for variant in suitable if variant.rate),
        key=lambda variant: variant.seconds(limits, product),
    )
    suitable = [variant for variant in suitable if not variant.rate]
    busy = [variant for variant in suitable if variant.keeps_busy(limits, product)]
    idle = [variant for variant in reversed(suitable) if variant not in busy]
    return (*tuned, *modelled, *busy, *sorted(idle, key=lambda variant: variant.last_resort))
