# SPDX-License-Identifier: MIT
"""Convolution as a matrix product over windows that are written out as columns.

It suits every device and needs the most memory; 1x1 filters need no columns at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from clprobe.tensor.array import Array
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, BiasAlong, Epilogue
from clprobe.tensor.ops.half import half_define, to_half
from clprobe.tensor.ops.matmul import matmul_forward
from clprobe.tensor.ops.reduce import sum_axes

# A row of most images, and as many sums as a CPU keeps in registers.
_CPU_COLUMNS_PER_ITEM = 64


def prepare(
    _device: Device, direction: Direction, geometry: Geometry, _defines: Mapping[str, int]
) -> Plan | None:
    """Return the plan for filters that see all channels, None for grouped ones."""
    if geometry.groups != 1:
        return None
    plans: dict[Direction, Callable[[Array, Array, Geometry, Epilogue], Array]] = {
        Direction.FORWARD: _forward,
        Direction.INPUT_GRADIENT: _input_gradient,
        Direction.WEIGHT_GRADIENT: _weight_gradient,
    }
    return lambda first, second, epilogue: plans[direction](first, second, geometry, epilogue)


def forward_in_half(x: Array, weight: Array, geometry: Geometry, epilogue: Epilogue) -> Array:
    """Return the convolution of halves, multiplied in half where a kernel does that."""
    return _forward(x, weight, geometry, epilogue, in_half=True)


def im2col(x: Array, geometry: Geometry) -> Array:
    """Return the windows as columns.

    **Shapes** result (images, channels·kernel_height·kernel_width, out_height·out_width).
    """
    shape = (geometry.images, geometry.window, geometry.pixels)
    if _is_pointwise(geometry):
        return x.reshape(shape)
    columns = Array.empty(x.device, shape, x.dtype)
    values = arguments(x, columns, *geometry.arguments())
    _launch("im2col", geometry.out_width, columns, geometry, values, half_define("X_HALF", x))
    return columns


def col2im(columns: Array, geometry: Geometry, epilogue: Epilogue = NO_EPILOGUE) -> Array:
    """Return images in which every pixel is the sum of its copies in `columns`."""
    x = Array.empty(columns.device, geometry.input_shape)
    values = arguments(columns, x, *geometry.arguments(), *epilogue.arguments(unused=x))
    _launch("col2im", geometry.width, x, geometry, values, epilogue.defines)
    return x


def _forward(
    x: Array, weight: Array, geometry: Geometry, epilogue: Epilogue, *, in_half: bool = False
) -> Array:
    filters = weight.reshape((geometry.filters, geometry.window))
    shape = (geometry.images, geometry.filters, geometry.pixels)
    product = matmul_forward(
        filters, im2col(x, geometry), epilogue=_as_rows(epilogue, shape), in_half=in_half
    )
    return product.reshape(geometry.output_shape)


def _input_gradient(dy: Array, weight: Array, geometry: Geometry, epilogue: Epilogue) -> Array:
    filters = weight.reshape((geometry.filters, geometry.window))
    gradient = dy.reshape((geometry.images, geometry.filters, geometry.pixels))
    if not _is_pointwise(geometry):
        columns = matmul_forward(filters, gradient, transpose_a=True)
        in_float = replace(epilogue, bias_along=BiasAlong.ROWS, half=False)
        dx = col2im(columns, geometry, in_float)
        return to_half(dx) if epilogue.half else dx
    shape = (geometry.images, geometry.channels, geometry.pixels)
    product = matmul_forward(
        filters, gradient, transpose_a=True, epilogue=_as_rows(epilogue, shape)
    )
    return product.reshape(geometry.input_shape)


def _weight_gradient(dy: Array, x: Array, geometry: Geometry, _epilogue: Epilogue) -> Array:
    """Return one product per image, added up."""
    gradient = dy.reshape((geometry.images, geometry.filters, geometry.pixels))
    products = matmul_forward(gradient, im2col(x, geometry), transpose_b=True)
    return sum_axes(products, (0,)).reshape(geometry.weight_shape)


def _is_pointwise(geometry: Geometry) -> bool:
    return geometry.kernel == geometry.stride == (1, 1) and geometry.padding == (0, 0)


def _as_rows(epilogue: Epilogue, shape: tuple[int, int, int]) -> Epilogue:
    """Return the epilogue of a product whose rows are filters."""
    if epilogue == NO_EPILOGUE:
        return epilogue
    residual = epilogue.residual and epilogue.residual.reshape(shape)
    return replace(epilogue, residual=residual, bias_along=BiasAlong.ROWS)


def _launch(  # noqa: PLR0913, PLR0917 - the kernel, what it works on and how it is built
    name: str,
    columns: int,
    target: Array,
    geometry: Geometry,
    values: tuple[Argument, ...],
    defines: Mapping[str, int],
) -> None:
    launch_rows(
        *(target.device, f"conv/{name}.cl", name, columns, target.size // columns, values),
        defines={"STRIDE_X": geometry.stride[1], **defines},
        cpu_columns=_CPU_COLUMNS_PER_ITEM,
    )
