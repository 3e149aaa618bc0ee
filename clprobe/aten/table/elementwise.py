# SPDX-License-Identifier: MIT
"""Functions of each value; they become expressions, which one kernel computes together."""

from collections.abc import Callable
from typing import Any

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, OnHost, Running, Value
from clprobe.aten.table.entries import Entries, Entry
from clprobe.tensor.array import Array
from clprobe.tensor.ops.elementwise import apply, times

ENTRIES = Entries()

# torch's overload: the function of kernels/elementwise/operations.cl or of OpenCL.
_OF_ONE = {
    "relu.default": "relu", "neg.default": "negate", "exp.default": "exp", "log.default": "log",
    "sqrt.default": "sqrt", "rsqrt.default": "rsqrt", "sigmoid.default": "sigmoid",
    "tanh.default": "tanh", "silu.default": "silu", "abs.default": "fabs", "sin.default": "sin",
    "cos.default": "cos", "erf.default": "erf", "floor.default": "floor", "ceil.default": "ceil",
    "round.default": "rint", "trunc.default": "trunc", "log1p.default": "log1p",
    "expm1.default": "expm1", "log2.default": "log2", "exp2.default": "exp2",
    "atan.default": "atan", "asin.default": "asin", "acos.default": "acos", "tan.default": "tan",
    "sinh.default": "sinh", "cosh.default": "cosh", "erfc.default": "erfc",
}  # fmt: skip
_OF_TWO = {
    "mul.Tensor": "multiply", "mul.Scalar": "multiply", "div.Tensor": "divide",
    "div.Scalar": "divide", "maximum.default": "larger", "minimum.default": "smaller",
    "silu_backward.default": "silu_gradient", "sigmoid_backward.default": "sigmoid_gradient",
    "tanh_backward.default": "tanh_gradient", "pow.Tensor_Scalar": "pow",
    "pow.Tensor_Tensor": "pow", "atan2.default": "atan2",
}  # fmt: skip
_COMPARING = {"gt": "is_greater", "ge": "is_greater_or_equal", "eq": "is_equal", "ne": "is_unequal"}
_OF_TRUTHS = {name: name for name in ("larger", "smaller", "multiply")} | {"add": "larger"}
"""What torch makes of booleans alone is a boolean: their product says whether both are true."""
_MIRRORED = {"lt": "is_greater", "le": "is_greater_or_equal"}


def held(array: Array, dtype: torch.dtype = torch.float32) -> Held:
    """Return an array as the result of an operation."""
    return Held.of(array, dtype)


def applied(run: Running, name: str, *operands: Value) -> Held:
    """Return a function of values that broadcast together.

    **Raises** NotHereError where torch would compute with whole numbers.
    """
    dtypes = [each for each in map(_dtype, operands) if each is not None]
    if any(_is_whole(each) for each in dtypes):
        # Beside a tensor of floats, torch makes floats of whole numbers first.
        if not any(each.is_floating_point for each in dtypes):
            raise NotHereError("whole numbers")
        operands = tuple(_as_floats(run, each) for each in operands)
    if dtypes.count(torch.bool) == len(operands) and name in _OF_TRUTHS:
        return _computed(run, _OF_TRUTHS[name], *operands, dtype=torch.bool)
    if name == "multiply":
        arrays = [run.array(each) for each in operands]
        return held(times(arrays[0], arrays[1], _together(operands)))
    return _computed(run, name, *operands)


def _computed(
    run: Running, name: str, *operands: Value, dtype: torch.dtype = torch.float32
) -> Held:
    """Return a function of values that broadcast together, whatever torch takes them for."""
    arrays = [run.array(each) for each in operands]
    return held(apply(name, *arrays, shape=_together(operands)), dtype)


def _dtype(value: Value) -> torch.dtype | None:
    match value:
        case Held():
            return value.dtype
        case OnHost():
            return value.value.dtype
    return None


def _is_whole(dtype: torch.dtype) -> bool:
    return not dtype.is_floating_point and dtype != torch.bool


def _as_floats(run: Running, value: Value) -> Value:
    """Return the values, whole numbers of the host as floats; they may be too large for int32."""
    if not isinstance(value, OnHost) or not _is_whole(value.value.dtype):
        return value
    (array,) = run.from_hosts((value,), lambda tensor: (tensor.to(torch.float32).numpy(),))
    return held(array)


def _together(operands: tuple[Value, ...]) -> tuple[int, ...]:
    """Return the shape in full: axes along which a view repeats count with their size."""
    shapes = [each.shape for each in operands if isinstance(each, Held)]
    shapes += [tuple(each.value.shape) for each in operands if isinstance(each, OnHost)]
    return tuple(torch.broadcast_shapes(*shapes)) if shapes else ()


def _one(name: str) -> Entry:
    return lambda run, x: applied(run, name, x)


def _two(name: str) -> Entry:
    return lambda run, a, b: applied(run, name, a, b)


def _compared(name: str, *, mirrored: bool) -> Entry:
    def compare(run: Running, a: Value, b: Value) -> Held:
        operands = (b, a) if mirrored else (a, b)
        return _computed(run, name, *operands, dtype=torch.bool)

    return compare


ENTRIES |= {name: _one(function) for name, function in _OF_ONE.items()}
ENTRIES |= {name: _two(function) for name, function in _OF_TWO.items()}
ENTRIES |= {
    f"{name}.{kind}": _compared(function, mirrored=mirrored)
    for known, mirrored in ((_COMPARING, False), (_MIRRORED, True))
    for name, function in known.items()
    for kind in ("Tensor", "Scalar")
}


@ENTRIES.of("add.Tensor", "add.Scalar")
def _add(run: Running, a: Value, b: Value, alpha: float = 1) -> Held:
    return applied(run, "add", a, b if alpha == 1 else applied(run, "multiply", b, alpha))


@ENTRIES.of("sub.Tensor", "sub.Scalar")
def _sub(run: Running, a: Value, b: Value, alpha: float = 1) -> Held:
    return applied(run, "subtract", a, b if alpha == 1 else applied(run, "multiply", b, alpha))


@ENTRIES.of("rsub.Scalar", "rsub.Tensor")
def _rsub(run: Running, a: Value, b: Value, alpha: float = 1) -> Held:
    return _sub(run, b, a, alpha)


@ENTRIES.of("reciprocal.default")
def _reciprocal(run: Running, x: Value) -> Held:
    return applied(run, "divide", 1.0, x)


@ENTRIES.of("square.default")
def _square(run: Running, x: Value) -> Held:
    return applied(run, "multiply", x, x)


@ENTRIES.of("sign.default", "sgn.default")
def _sign(run: Running, x: Held) -> Held:
    return applied(
        run, "subtract", _computed(run, "is_greater", x, 0.0), _computed(run, "is_greater", 0.0, x)
    )


@ENTRIES.of("where.self", "where.ScalarOther", "where.ScalarSelf")
def _where(run: Running, truth: Held | OnHost, a: Value, b: Value) -> Held:
    return _computed(run, "choose", truth, a, b)


@ENTRIES.of("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(run: Running, x: Value, truth: Held | OnHost, value: Value) -> Held:
    return _where(run, truth, value, x)


@ENTRIES.of("clamp.default")
def clamped(run: Running, x: Value, low: float | None = None, high: float | None = None) -> Held:
    """Return the values, at least as large as one number and at most as another."""
    first = applied(run, "larger", x, low) if low is not None else x
    return (
        applied(run, "smaller", first, high)
        if high is not None
        else applied(run, "unchanged", first)
    )


@ENTRIES.of("clamp_min.default")
def _clamp_min(run: Running, x: Value, low: float) -> Held:
    return clamped(run, x, low)


@ENTRIES.of("clamp_max.default")
def _clamp_max(run: Running, x: Value, high: float) -> Held:
    return clamped(run, x, None, high)


@ENTRIES.of("logical_not.default", "bitwise_not.default")
def _not(run: Running, x: Held | OnHost) -> Held:
    if _dtype(x) != torch.bool:
        raise NotHereError("whole numbers")
    return _computed(run, "is_equal", x, 0.0, dtype=torch.bool)


def _both(name: str) -> Callable[[Running, Value, Value], Held]:
    def combine(run: Running, a: Value, b: Value) -> Held:
        if {_dtype(a), _dtype(b)} != {torch.bool}:
            raise NotHereError("whole numbers")
        return _computed(run, name, a, b, dtype=torch.bool)

    return combine


for _name, _function in (("and", "multiply"), ("or", "larger")):
    ENTRIES[f"logical_{_name}.default"] = _both(_function)
    ENTRIES[f"bitwise_{_name}.Tensor"] = _both(_function)


@ENTRIES.of("_to_copy.default")
def _to_copy(run: Running, x: Held | OnHost, dtype: torch.dtype | None = None, **_: Any) -> Held:
    if dtype not in {None, torch.float32}:
        raise NotHereError(str(dtype))
    return _computed(run, "unchanged", x)
