# SPDX-License-Identifier: MIT
"""The tensor that users hold: an array on a device that remembers how it was computed."""

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from clprobe.tensor import tape
from clprobe.tensor.array import Array, HostArray, Shape
from clprobe.tensor.autocast import takes_half
from clprobe.tensor.device import Device
from clprobe.tensor.errors import DeviceError, DtypeError, ShapeError
from clprobe.tensor.ops import conv, elementwise, half, matmul, pool, softmax
from clprobe.tensor.ops.conv.geometry import Geometry, Pair
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.tape import Result, Variable


class Tensor(Variable):
    """float32 values (or int32 labels) with operators that are recorded for `backward`.

    `grad` is an Array once `backward` has given one, None before.
    """

    # NumPy's scalars leave mixed operators to this class.
    __array_ufunc__ = None

    @classmethod
    def from_numpy(cls, array: HostArray, device: Device, requires_grad: bool = False) -> "Tensor":
        """Copy host values to the device.

        **Raises** DtypeError unless they are float32, or int32 without a gradient; DeviceError.
        """
        if requires_grad and array.dtype != np.float32:
            raise DtypeError(f"Only float32 values have gradients, not {array.dtype}.")
        return cls(Array.from_numpy(array, device), requires_grad)

    def numpy(self) -> np.ndarray[Any, Any]:
        """Copy the values to the host, waiting for whatever computes them."""
        return self.array.numpy()

    def host_view(self) -> np.ndarray[Any, Any]:
        """Return the values for reading, without a copy where memory is shared with the host.

        They cannot be changed on the device as long as what this returns is kept.
        """
        return self.array.host_view()

    @property
    def shape(self) -> Shape:
        """Return the size of each axis."""
        return self.array.shape

    @property
    def device(self) -> Device:
        """Return the device that holds the values."""
        return self.array.device

    def backward(self) -> None:
        """Give every leaf that this scalar depends on its gradient, added to what it has.

        **Raises** ShapeError unless this is one value.
        """
        if self.array.size != 1:
            raise ShapeError(
                f"Gradients start from one value, not from shape {self.shape}.",
                hint="Sum it or take the mean first.",
            )
        one = Array.full(self.device, self.shape, 1.0)
        tape.backward(self, one, lambda a, b: elementwise.apply("add", a, b))

    def __add__(self, other: "Tensor | float") -> "Tensor":
        return record(elementwise.add, self, self._operand(other))

    def __radd__(self, other: float) -> "Tensor":
        return record(elementwise.add, self._operand(other), self)

    def __sub__(self, other: "Tensor | float") -> "Tensor":
        return record(elementwise.subtract, self, self._operand(other))

    def __rsub__(self, other: float) -> "Tensor":
        return record(elementwise.subtract, self._operand(other), self)

    def __mul__(self, other: "Tensor | float") -> "Tensor":
        return record(elementwise.multiply, self, self._operand(other))

    def __rmul__(self, other: float) -> "Tensor":
        return record(elementwise.multiply, self._operand(other), self)

    def __truediv__(self, other: "Tensor | float") -> "Tensor":
        return record(elementwise.divide, self, self._operand(other))

    def __rtruediv__(self, other: float) -> "Tensor":
        return record(elementwise.divide, self._operand(other), self)

    def __neg__(self) -> "Tensor":
        return record(elementwise.negate, self)

    def __matmul__(self, other: "Tensor") -> "Tensor":
        return record(matmul.matmul, self, other, name="matmul")

    def relu(self) -> "Tensor":
        """Return max(self, 0)."""
        return record(elementwise.relu, self)

    def sum(self, axes: int | tuple[int, ...] | None = None) -> "Tensor":
        """Return the sum over some axes, or over all."""
        return self._reduced(axes, lambda _: 1.0)

    def mean(self, axes: int | tuple[int, ...] | None = None) -> "Tensor":
        """Return the mean over some axes, or over all; NaN if there is nothing to average."""
        return self._reduced(axes, lambda count: 1 / count if count else np.nan)

    def reshape(self, *shape: int) -> "Tensor":
        """Return the same values under another shape; one size may be -1.

        **Raises** ShapeError.
        """
        if -1 in shape:
            known = -prod(shape)
            at = shape.index(-1)
            shape = (*shape[:at], self.array.size // known if known else 0, *shape[at + 1 :])
        own = self.shape
        return record(
            lambda x: Result(x.reshape(shape), (lambda dy: dy.reshape(own),)), self, as_stored=True
        )

    def flatten(self) -> "Tensor":
        """Return one row per entry of the first axis."""
        return self.reshape(self.shape[0], prod(self.shape[1:]))

    def _operand(self, other: "Tensor | float") -> "Tensor":
        if isinstance(other, Tensor):
            return other
        return Tensor(Array.full(self.device, (), other), requires_grad=False)

    def _reduced(
        self, axes: int | tuple[int, ...] | None, factor_of: Callable[[int], float]
    ) -> "Tensor":
        rank = len(self.shape)
        chosen = range(rank) if axes is None else (axes,) if isinstance(axes, int) else axes
        if any(not -rank <= axis < rank for axis in chosen):
            raise ShapeError(f"Axes {axes} are not axes of shape {self.shape}.")
        summed = {axis % rank for axis in chosen}
        own = self.shape
        kept = tuple(1 if axis in summed else size for axis, size in enumerate(own))
        result = tuple(size for axis, size in enumerate(own) if axis not in summed)
        factor = factor_of(prod(own[axis] for axis in summed))

        def reduce(x: Array) -> Result:
            y = sum_axes(x, tuple(summed)).reshape(result)
            scaled = y if factor == 1 else elementwise.expand(y, result, factor)
            return Result(scaled, (lambda dy: elementwise.expand(dy.reshape(kept), own, factor),))

        return record(reduce, self)


def record(
    operation: Callable[..., Result], *inputs: Tensor, name: str = "", as_stored: bool = False
) -> Tensor:
    """Apply an operation to tensors and put it on the tape.

    `name` is what autocast calls the operation; one without a name takes float operands, or
    operands as they are stored if it says so, because it rounds nothing.

    **Raises** DtypeError if one holds labels, DeviceError if they lie on different devices.
    """
    for tensor in inputs:
        if tensor.array.dtype == np.int32:
            raise DtypeError(
                f"Operations take float32 values, not the {tensor.array.dtype} of labels."
            )
        if tensor.device is not inputs[0].device:
            raise DeviceError(
                f"Operands lie on different devices, {inputs[0].device.name} and "
                f"{tensor.device.name}, or on one that was opened twice."
            )
    if not as_stored:
        inputs = _stored(inputs, takes_half=bool(name) and takes_half(name, inputs[0].device))
    result = operation(*(tensor.array for tensor in inputs))
    output = Tensor(result.value, requires_grad=False)
    output.remember(inputs, result.gradients)
    return output


def _stored(inputs: tuple[Tensor, ...], *, takes_half: bool) -> tuple[Tensor, ...]:
    """Return operands as an operation takes them: float, or all but vectors in half."""

    def stored(tensor: Tensor) -> Tensor:
        want = np.float16 if takes_half and len(tensor.shape) > 1 else np.float32
        if tensor.array.dtype == want:
            return tensor
        convert = half.to_float
        if want == np.float16:
            convert = half.kept_half if tensor.is_parameter else half.to_half
        output = Tensor(convert(tensor.array), requires_grad=False)
        output.remember((tensor,), (lambda dy: dy,))
        return output

    return tuple(stored(tensor) for tensor in inputs)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, *, relu: bool = False) -> Tensor:
    """Return x @ weightᵀ + bias, with negative values made zero if `relu`.

    **Shapes** x (batch, in), weight (out, in), bias (out,), result (batch, out).
    """
    return record(partial(matmul.linear, relu=relu), *_given(x, weight, bias), name="linear")


def conv2d(  # noqa: PLR0913, PLR0917 - torch's own argument list
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
    *,
    relu: bool = False,
) -> Tensor:
    """Return the convolution (as in torch, a cross-correlation) of images and filters + bias.

    Negative values are made zero if `relu`.

    **Shapes** x (images, channels, height, width), weight (filters, channels / groups,
    kernel_height, kernel_width), bias (filters,), result (images, filters, out_height, out_width).
    """
    layer = partial(
        conv.conv2d, stride=stride, padding=padding, dilation=dilation, groups=groups, relu=relu
    )
    return record(layer, *_given(x, weight, bias), name="conv2d")


def conv_transpose2d(  # noqa: PLR0913, PLR0917 - torch's own argument list
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    output_padding: int | Pair = 0,
    groups: int = 1,
    dilation: int | Pair = 1,
) -> Tensor:
    """Return the transpose of a convolution, what its gradient for the images is, + bias.

    **Shapes** x (images, channels, height, width), weight (channels, filters / groups,
    kernel_height, kernel_width), bias (filters,), result (images, filters, out_height, out_width)
    where out = (in - 1)·stride - 2·padding + dilation·(kernel - 1) + output_padding + 1.
    """
    geometry = Geometry.of_transposed(
        x.shape, weight.shape, stride, padding, output_padding, groups, dilation
    )
    layer = partial(conv.conv_transpose2d, geometry=geometry)
    return record(layer, *_given(x, weight, bias), name="conv_transpose2d")


def max_pool2d(
    x: Tensor, size: int, stride: int | None = None, padding: int = 0, *, relu: bool = False
) -> Tensor:
    """Return the maximum of every window of the padded image; the stride is `size` if left out.

    Negative values are made zero if `relu`.
    """
    step = size if stride is None else stride
    pooled = partial(pool.max_pool2d, size=size, stride=step, padding=padding, relu=relu)
    return record(pooled, x, as_stored=True)


def softmax_cross_entropy(logits: Tensor, labels: Tensor | npt.NDArray[np.int32]) -> Tensor:
    """Return the mean over rows of -log softmax(row)[label].

    **Shapes** logits (rows, classes), labels (rows,) int32, result ().
    """
    known = labels if isinstance(labels, Tensor) else Tensor.from_numpy(labels, logits.device)
    return record(lambda a: softmax.softmax_cross_entropy(a, known.array), logits)


def _given(*operands: Tensor | None) -> tuple[Tensor, ...]:
    return tuple(operand for operand in operands if operand is not None)
