# SPDX-License-Identifier: MIT
"""Scaled dot-product attention from products and a softmax, and its gradient."""

from math import sqrt

import numpy as np

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, OnHost, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.aten.table.products import product
from clprobe.tensor.array import Array
from clprobe.tensor.ops.softmax import along_rows, log_sum_exp, rows_gradient
from clprobe.tensor.ops.views import contiguous

ENTRIES = Entries()


@ENTRIES.of("_scaled_dot_product_flash_attention_for_cpu.default")
def _attention(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    query: Held,
    key: Held,
    value: Held,
    dropout: float = 0.0,
    causal: bool = False,
    *,
    attn_mask: Held | OnHost | None = None,
    scale: float | None = None,
) -> tuple[Held, Held]:
    _only_kept(dropout)
    mask = _mask(run, query, key, attn_mask, causal=causal)
    scores = _scores(run, query, key, mask, scale)
    result = product(held(along_rows("softmax", scores).value), _batch(value))
    logarithms = log_sum_exp(scores).reshape(query.shape[:-1])
    shape = (*query.shape[:-1], value.shape[-1])
    return held(result.reshape(shape)), held(logarithms)


@ENTRIES.of("_scaled_dot_product_flash_attention_for_cpu_backward.default")
def _attention_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    query: Held,
    key: Held,
    value: Held,
    _result: Held,
    _logarithms: Held,
    dropout: float,
    causal: bool,
    *,
    attn_mask: Held | OnHost | None = None,
    scale: float | None = None,
) -> tuple[Held, Held, Held]:
    _only_kept(dropout)
    mask = _mask(run, query, key, attn_mask, causal=causal)
    weights = held(along_rows("softmax", _scores(run, query, key, mask, scale)).value)
    above = _batch(dy)
    dvalue = product(weights.turned(), above)
    dweights = product(above, _batch(value).turned())
    dscores = held(rows_gradient("softmax", dweights, weights.base))
    dscores = applied(run, "multiply", dscores, _scale(query, scale))
    dquery = product(dscores, _batch(key))
    dkey = product(dscores.turned(), _batch(query))
    pairs = ((dquery, query), (dkey, key), (dvalue, value))
    first, second, third = (held(each.reshape(like.shape)) for each, like in pairs)
    return first, second, third


def _only_kept(dropout: float) -> None:
    if dropout:
        raise NotHereError("dropout within attention")


def _scores(run: Running, query: Held, key: Held, mask: Held | None, scale: float | None) -> Array:
    scores = held(product(_batch(query), _batch(key).turned()))
    scores = applied(run, "multiply", scores, _scale(query, scale))
    if mask is not None:
        shape = (*query.shape[:-1], key.shape[-2])
        whole = applied(run, "add", scores.viewed(shape, contiguous(shape)), mask)
        scores = held(run.dense(whole).reshape(scores.shape))
    return run.dense(scores)


def _mask(
    run: Running, query: Held, key: Held, given: Held | OnHost | None, *, causal: bool
) -> Held | None:
    if not causal:
        return None if given is None else run.held(given)
    rows, columns = query.shape[-2], key.shape[-2]
    upper = np.triu(np.full((rows, columns), -np.inf, np.float32), 1)
    return held(run.constant(("causal", rows, columns), upper))


def _scale(query: Held, scale: float | None) -> float:
    return 1 / sqrt(query.shape[-1]) if scale is None else scale


def _batch(x: Held) -> Held:
    """Return the heads of all sequences as one batch of matrices."""
    shape = (x.shape[0] * x.shape[1], *x.shape[2:])
    if x.strides[0] == x.shape[1] * x.strides[1]:
        return x.viewed(shape, x.strides[1:])
    return held(x.dense().reshape(shape))
