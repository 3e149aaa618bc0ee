# SPDX-License-Identifier: MIT
"""Entries along an axis that a tensor of numbers names, one by one: taken, put or added to."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import torch

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, OnHost, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array, Shape
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.ops.gather import (
    Takers,
    places_of,
    put_elements,
    take,
    take_elements,
    take_gradient,
)

ENTRIES = Entries()
Entry = Held | OnHost


@ENTRIES.of("gather.default")
def _gather(run: Running, x: Held, axis: int, entries: Entry, **_: Any) -> Held:
    at, shape = _axis(x, axis), _shape(entries)
    return held(take_elements(_part(run, x, at, shape), run.dense(entries), at))


@ENTRIES.of("scatter_add.default")
def _scatter_add(run: Running, x: Held, axis: int, entries: Entry, values: Held) -> Held:
    at, shape = _axis(x, axis), _shape(entries)
    put = _cut(values, shape)
    if isinstance(entries, Held):
        return _put(run, x, at, entries, run.dense(put), add=True)
    if _is_one_row(entries.value, at):
        row = (*shape[:at], x.shape[at], *shape[at + 1 :])
        if row == x.shape:
            return _added(run, x, at, run.dense(put), _takers_of_row(run, entries, at, x.shape[at]))
    takers = _takers_of_elements(run, entries, at, x.shape)
    flat = run.dense(put).reshape((prod(shape),))
    summed = take_gradient(flat, takers, (prod(x.shape),), 0)
    return applied(run, "add", x, held(summed.reshape(x.shape)))


@ENTRIES.of("scatter.src")
def _scatter(run: Running, x: Held, axis: int, entries: Entry, values: Held) -> Held:
    put = run.dense(_cut(values, _shape(entries)))
    return _put(run, x, _axis(x, axis), entries, put, add=False)


@ENTRIES.of("scatter.value")
def _scatter_value(run: Running, x: Held, axis: int, entries: Entry, value: float) -> Held:
    put = run.zeros(_shape(entries), float(value))
    return _put(run, x, _axis(x, axis), entries, put, add=False)


@ENTRIES.of("index_add.default")
def _index_add(  # noqa: PLR0913 - torch's own argument list
    run: Running, x: Held, axis: int, entries: Entry, values: Held, *, alpha: float = 1
) -> Held:
    if isinstance(entries, Held):
        raise NotHereError("numbers that the device computed")
    at = _axis(x, axis)
    numbers = run.from_hosts(
        (entries,), lambda each: places_of(each.numpy().reshape(-1), x.shape[at])
    )
    scaled = values if alpha == 1 else applied(run, "multiply", values, alpha)
    return _added(run, x, at, run.dense(scaled), Takers(*numbers))


@ENTRIES.of("flip.default")
def _flip(run: Running, x: Held, axes: Sequence[int]) -> Held:
    values = run.dense(x)
    for axis in axes:
        at = axis % len(x.shape)
        length = x.shape[at]
        backwards = np.arange(length - 1, -1, -1, dtype=np.int32)
        values = take(values, run.constant(("backwards", length), backwards), at)
    return held(values, x.dtype)


def _axis(x: Held, axis: int) -> int:
    if not x.shape or x.dtype != torch.float32:
        raise NotHereError("a single value, or whole numbers")
    return axis % len(x.shape)


def _shape(entries: Entry) -> Shape:
    return entries.shape if isinstance(entries, Held) else tuple(entries.value.shape)


def _cut(values: Held, shape: Shape) -> Held:
    """Return the first values along each axis, as many as there are numbers."""
    return values.viewed(shape, values.strides)


def _part(run: Running, x: Held, axis: int, shape: Shape) -> Array:
    return run.dense(_cut(x, (*shape[:axis], x.shape[axis], *shape[axis + 1 :])))


def _put(  # noqa: PLR0913 - what, where, and how
    run: Running, x: Held, axis: int, entries: Entry, put: Array, *, add: bool
) -> Held:
    shape = _shape(entries)
    if (*shape[:axis], *shape[axis + 1 :]) != (*x.shape[:axis], *x.shape[axis + 1 :]):
        raise NotHereError("numbers for a part of the other axes")
    return held(put_elements(run.dense(x), run.dense(entries), put, axis, add=add))


def _added(run: Running, x: Held, axis: int, values: Array, takers: Takers) -> Held:
    summed = take_gradient(values, takers, x.shape, axis)
    return applied(run, "add", x, held(summed))


def _is_one_row(entries: torch.Tensor, axis: int) -> bool:
    """Say whether the numbers are the same all along every other axis, as expand() makes them."""
    pairs = enumerate(zip(entries.shape, entries.stride(), strict=True))
    return all(at == axis or size == 1 or step == 0 for at, (size, step) in pairs)


def _takers_of_row(run: Running, entries: OnHost, axis: int, length: int) -> Takers:
    def prepare(each: torch.Tensor) -> tuple[Any, ...]:
        if not _is_one_row(each, axis):
            raise ShapeError("Numbers that were expanded along other axes no longer are.")
        row = each.movedim(axis, -1).reshape(-1, each.shape[axis])[0]
        return places_of(row.numpy(), length)

    return Takers(*run.from_hosts((entries,), prepare))


def _takers_of_elements(run: Running, entries: OnHost, axis: int, shape: Shape) -> Takers:
    def prepare(each: torch.Tensor) -> tuple[Any, ...]:
        places = list(np.indices(tuple(each.shape), sparse=True))
        places[axis] = each.numpy()
        return places_of(
            np.ravel_multi_index(tuple(np.broadcast_arrays(*places)), shape).reshape(-1),
            prod(shape),
        )

    return Takers(*run.from_hosts((entries,), prepare))
