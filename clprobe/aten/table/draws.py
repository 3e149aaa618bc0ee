# SPDX-License-Identifier: MIT
"""What is drawn at random: dropout, and even and normal values."""

from collections.abc import Sequence
from typing import Any

import torch

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running, Value
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.ops.dropout import random_values, truths
from clprobe.tensor.ops.elementwise import apply, times

ENTRIES = Entries()


@ENTRIES.of("native_dropout.default")
def _dropout(run: Running, x: Held, rate: float, train: bool | None) -> tuple[Held, Held]:
    if train is False or rate == 0:
        return x, held(run.zeros(x.shape, 1.0), torch.bool)
    truth = truths(run.stream, x.shape, 1 - rate)
    scale = 1 / (1 - rate) if rate < 1 else 0.0
    dropped = times(apply("multiply", run.array(x), truth), run.zeros((), scale), x.shape)
    return held(dropped), held(truth, torch.bool)


@ENTRIES.of("native_dropout_backward.default")
def _dropout_backward(run: Running, dy: Value, truth: Value, scale: float) -> Held:
    return applied(run, "multiply", applied(run, "multiply", dy, truth), scale)


@ENTRIES.of("randn.default", "randn_like.default")
def _normal(
    run: Running, like: Held | Sequence[int], dtype: torch.dtype | None = None, **_: Any
) -> Held:
    return _drawn(run, like, dtype, normal=True)


@ENTRIES.of("rand.default", "rand_like.default")
def _even(
    run: Running, like: Held | Sequence[int], dtype: torch.dtype | None = None, **_: Any
) -> Held:
    return _drawn(run, like, dtype, normal=False)


def _drawn(
    run: Running, like: Held | Sequence[int], dtype: torch.dtype | None, *, normal: bool
) -> Held:
    if dtype not in {None, torch.float32}:
        raise NotHereError(str(dtype))
    shape = like.shape if isinstance(like, Held) else tuple(like)
    return held(random_values(run.stream, shape, normal=normal))
