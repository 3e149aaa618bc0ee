# SPDX-License-Identifier: MIT
"""Convolution with 3x3 or 5x5 filters and a stride of 1, and its gradients, by Winograd on a GPU.

F(4x4, 3x3) needs a quarter of the multiplications, F(2x2, 5x5) a third. Both multiply at the same
points. Between transforms that only move memory stand 36 products of matrices, which the ladder of
products chooses kernels for. A result is off by up to
some hundred times what the definition's would be: its bound follows from the sizes of the maps.
"""

from collections.abc import Mapping

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import powers_of_two_down_from, work_groups_above_first
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Pair, Plan
from clprobe.tensor.ops.conv.winograd import filter_order
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import half_define, to_float
from clprobe.tensor.ops.matmul import matmul_forward

_SIDE = 6
_POINTS = _SIDE**2
_KERNELS = {(3, 3), (5, 5)}
_WORK_ITEMS = 128


def prepare(
    device: Device, direction: Direction, geometry: Geometry, _defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for other filters and strides, and where memory does not suffice."""
    most = max(geometry.channels, geometry.filters)
    taps = geometry.kernel_height
    if geometry.kernel not in _KERNELS or not geometry.is_plain or max(geometry.padding) >= taps:
        return None
    defines, out = _flags(geometry), _SIDE + 1 - taps
    gradient = direction is Direction.INPUT_GRADIENT
    shape = geometry.input_shape if gradient else geometry.output_shape
    tiles = (-(-shape[2] // out), -(-shape[3] // out))
    count = geometry.images * tiles[0] * tiles[1]
    too_large = _POINTS * most * count * 4 > device.limits.max_allocation_bytes
    if too_large or most > work_groups_above_first(most):
        return None
    for name in ("windows", "gradients", "outputs"):
        device.programs.kernel("conv/gpu_winograd.cl", name, defines)
    if direction is Direction.WEIGHT_GRADIENT:
        return lambda dy, x, _: _weight_gradient(dy, x, geometry, tiles)

    def plan(x: Array, weight: Array, epilogue: Epilogue) -> Array:
        down, across = geometry.padding
        padding = (taps - 1 - down, taps - 1 - across) if gradient else (down, across)
        factors = _filters(to_float(weight), geometry, flip=gradient)
        sums = matmul_forward(factors, _windows(x, tiles, padding, defines))
        y = Array.empty(device, shape, epilogue.dtype)
        after = epilogue.arguments(unused=sums)
        values = arguments(sums, y, *after, shape[0], shape[1], shape[2:], tiles)
        _launch("outputs", sums, values, {**defines, **epilogue.row_defines})
        return y

    return plan


def _weight_gradient(dy: Array, x: Array, geometry: Geometry, tiles: Pair) -> Array:
    device, defines = x.device, _flags(geometry)
    images, rows = dy.shape[:2]
    factors = Array.empty(device, (_POINTS, rows, images * tiles[0] * tiles[1]))
    values = arguments(dy, factors, images, rows, dy.shape[2:], tiles)
    _launch("gradients", factors, values, {**defines, **half_define("X_HALF", dy)})
    windows = _windows(x, tiles, geometry.padding, defines)
    sums = matmul_forward(factors, windows, transpose_b=True)
    dw = Array.empty(device, geometry.weight_shape)
    count = rows * geometry.channels
    values = arguments(sums, dw, rows, geometry.channels)
    _launch_pairs(device, "filter_sums", count, values, defines)
    return dw


def _flags(geometry: Geometry) -> dict[str, int]:
    return {"TAPS": geometry.kernel_height}


def _filters(weight: Array, geometry: Geometry, *, flip: bool) -> Array:
    """Return the filters at the points.

    **Shapes** result (36, rows, channels), those that the direction sums into and over.
    """
    rows, channels, steps = filter_order(geometry, flip=flip)
    points = Array.empty(weight.device, (_POINTS, rows, channels))
    values = arguments(weight, points, rows, channels, steps)
    defines = {**_flags(geometry), "FLIP": int(flip)}
    _launch_pairs(weight.device, "filters", rows * channels, values, defines)
    return points


def _windows(x: Array, tiles: Pair, padding: Pair, defines: Mapping[str, int]) -> Array:
    """Return the windows at the points.

    **Shapes** result (36, channels, tiles of all images).
    """
    images, channels = x.shape[:2]
    points = Array.empty(x.device, (_POINTS, channels, images * tiles[0] * tiles[1]))
    values = arguments(x, points, images, channels, x.shape[2:], tiles, padding)
    _launch("windows", points, values, {**defines, **half_define("X_HALF", x)})
    return points


def _launch(
    name: str, points: Array, values: tuple[Argument, ...], defines: Mapping[str, int]
) -> None:
    """Launch a kernel whose work-items take a tile of a plane each."""
    device = points.device
    kernel = device.programs.kernel("conv/gpu_winograd.cl", name, defines)
    local = next(powers_of_two_down_from(min(_WORK_ITEMS, kernel.work_group_limit)))
    planes, tiles = points.shape[1:]
    device.launch(kernel, (-(-tiles // local) * local, planes), (local, 1), values)


def _launch_pairs(
    device: Device,
    name: str,
    count: int,
    values: tuple[Argument, ...],
    defines: Mapping[str, int],
) -> None:
    """Launch a kernel whose work-items take a row and a channel of the filters each."""
    kernel = device.programs.kernel("conv/gpu_winograd_filters.cl", name, defines)
    local = next(powers_of_two_down_from(min(_WORK_ITEMS, kernel.work_group_limit)))
    device.launch(kernel, (-(-count // local) * local,), (local,), values)
