# SPDX-License-Identifier: MIT
"""Sums and means, and the softmax of rows along any axis."""

from collections.abc import Sequence
from math import prod
from typing import Any

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array
from clprobe.tensor.ops.reduce import sum_axes
from clprobe.tensor.ops.softmax import along_rows, rows_gradient

ENTRIES = Entries()


def summed(x: Array, axes: Sequence[int], *, keep: bool = False) -> Array:
    """Return the sums over some axes, or over all if there are none named."""
    rank = len(x.shape)
    chosen = {at % rank for at in axes} if axes else set(range(rank))
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
