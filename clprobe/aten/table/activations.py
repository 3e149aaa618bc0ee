# SPDX-License-Identifier: MIT
"""Activations beside those that are one function of kernels/elementwise, and their gradients."""

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running, Value
from clprobe.aten.table.elementwise import applied, clamped
from clprobe.aten.table.entries import Entries

ENTRIES = Entries()


@ENTRIES.of("hardtanh.default")
def _hardtanh(run: Running, x: Value, low: float = -1, high: float = 1) -> Held:
    return clamped(run, x, low, high)


@ENTRIES.of("hardtanh_backward.default")
def _hardtanh_backward(run: Running, dy: Value, x: Value, low: float, high: float) -> Held:
    return applied(run, "inside_gradient", dy, x, low, high)


@ENTRIES.of("threshold_backward.default")
def _threshold_backward(run: Running, dy: Value, x: Value, bound: float) -> Held:
    return applied(run, "above_gradient", dy, x, bound)


@ENTRIES.of("gelu.default")
def _gelu(run: Running, x: Value, approximate: str = "none") -> Held:
    return applied(run, "gelu" if approximate == "none" else "gelu_tanh", x)


@ENTRIES.of("gelu_backward.default")
def _gelu_backward(run: Running, dy: Value, x: Value, approximate: str = "none") -> Held:
    name = "gelu_gradient" if approximate == "none" else "gelu_tanh_gradient"
    return applied(run, name, dy, x)


@ENTRIES.of("leaky_relu.default")
def _leaky_relu(run: Running, x: Value, slope: float = 0.01) -> Held:
    return applied(run, "leaky", x, slope)


@ENTRIES.of("leaky_relu_backward.default")
def _leaky_relu_backward(
    run: Running,
    dy: Value,
    x: Value,
    slope: float,
    is_result: bool,
) -> Held:
    if is_result and slope < 0:
        raise NotHereError("a negative slope in place")
    return applied(run, "leaky_gradient", dy, x, slope)


@ENTRIES.of("hardsigmoid.default")
def _hardsigmoid(run: Running, x: Value) -> Held:
    return applied(run, "multiply", clamped(run, applied(run, "add", x, 3.0), 0.0, 6.0), 1 / 6)


@ENTRIES.of("hardsigmoid_backward.default")
def _hardsigmoid_backward(run: Running, dy: Value, x: Value) -> Held:
    return applied(run, "inside_gradient", applied(run, "multiply", dy, 1 / 6), x, -3.0, 3.0)


@ENTRIES.of("hardswish.default")
def _hardswish(run: Running, x: Value) -> Held:
    return applied(run, "multiply", x, _hardsigmoid(run, x))


@ENTRIES.of("hardswish_backward.default")
def _hardswish_backward(run: Running, dy: Value, x: Value) -> Held:
    slope = applied(run, "add", applied(run, "multiply", x, 1 / 3), 0.5)
    inside = applied(run, "multiply", dy, slope)
    below = applied(run, "choose", applied(run, "is_greater", x, -3.0), inside, 0.0)
    return applied(run, "choose", applied(run, "is_greater", x, 3.0), dy, below)


@ENTRIES.of("elu.default")
def _elu(run: Running, x: Value, alpha: float = 1, scale: float = 1, inner: float = 1) -> Held:
    below = applied(run, "expm1", applied(run, "multiply", x, inner))
    return _above(
        *(run, x, applied(run, "multiply", x, scale)),
        applied(run, "multiply", below, alpha * scale),
    )


@ENTRIES.of("elu_backward.default")
def _elu_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Value,
    alpha: float,
    scale: float,
    inner: float,
    is_result: bool,
    given: Value,
) -> Held:
    if is_result:
        slope = applied(run, "multiply", applied(run, "add", given, alpha * scale), inner)
    else:
        grown = applied(run, "exp", applied(run, "multiply", given, inner))
        slope = applied(run, "multiply", grown, inner * alpha * scale)
    below = applied(run, "multiply", dy, slope)
    return _above(run, given, applied(run, "multiply", dy, scale), below)


@ENTRIES.of("softplus.default")
def _softplus(run: Running, x: Value, beta: float = 1, threshold: float = 20) -> Held:
    scaled = applied(run, "multiply", x, beta)
    grown = applied(run, "log1p", applied(run, "exp", scaled))
    is_straight = applied(run, "is_greater", scaled, threshold)
    return applied(run, "choose", is_straight, x, applied(run, "multiply", grown, 1 / beta))


@ENTRIES.of("softplus_backward.default")
def _softplus_backward(run: Running, dy: Value, x: Value, beta: float, threshold: float) -> Held:
    scaled = applied(run, "multiply", x, beta)
    slope = applied(run, "multiply", dy, applied(run, "sigmoid", scaled))
    return applied(run, "choose", applied(run, "is_greater", scaled, threshold), dy, slope)


@ENTRIES.of("mish.default")
def _mish(run: Running, x: Value) -> Held:
    return applied(run, "multiply", x, applied(run, "tanh", _softplus(run, x)))


@ENTRIES.of("mish_backward.default")
def _mish_backward(run: Running, dy: Value, x: Value) -> Held:
    y = applied(run, "tanh", _softplus(run, x))
    rest = applied(run, "tanh_gradient", applied(run, "sigmoid", x), y)
    slope = applied(run, "add", y, applied(run, "multiply", x, rest))
    return applied(run, "multiply", dy, slope)


@ENTRIES.of("log_sigmoid_forward.default")
def _log_sigmoid(run: Running, x: Value) -> tuple[Held, Held]:
    # -|x| can be no reason for exp to overflow.
    kept = applied(run, "exp", applied(run, "negate", applied(run, "fabs", x)))
    below = applied(run, "smaller", x, 0.0)
    return applied(run, "subtract", below, applied(run, "log1p", kept)), kept


@ENTRIES.of("log_sigmoid_backward.default")
def _log_sigmoid_backward(run: Running, dy: Value, x: Value, _kept: Value) -> Held:
    return applied(run, "multiply", dy, applied(run, "sigmoid", applied(run, "negate", x)))


@ENTRIES.of("_prelu_kernel.default")
def _prelu(run: Running, x: Value, slope: Value) -> Held:
    return applied(run, "leaky", x, slope)


@ENTRIES.of("_prelu_kernel_backward.default")
def _prelu_backward(run: Running, dy: Value, x: Value, slope: Value) -> tuple[Held, Held]:
    of_slope = _above(run, x, 0.0, applied(run, "multiply", dy, x))
    return applied(run, "leaky_gradient", dy, x, slope), of_slope


def _above(run: Running, x: Value, above: Value, below: Value) -> Held:
    """Return one value where x is above 0, the other where it is not."""
    return applied(run, "choose", applied(run, "is_greater", x, 0.0), above, below)
