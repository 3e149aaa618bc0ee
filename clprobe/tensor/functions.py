# SPDX-License-Identifier: MIT
"""Functions of tensors that deeper networks need: norms, averages, activations, dropout."""

from clprobe.tensor.ops import activations, avg_pool
from clprobe.tensor.ops import batch_norm as norm
from clprobe.tensor.ops import dropout as drop
from clprobe.tensor.ops import softmax as soft
from clprobe.tensor.ops.batch_norm import Running
from clprobe.tensor.ops.dropout import RandomStream
from clprobe.tensor.ops.layer_norm import layer_norm as layer_norm_of
from clprobe.tensor.tensor import Tensor, record

Size = int | tuple[int, int]


def batch_norm(
    x: Tensor, weight: Tensor, bias: Tensor, running: Running, *, training: bool
) -> Tensor:
    """Return (x - mean) / sqrt(variance + epsilon) · weight + bias for each channel.

    In training, mean and variance are those of this batch, and `running` is moved towards them; in
    evaluation they are those of `running`.

    **Shapes** x (images, channels, …), weight and bias (channels,).
    """
    return record(
        lambda a, w, b: norm.batch_norm(a, w, b, running, training=training), x, weight, bias
    )


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, epsilon: float = 1e-5) -> Tensor:
    """Return (x - mean) / sqrt(variance + epsilon) · weight + bias over the axes of weight.

    **Shapes** x (…, *normalised), weight and bias normalised.
    """
    return record(lambda a, w, b: layer_norm_of(a, w, b, epsilon=epsilon), x, weight, bias)


def avg_pool2d(
    x: Tensor,
    size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    *,
    count_padding: bool = True,
) -> Tensor:
    """Return the average of every window; the stride is `size` if left out.

    `count_padding` says whether the zeros around the image count; torch calls it count_include_pad.
    """
    window = avg_pool.Window(
        size=_pair(size),
        stride=_pair(size if stride is None else stride),
        padding=_pair(padding),
        count_padding=count_padding,
    )
    return record(lambda a: avg_pool.avg_pool2d(a, window), x)


def global_avg_pool2d(x: Tensor) -> Tensor:
    """Return the average of every channel of every image.

    **Shapes** x (images, channels, height, width), result (images, channels, 1, 1).
    """
    return x.mean((2, 3)).reshape(*x.shape[:2], 1, 1)


def softmax(x: Tensor) -> Tensor:
    """Return exp(x) divided by its sum over the last axis."""
    return record(soft.softmax, x)


def log_softmax(x: Tensor) -> Tensor:
    """Return the logarithm of the softmax over the last axis."""
    return record(soft.log_softmax, x)


def dropout(x: Tensor, rate: float, stream: RandomStream) -> Tensor:
    """Return x with each value made zero with probability `rate`, the others scaled to make up."""
    return record(lambda a: drop.dropout(a, rate, stream), x)


def exp(x: Tensor) -> Tensor:
    """Return e to the power of x."""
    return record(activations.exp, x)


def log(x: Tensor) -> Tensor:
    """Return the natural logarithm of x."""
    return record(activations.log, x)


def sqrt(x: Tensor) -> Tensor:
    """Return the square root of x."""
    return record(activations.sqrt, x)


def tanh(x: Tensor) -> Tensor:
    """Return the hyperbolic tangent of x."""
    return record(activations.tanh, x)


def sigmoid(x: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x))."""
    return record(activations.sigmoid, x)


def gelu(x: Tensor) -> Tensor:
    """Return x times the share of a normal distribution below x; exactly, not by a tanh."""
    return record(activations.gelu, x)


def absolute(x: Tensor) -> Tensor:
    """Return |x|; the gradient at 0 is 0, as in torch."""
    return record(activations.absolute, x)


def power(x: Tensor, exponent: float) -> Tensor:
    """Return x to a constant power."""
    return record(lambda a: activations.power(a, exponent), x)


def clip(x: Tensor, low: float, high: float) -> Tensor:
    """Return x, but not less than `low` nor more than `high`."""
    return record(lambda a: activations.clip(a, low, high), x)


def maximum(a: Tensor, b: Tensor) -> Tensor:
    """Return the larger of each two values, which share the gradient if they are equal."""
    return record(activations.maximum, a, b)


def minimum(a: Tensor, b: Tensor) -> Tensor:
    """Return the smaller of each two values, which share the gradient if they are equal."""
    return record(activations.minimum, a, b)


def _pair(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else size
