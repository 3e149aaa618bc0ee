# SPDX-License-Identifier: MIT
"""Losses by the class's number, and by the distance of values."""

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, OnHost, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.aten.table.reductions import summed
from clprobe.tensor.array import Array
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.nll import Labels, nll, nll_gradient

ENTRIES = Entries()
_NONE, _MEAN, _SUM = 0, 1, 2


@ENTRIES.of("nll_loss_forward.default", "nll_loss2d_forward.default")
def _nll(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    logs: Held,
    target: OnHost | Held,
    weight: Held | None,
    reduction: int,
    ignored: int,
) -> tuple[Held, Held]:
    labels = _labels(run, logs, target, weight, ignored)
    losses, used = nll(_batched(run, logs), labels)
    total = summed(used, ())
    if reduction == _NONE:
        return held(losses.reshape(tuple(_shape(target)))), held(run.zeros(()))
    loss = summed(losses, ())
    return held(apply("divide", loss, total) if reduction == _MEAN else loss), held(total)


@ENTRIES.of("nll_loss_backward.default", "nll_loss2d_backward.default")
def _nll_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    logs: Held,
    target: OnHost | Held,
    weight: Held | None,
    reduction: int,
    ignored: int,
    total: Held,
) -> Held:
    labels = _labels(run, logs, target, weight, ignored)
    scale = run.dense(dy)
    if reduction == _MEAN:
        scale = apply("divide", scale, run.dense(total))
    scales = apply("unchanged", _reach(scale, labels.values), shape=labels.values.shape)
    shape = logs.shape if len(logs.shape) > 1 else (1, *logs.shape)
    return held(nll_gradient(scales, shape, labels).reshape(logs.shape))


def _reach(scale: Array, labels: Array) -> Array:
    return scale if not scale.shape else scale.reshape(labels.shape)


def _labels(
    run: Running, logs: Held, target: OnHost | Held, weight: Held | None, ignored: int
) -> Labels:
    classes = logs.shape[1 if len(logs.shape) > 1 else 0]
    weights = run.zeros((classes,), 1.0) if weight is None else run.dense(weight)
    values = run.dense(target)
    return Labels(values if values.shape else values.reshape((1,)), weights, ignored)


def _batched(run: Running, logs: Held) -> Array:
    values = run.dense(logs)
    return values if len(values.shape) > 1 else values.reshape((1, *values.shape))


def _shape(target: OnHost | Held) -> tuple[int, ...]:
    return target.shape if isinstance(target, Held) else tuple(target.value.shape)


@ENTRIES.of("mse_loss.default")
def _mse(run: Running, a: Held, b: Held, reduction: int = _MEAN) -> Held:
    gap = applied(run, "subtract", a, b)
    return _reduced(run, applied(run, "multiply", gap, gap), reduction)


@ENTRIES.of("mse_loss_backward.default")
def _mse_backward(run: Running, dy: Held, a: Held, b: Held, reduction: int) -> Held:
    gap = applied(run, "subtract", a, b)
    factor = 2 / max(1, _size(gap)) if reduction == _MEAN else 2.0
    return applied(run, "multiply", applied(run, "multiply", gap, factor), dy)


@ENTRIES.of("binary_cross_entropy_with_logits.default")
def _bce(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    target: Held,
    weight: Held | None = None,
    positive: Held | None = None,
    reduction: int = _MEAN,
) -> Held:
    if weight is not None or positive is not None:
        raise NotHereError("weights of classes")
    # max(x, 0) - x·t + log(1 + exp(-|x|)), which overflows nowhere.
    size = applied(run, "exp", applied(run, "negate", applied(run, "fabs", x)))
    first = applied(
        run, "subtract", applied(run, "larger", x, 0.0), applied(run, "multiply", x, target)
    )
    return _reduced(run, applied(run, "add", first, applied(run, "log1p", size)), reduction)


def _reduced(run: Running, x: Held, reduction: int) -> Held:
    if reduction == _NONE:
        return x
    total = held(summed(run.dense(x), ()))
    return applied(run, "multiply", total, 1 / max(1, _size(x))) if reduction == _MEAN else total


def _size(x: Held) -> int:
    return x.base.size
