# SPDX-License-Identifier: MIT
"""Elementwise functions of one or two operands beyond arithmetic, and their gradients.

They are fused as arithmetic is (see ops/elementwise).
"""

from clprobe.tensor.array import Array
from clprobe.tensor.ops.elementwise import apply, sum_to, times
from clprobe.tensor.tape import Result


def exp(x: Array) -> Result:
    """Return e to the power of x."""
    y = apply("exp", x)
    return Result(y, (lambda dy: times(dy, y),))


def log(x: Array) -> Result:
    """Return the natural logarithm of x."""
    return Result(apply("log", x), (lambda dy: apply("divide", dy, x),))


def sqrt(x: Array) -> Result:
    """Return the square root of x."""
    return _by_result("sqrt", x)


def tanh(x: Array) -> Result:
    """Return the hyperbolic tangent of x."""
    return _by_result("tanh", x)


def sigmoid(x: Array) -> Result:
    """Return 1 / (1 + exp(-x))."""
    return _by_result("sigmoid", x)


def gelu(x: Array) -> Result:
    """Return x times the share of a normal distribution below x; exactly, not by a tanh.

    **Source** Hendrycks & Gimpel 2016, "Gaussian error linear units".
    """
    return _by_input("gelu", x)


def absolute(x: Array) -> Result:
    """Return |x|; the gradient at 0 is 0, as in torch."""
    return _by_input("fabs", x)


def power(x: Array, exponent: float) -> Result:
    """Return x to a constant power."""
    constant = Array.full(x.device, (), exponent)
    if exponent == 2:
        return Result(
            apply("multiply", x, x),
            (lambda dy: times(dy, times(x, constant)),),
        )
    return Result(
        apply("pow", x, constant),
        (lambda dy: apply("power_gradient", dy, x, constant),),
    )


def clip(x: Array, low: float, high: float) -> Result:
    """Return x, but not less than `low` nor more than `high`."""
    bounds = Array.full(x.device, (), low), Array.full(x.device, (), high)
    return Result(apply("clip", x, *bounds), (lambda dy: apply("clip_gradient", dy, x, *bounds),))


def maximum(a: Array, b: Array) -> Result:
    """Return the larger of each two values, which share the gradient if they are equal."""
    return Result(
        apply("larger", a, b),
        (
            lambda dy: sum_to(apply("larger_gradient", dy, a, b), a.shape),
            lambda dy: sum_to(apply("larger_gradient", dy, b, a), b.shape),
        ),
    )


def minimum(a: Array, b: Array) -> Result:
    """Return the smaller of each two values, which share the gradient if they are equal."""
    return Result(
        apply("smaller", a, b),
        (
            lambda dy: sum_to(apply("larger_gradient", dy, b, a), a.shape),
            lambda dy: sum_to(apply("larger_gradient", dy, a, b), b.shape),
        ),
    )


def _by_result(name: str, x: Array) -> Result:
    y = apply(name, x)
    return Result(y, (lambda dy: apply(f"{name}_gradient", dy, y),))


def _by_input(name: str, x: Array) -> Result:
    return Result(apply(name, x), (lambda dy: apply(f"{name}_gradient", dy, x),))
