# SPDX-License-Identifier: MIT
"""The largest and smallest values, along axes or of all, and where they stand."""

from collections.abc import Callable, Sequence
from math import prod

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running
from clprobe.aten.table.elementwise import held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array
from clprobe.tensor.ops.extremes import extremes

ENTRIES = Entries()


def _along(*, smallest: bool) -> Callable[..., tuple[Held, Held]]:
    def found(run: Running, x: Held, axis: int, keep: bool = False) -> tuple[Held, Held]:
        at = axis % max(1, len(x.shape))
        values, places = extremes(_floats(run, x), at, smallest=smallest)
        shape = _kept(x.shape, {at}, keep=keep)
        return held(values.reshape(shape)), held(places.reshape(shape), torch.int64)

    return found


def _values(*, smallest: bool) -> Callable[..., Held]:
    def found(run: Running, x: Held, axes: Sequence[int] = (), keep: bool = False) -> Held:
        return extreme_values(run, x, axes, keep=keep, smallest=smallest)

    return found


def _place(*, smallest: bool) -> Callable[..., Held]:
    def found(run: Running, x: Held, axis: int | None = None, keep: bool = False) -> Held:
        if axis is not None:
            return _along(smallest=smallest)(run, x, axis, keep)[1]
        _, place = extremes(_floats(run, x).reshape((prod(x.shape),)), 0, smallest=smallest)
        shape = _kept(x.shape, set(range(len(x.shape))), keep=keep)
        return held(place.reshape(shape), torch.int64)

    return found


for _name, _smallest in (("max", False), ("min", True)):
    ENTRIES[f"{_name}.dim"] = _along(smallest=_smallest)
    ENTRIES[f"{_name}.default"] = ENTRIES[f"a{_name}.default"] = _values(smallest=_smallest)
    ENTRIES[f"arg{_name}.default"] = _place(smallest=_smallest)


def extreme_values(
    run: Running, x: Held, axes: Sequence[int], *, keep: bool, smallest: bool = False
) -> Held:
    """Return the largest or smallest values along some axes, or of all if there are none named."""
    rank = len(x.shape)
    gone = {at % rank for at in axes} if axes and rank else set(range(rank))
    left = [at for at in range(rank) if at not in gone]
    # What goes is put last, and is one axis there.
    turned = x.permuted([*left, *sorted(gone)])
    shape = tuple(x.shape[at] for at in left)
    rows = _floats(run, turned).reshape((*shape, prod(x.shape[at] for at in gone)))
    values, _ = extremes(rows, len(shape), smallest=smallest)
    return held(values.reshape(_kept(x.shape, gone, keep=keep)))


def _floats(run: Running, x: Held) -> Array:
    if x.dtype != torch.float32:
        raise NotHereError("whole numbers")
    return run.dense(x)


def _kept(shape: tuple[int, ...], gone: set[int], *, keep: bool) -> tuple[int, ...]:
    """Return a shape without some axes, or with 1 there."""
    if keep:
        return tuple(1 if at in gone else size for at, size in enumerate(shape))
    return tuple(size for at, size in enumerate(shape) if at not in gone)
