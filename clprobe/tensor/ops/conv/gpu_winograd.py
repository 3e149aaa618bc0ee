# SPDX-License-Identifier: MIT
"""Convolution with 3x3 filters and a stride of 1, and its gradients, by Winograd on a GPU.

F(4x4, 3x3) needs a quarter of the multiplications. Between transforms that only move memory stand
36 products of matrices, which the ladder of products chooses kernels for. A result is off by up to
some hundred times what the definition's would be: its bound follows from the sizes of the maps.
"""

from collections.abc import Mapping

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import powers_of_two_down_from, uint32, work_groups_above_first
from clprobe.tensor.ops.conv.geometry import Geometry, Pair
from clprobe.tensor.ops.conv.plan import Direction, Plan
from clprobe.tensor.ops.conv.planes import pair
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue
from clprobe.tensor.ops.half import half_define, to_float
from clprobe.tensor.ops.matmul import matmul_forward

_OUT = 4
_POINTS = (_OUT + 2) ** 2
_WORK_ITEMS = 128


def prepare(
    device: Device, direction: Direction, geometry: Geometry, _defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan, None for other filters and strides, and where memory does not suffice."""
    unit = geometry.stride == geometry.dilation == (1, 1) and geometry.groups == 1
    most = max(geometry.channels, geometry.filters)
    if not unit or (geometry.kernel_height, geometry.kernel_width) != (3, 3):
        return None
    if max(geometry.padding) > 2 or most > work_groups_above_first(most):
        return None
    gradient = direction is Direction.INPUT_GRADIENT
    size = (geometry.height, geometry.width) if gradient else _outputs(geometry)
    tiles = (-(-size[0] // _OUT), -(-size[1] // _OUT))
    count = geometry.images * tiles[0] * tiles[1]
    if _POINTS * most * count * 4 > device.limits.max_allocation_bytes:
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
        return _finish(
            sums, tiles, geometry.input_shape if gradient else geometry.output_shape, epilogue
        )

    return plan


def _weight_gradient(dy: Array, x: Array, geometry: Geometry, tiles: Pair) -> Array:
    device = x.device
    rows, channels = geometry.filters, geometry.channels
    factors = Array.empty(device, (_POINTS, rows, dy.shape[0] * tiles[0] * tiles[1]))
    sizes = (uint32(dy.shape[0]), uint32(rows), pair(dy.shape[2:]), pair(tiles))
    inputs = (dy.buffer, factors.buffer, *sizes)
    _launch("gradients", factors, inputs, half_define("X_HALF", dy))
    sums = matmul_forward(factors, _windows(x, tiles, geometry.padding), transpose_b=True)
    dw = Array.empty(device, geometry.weight_shape)
    arguments = (sums.buffer, dw.buffer, uint32(rows), uint32(channels))
    _launch_pairs(device, "filter_sums", rows * channels, arguments)
    return dw


def _filters(weight: Array, geometry: Geometry, *, flip: bool) -> Array:
    """Return the filters at the points.

    **Shapes** result (36, rows, channels), those that the direction sums into and over.
    """
    rows, channels, steps = geometry.filters, geometry.channels, (9 * geometry.channels, 9)
    if flip:
        rows, channels, steps = channels, rows, steps[::-1]
    points = Array.empty(weight.device, (_POINTS, rows, channels))
    sizes = (uint32(rows), uint32(channels), pair(steps))
    arguments = (weight.buffer, points.buffer, *sizes)
    _launch_pairs(weight.device, "filters", rows * channels, arguments, {"FLIP": int(flip)})
    return points


def _windows(x: Array, tiles: Pair, padding: Pair) -> Array:
    """Return the windows at the points.

    **Shapes** result (36, channels, tiles of all images).
    """
    images, channels = x.shape[:2]
    points = Array.empty(x.device, (_POINTS, channels, images * tiles[0] * tiles[1]))
    pairs = (pair(x.shape[2:]), pair(tiles), pair(padding))
    arguments = (x.buffer, points.buffer, uint32(images), uint32(channels), *pairs)
    _launch("windows", points, arguments, half_define("X_HALF", x))
    return points


def _finish(sums: Array, tiles: Pair, shape: tuple[int, ...], epilogue: Epilogue) -> Array:
    y = Array.empty(sums.device, shape, epilogue.dtype)
    arguments = (
        *(sums.buffer, y.buffer, *epilogue.arguments(unused=sums)),
        *(uint32(shape[0]), uint32(shape[1]), pair(shape[2:]), pair(tiles)),
    )
    _launch("outputs", sums, arguments, epilogue.row_defines)
    return y


def _launch(
    name: str,
    points: Array,
    arguments: tuple[Argument, ...],
    defines: Mapping[str, int] = NO_EPILOGUE.defines,
) -> None:
    """Launch a kernel whose work-items take a tile of a plane each."""
    device = points.device
    kernel = device.programs.kernel("conv/gpu_winograd.cl", name, defines)
    local = next(powers_of_two_down_from(min(_WORK_ITEMS, kernel.work_group_limit)))
    planes, tiles = points.shape[1:]
    device.launch(kernel, (-(-tiles // local) * local, planes), (local, 1), arguments)


def _launch_pairs(
    device: Device,
    name: str,
    count: int,
    arguments: tuple[Argument, ...],
    defines: Mapping[str, int] = NO_EPILOGUE.defines,
) -> None:
    """Launch a kernel whose work-items take a row and a channel of the filters each."""
    kernel = device.programs.kernel("conv/gpu_winograd_filters.cl", name, defines)
    local = next(powers_of_two_down_from(min(_WORK_ITEMS, kernel.work_group_limit)))
    device.launch(kernel, (-(-count // local) * local,), (local,), arguments)


def _outputs(geometry: Geometry) -> Pair:
    return geometry.out_height, geometry.out_width
