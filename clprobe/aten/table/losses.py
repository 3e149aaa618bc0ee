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


@ENTRIES.of("binary_cross_entropy.default")
def _bce_of_shares(
    run: Running, x: Held, target: Held, weight: Held | None = None, reduction: int = _MEAN
) -> Held:
    # Logarithms end at -100, as torch has it.
    of_x = applied(run, "larger", applied(run, "log", x), -100.0)
    rest = applied(run, "log1p", applied(run, "negate", x))
    of_rest = applied(run, "larger", rest, -100.0)
    first = applied(run, "multiply", applied(run, "subtract", target, 1.0), of_rest)
    losses = applied(run, "subtract", first, applied(run, "multiply", target, of_x))
    return _reduced(run, _weighted(run, losses, weight), reduction)


@ENTRIES.of("binary_cross_entropy_backward.default")
def _bce_of_shares_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    dy: Held,
    x: Held,
    target: Held,
    weight: Held | None = None,
    reduction: int = _MEAN,
) -> Held:
    below = applied(run, "multiply", applied(run, "subtract", 1.0, x), x)
    slope = applied(
        *(run, "divide", applied(run, "subtract", x, target)),
        applied(run, "larger", below, 1e-12),
    )
    return _spread(run, dy, _weighted(run, slope, weight), reduction)


@ENTRIES.of("smooth_l1_loss.default")
def _smooth_l1(run: Running, a: Held, b: Held, reduction: int = _MEAN, beta: float = 1.0) -> Held:
    return _reduced(run, applied(run, "multiply", _huber_of(run, a, b, beta), 1 / beta), reduction)


@ENTRIES.of("smooth_l1_loss_backward.default")
def _smooth_l1_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running, dy: Held, a: Held, b: Held, reduction: int, beta: float
) -> Held:
    slope = applied(run, "multiply", _huber_slope(run, a, b, beta), 1 / beta)
    return _spread(run, dy, slope, reduction)


@ENTRIES.of("huber_loss.default")
def _huber(run: Running, a: Held, b: Held, reduction: int = _MEAN, delta: float = 1.0) -> Held:
    return _reduced(run, _huber_of(run, a, b, delta), reduction)


@ENTRIES.of("huber_loss_backward.default")
def _huber_backward(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running, dy: Held, a: Held, b: Held, reduction: int, delta: float
) -> Held:
    return _spread(run, dy, _huber_slope(run, a, b, delta), reduction)


def _huber_of(run: Running, a: Held, b: Held, delta: float) -> Held:
    if delta <= 0:
        raise NotHereError("no part that is squared")
    gap = applied(run, "fabs", applied(run, "subtract", a, b))
    squared = applied(run, "multiply", applied(run, "multiply", gap, gap), 0.5)
    straight = applied(run, "multiply", applied(run, "subtract", gap, delta / 2), delta)
    return applied(run, "choose", applied(run, "is_greater", delta, gap), squared, straight)


def _huber_slope(run: Running, a: Held, b: Held, delta: float) -> Held:
    if delta <= 0:
        raise NotHereError("no part that is squared")
    return applied(run, "clip", applied(run, "subtract", a, b), -delta, delta)


def _weighted(run: Running, losses: Held, weight: Held | None) -> Held:
    return losses if weight is None else applied(run, "multiply", losses, weight)


def _spread(run: Running, dy: Held, slope: Held, reduction: int) -> Held:
    """Return the gradient of each value, given that of the loss."""
    factor = 1 / max(1, _size(slope)) if reduction == _MEAN else 1.0
    return applied(run, "multiply", applied(run, "multiply", slope, factor), dy)


def _reduced(run: Running, x: Held, reduction: int) -> Held:
    if reduction == _NONE:
        return x
    total = held(summed(run.dense(x), ()))
    return applied(run, "multiply", total, 1 / max(1, _size(x))) if reduction == _MEAN else total


def _size(x: Held) -> int:
    return x.base.size
