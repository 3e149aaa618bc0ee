# SPDX-License-Identifier: MIT
"""Tensors of one value everywhere, and operations that make none."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import Running
from clprobe.aten.table.elementwise import held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Shape

_Like = Held | Sequence[int]
ENTRIES = Entries()


@ENTRIES.of("zeros.default", "new_zeros.default", "zeros_like.default")
def _zero(run: Running, like: _Like, shape: Sequence[int] | None = None, **given: Any) -> Held:
    return _filled(run, like, shape, 0.0, given)


@ENTRIES.of("ones.default", "new_ones.default", "ones_like.default")
def _ones(run: Running, like: _Like, shape: Sequence[int] | None = None, **given: Any) -> Held:
    return _filled(run, like, shape, 1.0, given)


@ENTRIES.of("full.default", "full_like.default", "new_full.default")
def _full(run: Running, like: _Like, *values: Any, **given: Any) -> Held:
    shape = values[0] if len(values) > 1 else None
    return _filled(run, like, shape, float(values[-1]), given)


@ENTRIES.of("fill.Scalar")
def _fill(run: Running, like: Held, value: float) -> Held:
    return held(run.zeros(like.shape, float(value)))


@ENTRIES.of("_assert_tensor_metadata.default")
def _nothing_to_do(*_: Any, **__: Any) -> None:
    """Do nothing: what tracing asserted of sizes and types holds of the same graph."""


@ENTRIES.of("empty.memory_format", "empty_like.default", "new_empty.default")
def _nothing(run: Running, like: _Like, shape: Sequence[int] | None = None, **_: Any) -> Held:
    return held(run.zeros(_shape(like, shape)))


@ENTRIES.of("scalar_tensor.default")
def _scalar(run: Running, value: float, **_: Any) -> Held:
    return held(run.zeros((), float(value)))


def _filled(
    run: Running,
    like: _Like,
    shape: Sequence[int] | None,
    value: float,
    given: Mapping[str, Any],
) -> Held:
    """Return a tensor of one value, of the type that is asked for or that of what it is like."""
    dtype = given.get("dtype") or (like.dtype if isinstance(like, Held) else None)
    if dtype == torch.bool:
        return held(run.zeros(_shape(like, shape), float(bool(value))), torch.bool)
    return held(run.zeros(_shape(like, shape), value))


def _shape(like: _Like, shape: Sequence[int] | None) -> Shape:
    if shape is not None:
        return tuple(shape)
    return like.shape if isinstance(like, Held) else tuple(like)
