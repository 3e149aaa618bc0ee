# SPDX-License-Identifier: MIT
"""Entries by their numbers: embeddings, rows, the pixels of an enlarged image; and gradients."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import torch

from clprobe.aten.held import Held, host_values
from clprobe.aten.running import NotHereError, OnHost, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array
from clprobe.tensor.ops.gather import Takers, places_of, take, take_gradient

ENTRIES = Entries()
_NOBODY = -1


@ENTRIES.of("embedding.default")
def _embedding(run: Running, weight: Held, indices: OnHost, *_: Any) -> Held:
    (entries,) = run.from_hosts((_on_host(indices),), _flat)
    shape = (*indices.value.shape, weight.shape[1])
    return held(take(run.dense(weight), entries, 0).reshape(shape))


@ENTRIES.of("embedding_dense_backward.default")
def _embedding_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    indices: OnHost,
    length: int,
    padding: int,
    by_frequency: bool,
) -> Held:
    if by_frequency:
        raise NotHereError("gradients by frequency")
    numbers = (_on_host(indices),)
    places = run.from_hosts(numbers, lambda each: places_of(_without(each, padding), length))
    takers = Takers(*places)
    width = dy.shape[-1]
    rows = run.dense(dy).reshape((prod(dy.shape[:-1]), width))
    return held(take_gradient(rows, takers, (length, width), 0))


@ENTRIES.of("index_select.default")
def _index_select(run: Running, x: Held, axis: int, indices: OnHost) -> Held:
    at = axis % len(x.shape)
    (entries,) = run.from_hosts((_on_host(indices),), _flat)
    return held(take(run.dense(x), entries, at))


@ENTRIES.of("_unsafe_index.Tensor", "index.Tensor")
def _index(run: Running, x: Held, indices: Sequence[OnHost | None]) -> Held:
    axes, numbers = _indexed(indices)
    lengths = x.shape[axes[0] : axes[-1] + 1]
    shape = _broadcast(numbers)
    # Which entry each place takes, counted along all indexed axes in one.
    entries = _combined(run, numbers, lengths)
    outer, inner = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
    values = run.dense(x).reshape((*outer, prod(lengths), *inner))
    return held(take(values, entries, axes[0]).reshape((*outer, *shape, *inner)))


@ENTRIES.of("_unsafe_index_put.default", "index_put.default")
def _index_put(
    run: Running,
    x: Held,
    indices: Sequence[OnHost | None],
    values: Held,
    accumulate: bool = False,
) -> Held:
    axes, numbers = _indexed(indices)
    if not accumulate:
        raise NotHereError("values put in place of others")
    lengths = x.shape[axes[0] : axes[-1] + 1]
    shape = _broadcast(numbers)
    outer, inner = x.shape[: axes[0]], x.shape[axes[-1] + 1 :]
    takers = _takers_of_all(run, numbers, lengths)
    dense = run.dense(values).reshape((*outer, prod(shape), *inner))
    whole = (*outer, prod(lengths), *inner)
    summed = held(take_gradient(dense, takers, whole, axes[0]).reshape(x.shape))
    return applied(run, "add", x, summed)


def _indexed(indices: Sequence[OnHost | Held | None]) -> tuple[list[int], list[OnHost]]:
    """Return the axes that are indexed, which must lie side by side, and by which numbers."""
    axes = [at for at, each in enumerate(indices) if each is not None]
    numbers = [_on_host(each) for each in indices if each is not None]
    if axes != list(range(axes[0], axes[-1] + 1)):
        raise NotHereError("indexed axes with others between them")
    if any(each.value.dtype == torch.bool for each in numbers):
        raise NotHereError("indices by truth")
    return axes, numbers


def _broadcast(numbers: Sequence[OnHost]) -> tuple[int, ...]:
    return tuple(torch.broadcast_shapes(*(each.value.shape for each in numbers)))


def _combined(run: Running, numbers: Sequence[OnHost], lengths: Sequence[int]) -> Array:
    (entries,) = run.from_hosts(numbers, lambda *each: (_joined(each, lengths).astype(np.int32),))
    return entries


def _takers_of_all(run: Running, numbers: Sequence[OnHost], lengths: Sequence[int]) -> Takers:
    return Takers(
        *run.from_hosts(numbers, lambda *each: places_of(_joined(each, lengths), prod(lengths)))
    )


def _joined(numbers: Sequence[torch.Tensor], lengths: Sequence[int]) -> np.ndarray[Any, Any]:
    together = torch.broadcast_tensors(*numbers)
    entries = np.zeros(together[0].numel(), np.int64)
    for each, length in zip(together, lengths, strict=True):
        values = each.numpy().reshape(-1)
        entries = entries * length + np.where(values < 0, values + length, values)
    return entries


def _without(indices: torch.Tensor, padding: int) -> np.ndarray[Any, Any]:
    flat: np.ndarray[Any, Any] = indices.numpy().reshape(-1)
    return flat if padding < 0 else np.where(flat == padding, _NOBODY, flat)


def _flat(indices: torch.Tensor) -> tuple[np.ndarray[Any, Any]]:
    return (host_values(indices).reshape(-1),)


def _on_host(indices: OnHost | Held) -> OnHost:
    if isinstance(indices, Held):
        raise NotHereError("numbers that the device computed")
    return indices
