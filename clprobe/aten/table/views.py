# SPDX-License-Identifier: MIT
"""Views, which copy nothing until somebody needs the values in a row, and what joins or cuts."""

from collections.abc import Sequence
from math import prod
from typing import Any

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import OnHost, Running
from clprobe.aten.table.elementwise import held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array, Shape
from clprobe.tensor.ops.views import contiguous, put

ENTRIES = Entries()
_END = (1 << 63) - 1


@ENTRIES.of("view.default", "_unsafe_view.default", "reshape.default", "flatten.using_ints")
def _view(run: Running, x: Held, shape: Sequence[int]) -> Held:
    full = _filled_in(shape, x.shape)
    strides = _strides_of_view(x, full)
    if strides is None:
        return Held.of(run.dense(x).reshape(full), x.dtype)
    return x.viewed(full, strides)


@ENTRIES.of("permute.default")
def _permute(_: Running, x: Held, axes: Sequence[int]) -> Held:
    return x.permuted(axes)


@ENTRIES.of("transpose.int")
def _transpose(_: Running, x: Held, first: int, second: int) -> Held:
    return x.turned(first, second)


@ENTRIES.of("t.default")
def _t(_: Running, x: Held) -> Held:
    return x if len(x.shape) < 2 else x.turned()


@ENTRIES.of("expand.default")
def _expand(_: Running, x: Held, shape: Sequence[int], **__: Any) -> Held:
    new = len(shape) - len(x.shape)
    own, steps = (1,) * new + x.shape, (0,) * new + x.strides
    full = tuple(was if size == -1 else size for was, size in zip(own, shape, strict=True))
    strides = tuple(
        0 if was == 1 and size != 1 else step
        for was, size, step in zip(own, full, steps, strict=True)
    )
    return x.viewed(full, strides)


@ENTRIES.of("unsqueeze.default")
def _unsqueeze(_: Running, x: Held, axis: int) -> Held:
    at = axis % (len(x.shape) + 1)
    step = x.shape[at] * x.strides[at] if at < len(x.shape) else 1
    return x.viewed((*x.shape[:at], 1, *x.shape[at:]), (*x.strides[:at], step, *x.strides[at:]))


@ENTRIES.of("squeeze.dim", "squeeze.dims", "squeeze.default")
def _squeeze(_: Running, x: Held, axes: int | Sequence[int] | None = None) -> Held:
    rank = len(x.shape)
    chosen = range(rank) if axes is None else [axes] if isinstance(axes, int) else axes
    gone = {at % rank for at in chosen if x.shape[at] == 1}
    return x.permuted([at for at in range(rank) if at not in gone])


@ENTRIES.of("select.int")
def _select(_: Running, x: Held, axis: int, index: int) -> Held:
    at = axis % len(x.shape)
    offset = x.offset + index % x.shape[at] * x.strides[at]
    shape, strides = (one[:at] + one[at + 1 :] for one in (x.shape, x.strides))
    return x.viewed(shape, strides, offset)


@ENTRIES.of("slice.Tensor")
def _slice(
    _: Running,
    x: Held,
    axis: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Held:
    at = axis % len(x.shape)
    chosen = range(*slice(start, end, step).indices(x.shape[at]))
    shape = (*x.shape[:at], len(chosen), *x.shape[at + 1 :])
    strides = (*x.strides[:at], x.strides[at] * step, *x.strides[at + 1 :])
    return x.viewed(shape, strides, x.offset + chosen.start * x.strides[at])


@ENTRIES.of("split.Tensor")
def _split(run: Running, x: Held, size: int, axis: int = 0) -> list[Held]:
    return [_slice(run, x, axis, at, at + size) for at in range(0, x.shape[axis], size)]


@ENTRIES.of("split_with_sizes.default")
def _split_with_sizes(run: Running, x: Held, sizes: Sequence[int], axis: int = 0) -> list[Held]:
    ends = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    return [_slice(run, x, axis, end - size, end) for end, size in zip(ends, sizes, strict=True)]


@ENTRIES.of("unbind.int")
def _unbind(run: Running, x: Held, axis: int = 0) -> list[Held]:
    return [_select(run, x, axis, at) for at in range(x.shape[axis])]


@ENTRIES.of("detach.default", "alias.default", "lift_fresh_copy.default")
def _same(_: Running, x: Held) -> Held:
    return x


@ENTRIES.of("clone.default")
def _clone(run: Running, x: Held, **_: Any) -> Held:
    # Graphs change nothing in place, so the same values serve; views are put in a row.
    return Held.of(run.dense(x), x.dtype)


@ENTRIES.of("cat.default")
def _cat(run: Running, parts: Sequence[Held | OnHost], axis: int = 0) -> Held:
    helds = [run.held(part) for part in parts]
    filled = [part for part in helds if part.shape != (0,)]
    at = axis % len(filled[0].shape)
    sizes = [part.shape[at] for part in filled]
    shape = (*filled[0].shape[:at], sum(sizes), *filled[0].shape[at + 1 :])
    result, begin, steps = _empty(run, shape, filled[0].base), 0, contiguous(shape)
    for part, size in zip(filled, sizes, strict=True):
        _put(part, result, steps, begin * steps[at])
        begin += size
    return held(result, filled[0].dtype)


@ENTRIES.of("stack.default")
def _stack(run: Running, parts: Sequence[Held], axis: int = 0) -> Held:
    return _cat(run, [_unsqueeze(run, run.held(part), axis) for part in parts], axis)


@ENTRIES.of("select_backward.default")
def _select_backward(run: Running, dy: Held, shape: Sequence[int], axis: int, index: int) -> Held:
    place = _select(run, _zeros(run, shape), axis, index)
    return _with(dy, place)


@ENTRIES.of("slice_backward.default")
def _slice_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running, dy: Held, shape: Sequence[int], axis: int, start: int, end: int, step: int
) -> Held:
    return _with(dy, _slice(run, _zeros(run, shape), axis, start, end, step))


@ENTRIES.of("constant_pad_nd.default")
def _pad(run: Running, x: Held, padding: Sequence[int], value: float = 0.0) -> Held:
    rank = len(x.shape)
    around = [(0, 0)] * (rank - len(padding) // 2)
    around += [(padding[at], padding[at + 1]) for at in range(len(padding) - 2, -1, -2)]
    x = _cut(run, x, around)
    around = [(max(0, before), max(0, after)) for before, after in around]
    shape = tuple(
        before + size + after for (before, after), size in zip(around, x.shape, strict=True)
    )
    target = Held.of(run.zeros(shape, value))
    offset = sum(before * step for (before, _), step in zip(around, target.strides, strict=True))
    return _with(x, target.viewed(x.shape, target.strides, offset))


def _cut(run: Running, x: Held, around: Sequence[tuple[int, int]]) -> Held:
    """Return what is left where padding is below zero, as that of a gradient is."""
    for at, (before, after) in enumerate(around):
        x = _slice(run, x, at, max(0, -before), x.shape[at] + min(0, after))
    return x


@ENTRIES.of("repeat.default")
def _repeat(run: Running, x: Held, times: Sequence[int]) -> Held:
    new = len(times) - len(x.shape)
    own, steps = (1,) * new + x.shape, (0,) * new + x.strides
    pairs = list(zip(times, own, strict=True))
    doubled = tuple(size for pair in pairs for size in pair)
    strides = tuple(step for one in steps for step in (0, one))
    wide = run.dense(x.viewed(doubled, strides))
    return Held.of(wide.reshape(tuple(count * size for count, size in pairs)), x.dtype)


def _zeros(run: Running, shape: Sequence[int]) -> Held:
    return held(run.zeros(tuple(shape)))


def _empty(run: Running, shape: Shape, like: Array) -> Array:
    return Array.empty(run.device, shape, like.dtype)


def _with(x: Held, place: Held) -> Held:
    """Return the array of which `place` is a view, with x there."""
    _put(x, place.base, place.strides, place.offset)
    return Held.of(place.base)


def _put(x: Held, target: Array, strides: Shape, offset: int) -> None:
    put(x.base, target, x.shape, (x.strides, strides), (x.offset, offset))


def _filled_in(shape: Sequence[int], own: Shape) -> Shape:
    """Return a shape with the one size that is -1 in numbers."""
    if -1 not in shape:
        return tuple(shape)
    known = -prod(shape)
    at = list(shape).index(-1)
    return (*shape[:at], prod(own) // known if known else 0, *shape[at + 1 :])


def _strides_of_view(x: Held, shape: Shape) -> Shape | None:
    """Return the strides under which a view of x has another shape; None if it takes a copy."""
    meta = torch.empty_strided(x.shape, x.strides, device="meta")
    try:
        return tuple(meta.view(shape).stride())
    except RuntimeError:
        return None
