# SPDX-License-Identifier: MIT
"""Sums, means, variances and norms, and the softmax of rows along any axis."""

from collections.abc import Sequence
from math import prod
from typing import Any

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.aten.table.extremes import extreme_values
from clprobe.tensor.array import Array
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.ops.softmax import along_rows, log_sum_exp, rows_gradient

ENTRIES = Entries()


def summed(x: Array, axes: Sequence[int], *, keep: bool = False) -> Array:
    """Return the sums over some axes, or over all if there are none named."""
    rank = len(x.shape)
    # Without axes, torch takes the number for one axis of size 1.
    chosen = {at % rank for at in axes} if axes and rank else set(range(rank))
    y = sum_axes(x, tuple(chosen))
    if keep:
        return y
    return y.reshape(tuple(size for at, size in enumerate(x.shape) if at not in chosen))


@ENTRIES.of("sum.dim_IntList", "sum.default")
def _sum(
    run: Running,
    x: Held,
    axes: Sequence[int] | None = None,
    keep: bool = False,
    **options: Any,
) -> Held:
    _only_float(x, options.get("dtype"))
    return held(summed(run.dense(x), axes or (), keep=keep))


@ENTRIES.of("mean.dim", "mean.default")
def _mean(
    run: Running,
    x: Held,
    axes: Sequence[int] | None = None,
    keep: bool = False,
    **options: Any,
) -> Held:
    y = _sum(run, x, axes, keep, **options)
    count = prod(x.shape) // max(1, prod(y.shape))
    return applied(run, "multiply", y, 1 / count if count else float("nan"))


def _only_float(x: Held, dtype: torch.dtype | None) -> None:
    if x.dtype != torch.float32 or dtype not in {None, torch.float32}:
        raise NotHereError("sums of whole numbers")


@ENTRIES.of("linalg_vector_norm.default")
def _norm(
    run: Running,
    x: Held,
    order: float = 2,
    axes: Sequence[int] | None = None,
    keep: bool = False,
    **options: Any,
) -> Held:
    match order:
        case 2:
            squares = _sum(run, applied(run, "multiply", x, x), axes, keep, **options)
            return applied(run, "sqrt", squares)
        case 1:
            return _sum(run, applied(run, "fabs", x), axes, keep, **options)
        case float() if order == float("inf"):
            return extreme_values(run, applied(run, "fabs", x), axes or (), keep=keep)
    raise NotHereError(f"a norm of order {order}")


@ENTRIES.of("var.correction")
def _variance(
    run: Running,
    x: Held,
    axes: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Held:
    gap = applied(run, "subtract", x, _mean(run, x, axes, True))
    y = _sum(run, applied(run, "multiply", gap, gap), axes, keepdim)
    count = prod(x.shape) // max(1, prod(y.shape)) - (1 if correction is None else correction)
    return applied(run, "divide", y, float(max(0, count)))


@ENTRIES.of("std.correction")
def _deviation(run: Running, x: Held, axes: Sequence[int] | None = None, **options: Any) -> Held:
    return applied(run, "sqrt", _variance(run, x, axes, **options))


@ENTRIES.of("var_mean.correction")
def _variance_and_mean(
    run: Running, x: Held, axes: Sequence[int] | None = None, **options: Any
) -> tuple[Held, Held]:
    mean = _mean(run, x, axes, bool(options.get("keepdim")))
    return _variance(run, x, axes, **options), mean


@ENTRIES.of("logsumexp.default")
def _log_sum_exp(run: Running, x: Held, axes: Sequence[int], keep: bool = False) -> Held:
    if len(axes) != 1:
        raise NotHereError("several axes")
    at = axes[0] % len(x.shape)
    turned = x.turned(at)
    y = held(log_sum_exp(run.dense(turned)).reshape((*turned.shape[:-1], 1))).turned(at)
    return y if keep else y.permuted([each for each in range(len(x.shape)) if each != at])


def softmax_along(name: str, x: Held, axis: int, run: Running) -> Held:
    """Return the "softmax" or "log_softmax" along an axis."""
    turned = x.turned(axis)
    return held(along_rows(name, run.dense(turned)).value).turned(axis)


@ENTRIES.of("_softmax.default")
def _softmax(run: Running, x: Held, axis: int, _half: bool = False) -> Held:
    return softmax_along("softmax", x, axis, run)


@ENTRIES.of("_log_softmax.default")
def _log_softmax(run: Running, x: Held, axis: int, _half: bool = False) -> Held:
    return softmax_along("log_softmax", x, axis, run)


@ENTRIES.of("_safe_softmax.default")
def _safe_softmax(run: Running, x: Held, axis: int, _dtype: torch.dtype | None = None) -> Held:
    return applied(run, "unless_masked", softmax_along("softmax", x, axis, run), x)


@ENTRIES.of("_softmax_backward_data.default")
def _softmax_backward(run: Running, dy: Held, y: Held, axis: int, _: torch.dtype) -> Held:
    return _gradient(run, "softmax", dy, y, axis)


@ENTRIES.of("_log_softmax_backward_data.default")
def _log_softmax_backward(run: Running, dy: Held, y: Held, axis: int, _: torch.dtype) -> Held:
    return _gradient(run, "log_softmax", dy, y, axis)


def _gradient(run: Running, name: str, dy: Held, y: Held, axis: int) -> Held:
    operands = (run.dense(each.turned(axis)) for each in (dy, y))
    return held(rows_gradient(name, *operands)).turned(axis)
