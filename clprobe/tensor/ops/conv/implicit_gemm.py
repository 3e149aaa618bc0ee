# SPDX-License-Identifier: MIT
"""Convolution and its gradients on a GPU as products with windows that are never written out.

The ladder's WORK_GROUPS says how many work-groups a compute unit holds at once: with fewer tiles
than that the sum over channels and taps, or over all windows, is split.
"""

from collections.abc import Mapping
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import powers_of_two_down_from, work_groups_above_first
from clprobe.tensor.ops.arguments import arguments, uint32
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.conv.taps import Taps, forward_taps, taps_of
from clprobe.tensor.ops.conv.window_steps import OUTSIDE, steps_of, sums_of, tiles_of
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue, sum_parts
from clprobe.tensor.ops.half import half_define, to_float
from clprobe.tensor.ops.variants import splits
from clprobe.tensor.program import Candidate, Kernel

# A split that sums fewer tiles than this costs more than it gains.
_TILES_PER_SPLIT = 8
# So many rows must share what a group's windows cost to fetch.
_ROWS_PER_GROUP = 16


def prepare(
    device: Device, direction: Direction, geometry: Geometry, defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for groups of few filters and for more than 32 bits count."""
    rows = min(geometry.filters_of_group, geometry.channels_of_group)
    if geometry.groups > 1 and rows < _ROWS_PER_GROUP:
        return None
    if geometry.groups > work_groups_above_first(geometry.groups):
        return None
    if max(prod(geometry.input_shape[1:]), prod(geometry.output_shape[1:])) >= -OUTSIDE:
        return None
    tunables = {key: value for key, value in defines.items() if key != "WORK_GROUPS"}
    wanted = defines["WORK_GROUPS"] * device.limits.compute_units
    if direction is Direction.WEIGHT_GRADIENT:
        return _weight_gradient(device, geometry, tunables, wanted)
    return _images(device, direction, geometry, tunables, wanted)


def _images(
    device: Device,
    direction: Direction,
    geometry: Geometry,
    tunables: Mapping[str, int],
    wanted: int,
) -> Plan:
    """Return the plan of the convolution or of its gradient for the images."""
    forward = direction is Direction.FORWARD
    all_taps = taps_of(direction, geometry)
    shape = geometry.output_shape if forward else geometry.input_shape
    rows = shape[1] // geometry.groups
    uint32(geometry.images * max(prod(taps.outputs) for taps in all_taps))
    steps, sums, tiles = sums_of(device, all_taps, geometry, direction, tunables)
    # To share out sums of unlike depths, a device needs more of them.
    deep = sum(bool(taps.kernel) for taps in all_taps)
    most = sums[0].depth // tunables["TILE_DEPTH"] // _TILES_PER_SPLIT
    parts = splits(wanted * min(2, max(1, deep)), tiles * geometry.groups, most)
    table = Array.from_numpy(np.array([each.row for each in sums], np.int32), device)
    together = all(_results_lie_together(taps, shape) for taps in all_taps)

    def kernel(epilogue: Epilogue, stored: Mapping[str, int]) -> Kernel:
        flags = {} if parts > 1 else epilogue.row_defines
        width = {"WIDTH_C": 4 if together else 1, "SPLITS": parts}
        return _fitting(device, "implicit_gemm", {**tunables, **width, **flags, **stored})

    kernel(NO_EPILOGUE, {})
    ranges = _ranges(tiles, geometry.groups * parts, tunables)

    def plan(x: Array, weight: Array, epilogue: Epilogue) -> Array:
        y = Array.empty(device, shape, epilogue.dtype)
        target = y if parts == 1 else Array.empty(device, (parts, *shape))
        packed = _pack(to_float(weight), geometry, forward, steps, tunables["TILE_ROWS"])
        values = arguments(
            *(packed, x, steps, table, target, *epilogue.arguments(unused=x)),
            *(geometry.images, x.shape[1] // geometry.groups, rows, len(sums), steps.shape[0]),
            *(x.shape[2:], shape[2:], all_taps[0].step, all_taps[0].spread),
        )
        device.launch(kernel(epilogue, half_define("X_HALF", x)), *ranges, values)
        if parts > 1:
            sum_parts(target, y, epilogue, bias_axis=1)
        return y

    return plan


def _weight_gradient(
    device: Device, geometry: Geometry, tunables: Mapping[str, int], wanted: int
) -> Plan:
    taps = forward_taps(geometry)
    steps = Array.from_numpy(steps_of(taps, geometry, Direction.WEIGHT_GRADIENT, tunables), device)
    rows, columns = geometry.filters_of_group, geometry.window
    tiles = tiles_of(rows, columns, tunables)
    windows = int(uint32(geometry.images * geometry.pixels))
    most = windows // tunables["TILE_DEPTH"] // _TILES_PER_SPLIT
    parts = splits(wanted, tiles * geometry.groups, most)
    whole = _items(tunables) * 4 <= tunables["TILE_ROWS"] * tunables["TILE_DEPTH"]
    width = 4 if whole and geometry.pixels % 4 == 0 else 1
    defines = {**tunables, "WIDTH_A": width, "SPLITS": parts}
    _fitting(device, "weight_gradient", defines)
    scalars = arguments(
        *(geometry.images, geometry.channels_of_group, rows, columns),
        *(geometry.input_shape[2:], geometry.outputs, geometry.stride),
        *(_reciprocal(divisor) for divisor in (geometry.pixels, geometry.out_width)),
    )
    ranges = _ranges(tiles, geometry.groups * parts, tunables)

    def plan(dy: Array, x: Array, _epilogue: Epilogue) -> Array:
        dw = Array.empty(device, geometry.weight_shape)
        target = dw if parts == 1 else Array.empty(device, (parts, *geometry.weight_shape))
        values = arguments(to_float(dy), x, steps, target, *scalars)
        kernel = _fitting(device, "weight_gradient", {**defines, **half_define("X_HALF", x)})
        device.launch(kernel, *ranges, values)
        if parts > 1:
            sum_parts(target, dw, NO_EPILOGUE)
        return dw

    return plan


def _pack(weight: Array, geometry: Geometry, forward: bool, steps: Array, tile_rows: int) -> Array:
    """Return the filters as gpu_implicit_gemm.cl reads them."""
    device, depth = weight.device, steps.shape[0]
    rows = geometry.filters_of_group if forward else geometry.channels_of_group
    blocks = -(-rows // tile_rows)
    packed = Array.empty(device, (geometry.groups, blocks, depth, tile_rows))
    kernel = device.programs.kernel("conv/gpu_pack.cl", "pack", {"TILE_ROWS": tile_rows})
    local = next(powers_of_two_down_from(min(tile_rows, kernel.work_group_limit)))
    sizes = (rows, depth, geometry.window * geometry.filters_of_group)
    step = geometry.window if forward else prod(geometry.kernel)
    lines = work_groups_above_first(depth)
    device.launch(
        kernel,
        (blocks * tile_rows, lines, geometry.groups),
        (local, 1, 1),
        arguments(weight, steps, packed, *sizes, step),
    )
    return packed


def _fitting(device: Device, name: str, defines: Mapping[str, int]) -> Kernel:
    """Return the kernel.

    **Raises** BuildError, also where it does not fit the device.
    """
    tile = defines["TILE_ROWS"] + defines["TILE_COLUMNS"] + 8
    candidate = Candidate(
        file=f"conv/gpu_{name}.cl",
        defines=defines,
        work_group_size=_items(defines),
        local_memory_bytes=tile * defines["TILE_DEPTH"] * 4 * defines["BUFFERS"],
    )
    return device.programs.first_that_fits(name, (candidate,))[0]


def _results_lie_together(taps: Taps, shape: tuple[int, ...]) -> bool:
    """Say whether four neighbouring windows always have results side by side."""
    return taps.spread == (1, 1) and taps.outputs == shape[2:] and prod(taps.outputs) % 4 == 0


def _items(tunables: Mapping[str, int]) -> int:
    tile = tunables["TILE_ROWS"] * tunables["TILE_COLUMNS"]
    return tile // (tunables["ITEM_ROWS"] * tunables["ITEM_COLUMNS"])


def _ranges(
    tiles: int, others: int, tunables: Mapping[str, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    items = _items(tunables)
    return (tiles * items, others), (items, 1)


def _reciprocal(divisor: int) -> Argument:
    """Return what gpu_weight_gradient.cl multiplies and shifts by to divide.

    **Source** Granlund & Montgomery 1994, figure 4.1.
    """
    shift = (divisor - 1).bit_length()
    factor = (1 << 32) * ((1 << shift) - divisor) // divisor + 1
    return np.array((factor, shift), np.uint32)
