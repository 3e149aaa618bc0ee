# SPDX-License-Identifier: MIT
"""Two-dimensional convolution, its gradients and its transpose, by the algorithm that suits."""

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.autocast import computes_in_half
from clprobe.tensor.ops.conv.choose import choose
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Pair
from clprobe.tensor.ops.conv.unfold import forward_in_half
from clprobe.tensor.ops.epilogue import NO_EPILOGUE, Epilogue
from clprobe.tensor.ops.half import all_half
from clprobe.tensor.ops.mask_and_sum import with_epilogue
from clprobe.tensor.tape import Result


def conv2d(  # noqa: PLR0913, PLR0917 - torch's own argument list
    x: Array,
    weight: Array,
    bias: Array | None = None,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
    *,
    relu: bool = False,
) -> Result:
    """Return the cross-correlation of images and filters, and its gradients.

    Negative values are made zero if `relu`.

    **Shapes** x (images, channels, height, width), weight (filters, channels / groups,
    kernel_height, kernel_width), bias (filters,), result (images, filters, out_height, out_width).

    **Raises** ShapeError.
    """
    geometry = Geometry.of(x.shape, weight.shape, stride, padding, dilation, groups)
    epilogue = Epilogue(bias=bias, relu=relu, half=all_half(x, weight))
    is_in_half = epilogue.half and suits_half(geometry) and computes_in_half("conv2d", x.device)
    forward = conv2d_forward_in_half if is_in_half else conv2d_forward
    return with_epilogue(
        forward(x, weight, geometry, epilogue=epilogue),
        epilogue,
        (
            lambda dy: conv2d_input_gradient(dy, weight, geometry),
            lambda dy: conv2d_weight_gradient(dy, x, geometry),
        ),
    )


def conv_transpose2d(
    x: Array, weight: Array, bias: Array | None = None, *, geometry: Geometry
) -> Result:
    """Return the transpose of a convolution: what its gradient for the images is.

    **Shapes** x as the geometry's result, the result as its images.

    **Raises** ShapeError.
    """
    epilogue = Epilogue(bias=bias, half=all_half(x, weight))
    return with_epilogue(
        conv2d_input_gradient(x, weight, geometry, epilogue=epilogue),
        epilogue,
        (
            lambda dy: conv2d_forward(dy, weight, geometry),
            lambda dy: conv2d_weight_gradient(x, dy, geometry),
        ),
    )


def conv2d_forward(
    x: Array, weight: Array, geometry: Geometry, *, epilogue: Epilogue = NO_EPILOGUE
) -> Array:
    """Return the convolution, without a tape.

    **Raises** ShapeError.
    """
    return _run(Direction.FORWARD, (x, weight), geometry, geometry.output_shape, epilogue)


def conv2d_forward_in_half(
    x: Array, weight: Array, geometry: Geometry, *, epilogue: Epilogue = NO_EPILOGUE
) -> Array:
    """Return the convolution of halves, multiplied as such and summed in float.

    **Raises** ShapeError.
    """
    epilogue.check(geometry.output_shape, bias_axis=1)
    if not (x.size and weight.size and all(geometry.output_shape)):
        return conv2d_forward(x, weight, geometry, epilogue=epilogue)
    return forward_in_half(x, weight, geometry, epilogue)


def conv2d_input_gradient(
    dy: Array, weight: Array, geometry: Geometry, *, epilogue: Epilogue = NO_EPILOGUE
) -> Array:
    """Return the gradient for the images; a bias is then one value per channel.

    **Raises** ShapeError.
    """
    return _run(Direction.INPUT_GRADIENT, (dy, weight), geometry, geometry.input_shape, epilogue)


def conv2d_weight_gradient(dy: Array, x: Array, geometry: Geometry) -> Array:
    """Return the gradient for the filters."""
    return _run(Direction.WEIGHT_GRADIENT, (dy, x), geometry, geometry.weight_shape, NO_EPILOGUE)


def suits_half(geometry: Geometry) -> bool:
    """Say whether a product of halves is the best way to convolve halves.

    Winograd's way spares more of 3 x 3 filters than half precision does, and loses too many digits
    in half.
    """
    is_winograds = geometry.kernel == (3, 3) and geometry.stride == geometry.dilation == (1, 1)
    has_even_lines = geometry.window % 2 == 0 and geometry.pixels % 2 == 0
    return geometry.groups == 1 and has_even_lines and not is_winograds


def _run(
    direction: Direction,
    operands: tuple[Array, Array],
    geometry: Geometry,
    shape: Shape,
    epilogue: Epilogue,
) -> Array:
    epilogue.check(shape, bias_axis=1)
    device = operands[0].device
    if not all(operand.size for operand in operands) or not all(shape):
        # Only a gradient for filters adds up images that may be none.
        return Array.full(device, shape, 0.0)
    return choose(device, direction, geometry)(*operands, epilogue)
