# SPDX-License-Identifier: MIT
"""Every operation in NumPy, and every layer, forward and backward.

They compute in the precision of their operands: in float32 they are the NumPy reference, in
float64 what every engine's result is held to.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clprobe.bench import nets
from clprobe.bench.digits import Floats

Pull = Callable[[Floats], tuple[Floats, list[Floats]]]
"""Turns the gradient of a layer's output into those of its input and of its weights."""
_EPSILON = np.float32(1e-5)
_SHARE = np.float32(0.1)
"""Of the last batch in the average that a normalisation keeps; both as torch has them."""


@dataclass(slots=True)
class Running:
    """The averages that one normalisation keeps for later."""

    mean: Floats
    variance: Floats


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass through the net takes from: each layer takes what is next."""

    weights: Iterator[Floats]
    averages: Iterator[Running] = field(default_factory=lambda: iter(()))
    training: bool = True


def apply_all(layers: Sequence[nets.Layer], x: Floats, state: Pass) -> tuple[Floats, Pull]:
    """Return what the layers make of x, one after the other, and the way back."""
    pulls: list[Pull] = []
    for layer in layers:
        x, pull = _apply(layer, x, state)
        pulls.append(pull)

    def back(gradient: Floats) -> tuple[Floats, list[Floats]]:
        gradients: list[Floats] = []
        for pull in reversed(pulls):
            gradient, own = pull(gradient)
            gradients[:0] = own
        return gradient, gradients

    return x, back


def _apply(  # noqa: PLR0911 - one per kind of layer
    layer: nets.Layer, x: Floats, state: Pass
) -> tuple[Floats, Pull]:
    match layer:
        case nets.Linear():
            return _linear(x, next(state.weights), next(state.weights))
        case nets.Conv():
            return _conv(layer, x, next(state.weights), next(state.weights))
        case nets.BatchNorm():
            return _batch_norm(x, next(state.weights), next(state.weights), state)
        case nets.Relu():
            return np.maximum(x, 0), lambda dy: (dy * (x > 0), [])
        case nets.MaxPool2x2():
            return _max_pool(x)
        case nets.GlobalAvgPool():
            return _average(x)
        case nets.Flatten():
            return x.reshape(len(x), -1), lambda dy: (dy.reshape(x.shape), [])
        case nets.Residual():
            return _residual(layer, x, state)


def _linear(x: Floats, weight: Floats, bias: Floats) -> tuple[Floats, Pull]:
    return x @ weight.T + bias, lambda dy: (dy @ weight, [dy.T @ x, dy.sum(axis=0)])


def _conv(layer: nets.Conv, x: Floats, weight: Floats, bias: Floats) -> tuple[Floats, Pull]:
    """Convolve with stride 1 and 3x3 weights; a smaller weight has zeros around it."""
    around = (3 - layer.size) // 2
    whole = np.pad(weight, ((0, 0), (0, 0), (around, around), (around, around)))
    kept = slice(around, 3 - around)
    y = conv_forward(x, whole)

    def pull(dy: Floats) -> tuple[Floats, list[Floats]]:
        spread = np.zeros_like(y)
        spread[:, :, :: layer.stride, :: layer.stride] = dy
        own = conv_weight_gradient(spread, x)[:, :, kept, kept]
        return conv_input_gradient(spread, whole), [own, dy.sum(axis=(0, 2, 3))]

    return y[:, :, :: layer.stride, :: layer.stride] + bias[:, None, None], pull


def _batch_norm(x: Floats, weight: Floats, bias: Floats, state: Pass) -> tuple[Floats, Pull]:
    running = next(state.averages)
    axes = (0, 2, 3)
    count = np.float32(x.size / x.shape[1])
    mean, variance = running.mean, running.variance
    if state.training:
        mean, variance = x.mean(axis=axes), x.var(axis=axes)
        # The average is of what the variance would be without having fitted the mean.
        unbiased = variance * count / max(count - 1, np.float32(1))
        running.mean = running.mean + _SHARE * (mean - running.mean)
        running.variance = running.variance + _SHARE * (unbiased - running.variance)
    scale = 1 / np.sqrt(variance + _EPSILON)
    normal = (x - mean[:, None, None]) * scale[:, None, None]

    def pull(dy: Floats) -> tuple[Floats, list[Floats]]:
        d_weight, d_bias = (dy * normal).sum(axis=axes), dy.sum(axis=axes)
        inner = dy - (d_bias[:, None, None] + normal * d_weight[:, None, None]) / count
        return inner * (weight * scale)[:, None, None], [d_weight, d_bias]

    return normal * weight[:, None, None] + bias[:, None, None], pull


def _max_pool(x: Floats) -> tuple[Floats, Pull]:
    images, channels, height, width = x.shape
    halves = (images, channels, height // 2, width // 2)
    squares = x.reshape(images, channels, height // 2, 2, width // 2, 2).transpose(0, 1, 2, 4, 3, 5)
    flat = squares.reshape(*halves, 4)
    # Of equal values the first gets the whole gradient, as in torch.
    largest = flat.argmax(axis=-1)[..., None]

    def pull(dy: Floats) -> tuple[Floats, list[Floats]]:
        spread = np.zeros_like(flat)
        np.put_along_axis(spread, largest, dy[..., None], axis=-1)
        dx = spread.reshape(*halves, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(x.shape)
        return dx, []

    return np.take_along_axis(flat, largest, axis=-1)[..., 0], pull


def _average(x: Floats) -> tuple[Floats, Pull]:
    pixels = np.float32(x.shape[2] * x.shape[3])
    return x.mean(axis=(2, 3), keepdims=True), lambda dy: (
        np.broadcast_to(dy / pixels, x.shape),
        [],
    )


def _residual(layer: nets.Residual, x: Floats, state: Pass) -> tuple[Floats, Pull]:
    through, body = apply_all(layer.body, x, state)
    past, shortcut = apply_all(layer.shortcut, x, state)
    total = through + past

    def pull(dy: Floats) -> tuple[Floats, list[Floats]]:
        gradient = dy * (total > 0)
        (by_body, own), (by_shortcut, more) = body(gradient), shortcut(gradient)
        return by_body + by_shortcut, own + more

    return np.maximum(total, 0), pull


def conv_forward(x: np.ndarray[Any, Any], weight: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the 3x3 convolution, padded by 1. **Shapes** (n, c, h, w), (k, c, 3, 3)."""
    images, _, height, width = x.shape
    filters = weight.shape[0]
    product = windows(x) @ weight.reshape(filters, -1).T
    return np.ascontiguousarray(
        product.reshape(images, height, width, filters).transpose(0, 3, 1, 2)
    )


def conv_input_gradient(
    dy: np.ndarray[Any, Any], weight: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return the gradient for the images: the convolution with the filters turned round."""
    turned = weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    return conv_forward(dy, np.ascontiguousarray(turned))


def conv_weight_gradient(dy: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the gradient for the filters. **Shapes** (n, k, h, w), (n, c, h, w)."""
    filters, channels = dy.shape[1], x.shape[1]
    rows = dy.transpose(1, 0, 2, 3).reshape(filters, -1)
    gradient: np.ndarray[Any, Any] = (rows @ windows(x)).reshape(filters, channels, 3, 3)
    return gradient


def windows(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what each output pixel sees, one row per pixel. **Shapes** result (n·h·w, c·9)."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    # The types of NumPy 2.2, the last for Python 3.10, know but one axis.
    view: Any = np.lib.stride_tricks.sliding_window_view
    views = view(padded, (3, 3), axis=(2, 3))
    rows: np.ndarray[Any, Any] = views.transpose(0, 2, 3, 1, 4, 5).reshape(-1, x.shape[1] * 9)
    return rows


COMPUTED: dict[str, Callable[..., np.ndarray[Any, Any]]] = {
    "add": np.add,
    "matmul": np.matmul,
    "conv-forward": conv_forward,
    "conv-input-grad": conv_input_gradient,
    "conv-weight-grad": conv_weight_gradient,
}
"""By the names that `Engine.prepare` takes."""
