# SPDX-License-Identifier: MIT
"""Convolution with 3x3 filters and a stride of 1, and its gradients, by Winograd on a GPU.

F(4x4, 3x3) needs a quarter of the multiplications. Between transforms that only move memory stand
36 products of matrices, which the ladder of products chooses kernels for. A result is off by up to
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

_OUT = 4
_POINTS = (_OUT + 2) ** 2
_WORK_ITEMS = 128


def prepare(
    device: Device, direction: Direction, geometry: Geometry, _defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for other filters and strides, and where memory does not suffice."""
    most = max(geometry.channels, geometry.filters)
    if not geometry.is_plain_3x3 or max(geometry.padding) > 2:
        return None
    gradient = direction is Direction.INPUT_GRADIENT
    shape = geometry.input_shape if gradient else geometry.output_shape
    tiles = (-(-shape[2] // _OUT), -(-shape[3] // _OUT))
    count = geometry.images * tiles[0] * tiles[1]
    too_large = _POINTS * most * count * 4 > device.limits.max_allocation_bytes
    if too_large or most > work_groups_above_first(most):
        return None
    for name in ("windows", "gradients", "outputs"):
        device.programs.kernel("conv/gpu_winograd.cl", name)
    if direction is Direction.WEIGHT_GRADIENT:
        return lambda dy, x, _: _weight_gradient(dy, x, geometry, tiles)

    def plan(x: Array, weight: Array, epilogue: Epilogue) -> Array:
        down, across = geometry.padding
        padding = (2 - down, 2 - across) if gradient else (down, across)
        factors = _filters(to_float(weight), geometry, flip=gradient)
        sums = matmul_forward(factors, _windows(x, tiles, padding))
        y = Array.empty(device, shape, epilogue.dtype)
        after = epilogue.arguments(unused=sums)
        values = arguments(sums, y, *after, shape[0], shape[1], shape[2:], tiles)
        _launch("outputs", sums, values, epilogue.row_defines)
        return y

    return plan


def _weight_gradient(dy: Array, x: Array, geometry: Geometry, tiles: Pair) -> Array:
    device = x.device
    images, rows = dy.shape[:2]
    factors = Array.empty(device, (_POINTS, rows, images * tiles[0] * tiles[1]))
    values = arguments(dy, factors, images, rows, dy.shape[2:], tiles)
    _launch("gradients", factors, values, half_define("X_HALF", dy))
    sums = matmul_forward(factors, _windows(x, tiles, geometry.padding), transpose_b=True)
    dw = Array.empty(device, geometry.weight_shape)
    count = rows * geometry.channels
    _launch_pairs(device, "filter_sums", count, arguments(sums, dw, rows, geometry.channels))
    return dw


def _filters(weight: Array, geometry: Geometry, *, flip: bool) -> Array:
    """Return the filters at the points.

    **Shapes** result (36, rows, channels), those that the direction sums into and over.
    """
    rows, channels, steps = filter_order(geometry, flip=flip)
    points = Array.empty(weight.device, (_POINTS, rows, channels))
    values = arguments(weight, points, rows, channels, steps)
    _launch_pairs(weight.device, "filters", rows * channels, values, {"FLIP": int(flip)})
    return points


def _windows(x: Array, tiles: Pair, padding: Pair) -> Array:
    """Return the windows at the points.

    **Shapes** result (36, channels, tiles of all images).
    """
    images, channels = x.shape[:2]
    points = Array.empty(x.device, (_POINTS, channels, images * tiles[0] * tiles[1]))
    values = arguments(x, points, images, channels, x.shape[2:], tiles, padding)
    _launch("windows", points, values, half_define("X_HALF", x))
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
    defines: Mapping[str, int] | None = None,
) -> None:
    """Launch a kernel whose work-items take a row and a channel of the filters each."""
    kernel = device.programs.kernel("conv/gpu_winograd_filters.cl", name, defines)
    local = next(powers_of_two_down_from(min(_WORK_ITEMS, kernel.work_group_limit)))
    device.launch(kernel, (-(-count // local) * local,), (local,), values)
