# SPDX-License-Identifier: MIT
"""Functions of tensors that deeper networks need: norms, averages, activations, dropout."""

from collections.abc import Callable
from functools import partial

from clprobe.tensor.array import Array
from clprobe.tensor.ops import dropout as drop
from clprobe.tensor.ops import norm, pool
from clprobe.tensor.ops.conv.geometry import Pair, pair
from clprobe.tensor.ops.dropout import RandomStream
from clprobe.tensor.ops.elementwise import apply, sum_to, times
from clprobe.tensor.ops.norm import Running
from clprobe.tensor.ops.softmax import along_rows
from clprobe.tensor.tape import Result
from clprobe.tensor.tensor import Tensor, record


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
    return record(lambda a, w, b: norm.layer_norm(a, w, b, epsilon=epsilon), x, weight, bias)


def avg_pool2d(
    x: Tensor,
    size: int | Pair,
    stride: int | Pair | None = None,
    padding: int | Pair = 0,
    *,
    count_padding: bool = True,
) -> Tensor:
    """Return the average of every window; the stride is `size` if left out.

    `count_padding` says whether the zeros around the image count; torch calls it count_include_pad.
    """
    window = pool.Window(
        size=pair(size),
        stride=pair(size if stride is None else stride),
        padding=pair(padding),
        count_padding=count_padding,
    )
    return record(lambda a: pool.avg_pool2d(a, window), x)


def global_avg_pool2d(x: Tensor) -> Tensor:
    """Return the average of every channel of every image.

    **Shapes** x (images, channels, height, width), result (images, channels, 1, 1).
    """
    return x.mean((2, 3)).reshape(*x.shape[:2], 1, 1)


def softmax(x: Tensor) -> Tensor:
    """Return exp(x) divided by its sum over the last axis."""
    return record(partial(along_rows, "softmax"), x)


def log_softmax(x: Tensor) -> Tensor:
    """Return the logarithm of the softmax over the last axis, accurate near 0 and 1."""
    return record(partial(along_rows, "log_softmax"), x)


def dropout(x: Tensor, rate: float, stream: RandomStream) -> Tensor:
    """Return x with each value made zero with probability `rate`, the others scaled to make up."""
    return record(lambda a: drop.dropout(a, rate, stream), x)


def exp(x: Tensor) -> Tensor:
    """Return e to the power of x."""

    def operation(a: Array) -> Result:
        y = apply("exp", a)
        return Result(y, (lambda dy: times(dy, y),))

    return record(operation, x)


def log(x: Tensor) -> Tensor:
    """Return the natural logarithm of x."""
    return record(lambda a: Result(apply("log", a), (lambda dy: apply("divide", dy, a),)), x)


def sqrt(x: Tensor) -> Tensor:
    """Return the square root of x."""
    return _by_result("sqrt", x)


def tanh(x: Tensor) -> Tensor:
    """Return the hyperbolic tangent of x."""
    return _by_result("tanh", x)


def sigmoid(x: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x))."""
    return _by_result("sigmoid", x)


def gelu(x: Tensor) -> Tensor:
    """Return x times the share of a normal distribution below x; exactly, not by a tanh.

    **Source** Hendrycks & Gimpel 2016, "Gaussian error linear units".
    """
    return _by_input("gelu", x)


def absolute(x: Tensor) -> Tensor:
    """Return |x|; the gradient at 0 is 0, as in torch."""
    return _by_input("fabs", x)


def power(x: Tensor, exponent: float) -> Tensor:
    """Return x to a constant power."""
    constant = Array.full(x.device, (), exponent)
    if exponent == 2:
        return record(
            lambda a: Result(apply("multiply", a, a), (lambda dy: times(dy, times(a, constant)),)),
            x,
        )
    return _by_input("pow", x, constant, gradient="power_gradient")


def clip(x: Tensor, low: float, high: float) -> Tensor:
    """Return x, but not less than `low` nor more than `high`."""
    return _by_input("clip", x, *(Array.full(x.device, (), bound) for bound in (low, high)))


def maximum(a: Tensor, b: Tensor) -> Tensor:
    """Return the larger of each two values, which share the gradient if they are equal."""
    return _one_of_two("larger", _of_larger, a, b)


def minimum(a: Tensor, b: Tensor) -> Tensor:
    """Return the smaller of each two values, which share the gradient if they are equal."""
    return _one_of_two("smaller", lambda dy, own, other: _of_larger(dy, other, own), a, b)


def _by_result(name: str, x: Tensor) -> Tensor:
    """Return a function whose gradient follows from its result."""

    def operation(a: Array) -> Result:
        y = apply(name, a)
        return Result(y, (lambda dy: apply(f"{name}_gradient", dy, y),))

    return record(operation, x)


def _by_input(name: str, x: Tensor, *constants: Array, gradient: str = "") -> Tensor:
    """Return a function whose gradient, `name`_gradient unless named, follows from its input."""
    pull = gradient or f"{name}_gradient"
    return record(
        lambda a: Result(apply(name, a, *constants), (lambda dy: apply(pull, dy, a, *constants),)),
        x,
    )


def _one_of_two(
    name: str, gradient: Callable[[Array, Array, Array], Array], a: Tensor, b: Tensor
) -> Tensor:
    """Return a function of two operands, which takes `gradient` of itself and the other."""
    return record(
        lambda x, y: Result(
            apply(name, x, y),
            (
                lambda dy: sum_to(gradient(dy, x, y), x.shape),
                lambda dy: sum_to(gradient(dy, y, x), y.shape),
            ),
        ),
        *(a, b),
    )


def _of_larger(dy: Array, own: Array, other: Array) -> Array:
    return apply("larger_gradient", dy, own, other)
