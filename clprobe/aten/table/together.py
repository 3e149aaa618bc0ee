# SPDX-License-Identifier: MIT
"""What clprobe.aten.together makes of several of torch's operations: one kernel for each."""

from typing import Any

from clprobe.aten.held import Held
from clprobe.aten.running import OnHost, Running
from clprobe.aten.table.elementwise import held
from clprobe.aten.table.entries import Entries
from clprobe.aten.table.images import convolution, gradients
from clprobe.aten.table.norms import batch_norm
from clprobe.aten.table.products import addmm, product
from clprobe.tensor.ops.mask_and_sum import mask_and_sum
from clprobe.tensor.ops.norm import Running as Statistics
from clprobe.tensor.ops.softmax import cross_entropy

ENTRIES = Entries()


@ENTRIES.of("addmm + relu")
def _addmm_relu(run: Running, bias: Held, a: Held, b: Held) -> Held:
    return held(product(a, b, run.dense(bias), relu=True))


@ENTRIES.of("convolution + relu")
def _convolution_relu(run: Running, *given: Any) -> Held:
    return convolution(run, *given, relu=True)


@ENTRIES.of("mm in half", "bmm in half")
def _mm_in_half(_: Running, a: Held, b: Held) -> Held:
    return held(product(a, b, in_half=True))


@ENTRIES.of("addmm in half")
def _addmm_in_half(run: Running, *given: Any, **factors: Any) -> Held:
    return addmm(run, *given, **factors, in_half=True)


@ENTRIES.of("convolution in half")
def _convolution_in_half(run: Running, *given: Any) -> Held:
    return convolution(run, *given, in_half=True)


@ENTRIES.of("threshold_backward + sum")
def _mask_and_sum(run: Running, dy: Held, y: Held) -> tuple[Held, Held]:
    masked, sums = mask_and_sum(run.dense(dy), run.dense(y))
    return held(masked), held(sums.reshape((1, *sums.shape)))


@ENTRIES.of("threshold_backward + convolution_backward")
def _masked_convolution_backward(
    run: Running, dy: Held, y: Held, x: Held, weight: Held, _sizes: Any, *rest: Any
) -> tuple[Held | None, ...]:
    *steps, wanted = rest
    masked, sums = mask_and_sum(run.dense(dy), run.dense(y))
    return (*gradients(run, (held(masked), x, weight), steps, wanted), held(sums))


@ENTRIES.of("log_softmax + nll_loss + gradient")
def _cross_entropy(
    run: Running, logits: Held, labels: OnHost | Held, ignored: int
) -> tuple[Held, Held]:
    loss, gradient = cross_entropy(run.dense(logits), run.dense(labels), ignored)
    return held(loss), held(gradient)


@ENTRIES.of("batch_norm, statistics in place")
def _batch_norm(
    run: Running, x: Held, weight: Held | None, bias: Held | None, *rest: Any
) -> tuple[Held, ...]:
    mean, variance, training, *rates = rest
    so_far = Statistics(run.dense(mean), run.dense(variance), *rates)
    return batch_norm(run, x, (weight, bias), so_far, training=training)
