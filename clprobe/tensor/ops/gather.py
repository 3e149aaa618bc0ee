# SPDX-License-Identifier: MIT
"""Takes entries along an axis by their numbers, as an embedding does, and its gradient."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.launching import launch_rows
from clprobe.tensor.ops.arguments import arguments

_FILE = "gather/along_axis.cl"
_ELEMENTS = "gather/elements.cl"


@dataclass(frozen=True, slots=True)
class Takers:
    """Which places took each entry: the places entry after entry, and where each entry's begin."""

    places: Array
    starts: Array


def take(x: Array, entries: Array, axis: int) -> Array:
    """Return the entries of x along an axis, NaN for numbers that are none.

    **Shapes** x any, entries (taken,) int32; result as x, with `taken` at the axis.
    """
    outer, length, inner = _around(x.shape, axis)
    y = Array.empty(x.device, (*x.shape[:axis], entries.size, *x.shape[axis + 1 :]))
    rows = outer * entries.size
    sizes = map(np.uint64, (rows, entries.size, length, inner))
    _launch(x, "take", inner, rows, arguments(x, entries, y, *sizes))
    return y


def take_gradient(dy: Array, takers: Takers, shape: Shape, axis: int) -> Array:
    """Return the gradient of `take` for an x of a shape."""
    outer, length, inner = _around(shape, axis)
    dx = Array.empty(dy.device, shape)
    rows = outer * length
    sizes = map(np.uint64, (rows, dy.shape[axis], length, inner))
    values = arguments(dy, takers.places, takers.starts, dx, *sizes)
    _launch(dy, "take_gradient", inner, rows, values)
    return dx


def take_elements(x: Array, entries: Array, axis: int) -> Array:
    """Return for each place the entry of x along an axis that it names, NaN for one that is none.

    **Shapes** entries as x but along the axis, int32; result as entries.
    """
    outer, length, inner = _around(x.shape, axis)
    y = Array.empty(x.device, entries.shape)
    taken = entries.shape[axis]
    rows = outer * taken
    values = arguments(x, entries, y, *map(np.uint64, (rows, taken, length, inner)))
    _launch(x, "take_elements", inner, rows, values, file=_ELEMENTS)
    return y


def put_elements(x: Array, entries: Array, put: Array, axis: int, *, add: bool) -> Array:
    """Return x with each value put, or added, where along the axis its place names.

    Each entry looks through all places, so there should be few along the axis.

    **Shapes** entries and put as x but along the axis, entries int32; result as x.
    """
    outer, length, inner = _around(x.shape, axis)
    y = Array.empty(x.device, x.shape)
    rows, taken = outer * length, entries.shape[axis]
    values = arguments(x, entries, put, y, *map(np.uint64, (rows, taken, length, inner)))
    _launch(x, "put_elements", inner, rows, values, file=_ELEMENTS, defines={"ADD": int(add)})
    return y


def places_of(
    entries: npt.NDArray[np.int64], length: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return what `Takers` are made of; numbers outside 0 to length - 1 are nobody's."""
    known = np.where((entries >= 0) & (entries < length), entries, length)
    places = np.argsort(known, kind="stable").astype(np.int32)
    starts = np.searchsorted(known[places], np.arange(length + 1)).astype(np.int32)
    return places, starts


def _around(shape: Shape, axis: int) -> tuple[int, int, int]:
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def _launch(  # noqa: PLR0913 - the kernel, its ND-range and its arguments
    x: Array,
    name: str,
    inner: int,
    rows: int,
    values: tuple[Any, ...],
    *,
    file: str = _FILE,
    defines: Mapping[str, int] | None = None,
) -> None:
    if inner and rows:
        launch_rows(x.device, file, name, inner, rows, values, defines)
