# SPDX-License-Identifier: MIT
"""Norms, averages, softmax, activations, dropout and half storage, for every implementation."""

from math import erfc

import numpy as np
from norm_oracles import normalise
from odd_shapes import Case
from oracles import UNIT, apart, normal, rounding_bound
from oracles import conv2d as exact_conv2d
from oracles import max_pool2d as exact_max_pool2d

from clprobe.tensor import Array, Device, Tensor, conv2d, linear, max_pool2d
from clprobe.tensor import functions as of
from clprobe.tensor.autocast import Policy, autocast
from clprobe.tensor.functions import Running
from clprobe.tensor.ops.dropout import RandomStream
from clprobe.tensor.ops.half import to_float, to_half

STORED_IN_HALF = Policy(half=Policy.shipped().half, without_fp16=True)


def cases(generator: np.random.Generator) -> dict[str, Case]:
    """Return function, arguments, exact result and bound of each operation."""
    return {
        **_norms(generator),
        **_pools(generator),
        **_softmaxes(generator),
        **_activations(generator),
    }


def wrong_beside_cases(device: Device) -> list[str]:
    """Return what is wrong with operations that no formula of their arguments describes."""
    found = []
    x = Tensor.from_numpy(np.ones(1001, np.float32), device, requires_grad=True)
    y = of.dropout(x, 0.5, RandomStream(device, 7))
    y.sum().backward()
    kept = int(np.count_nonzero(y.numpy()))
    # The count is Philox's for seed 7; NumPy gives the same in test_dropout.py.
    if kept != 523 or x.grad is None or (x.grad.numpy() != y.numpy()).any():
        found.append(f"dropout: {kept} of 1001 values kept, or another gradient")
    values = np.array([1 + 2**-11, 65519, 65520, -3, 2**-24, np.nan] * 7, np.float32)
    half = to_half(Array.from_numpy(values, device))
    with np.errstate(over="ignore"):
        exact = values.astype(np.float16)
    if not np.array_equal(half.numpy(), exact, equal_nan=True):
        found.append("half: rounded otherwise than by NumPy")
    if not np.array_equal(to_float(half).numpy(), exact.astype(np.float32), equal_nan=True):
        found.append("half: read otherwise than by NumPy")
    return found + _wrong_in_half(device)


def _wrong_in_half(device: Device) -> list[str]:
    """Return what is wrong with a net under autocast, of small integers that half holds exactly."""
    generator = np.random.default_rng(11)
    shapes = (2, 3, 7, 9), (5, 3, 3, 3), (5,), (7, 60), (7,)
    values = [generator.integers(-1, 2, shape).astype(np.float32) for shape in shapes]
    results = []
    for policy in (Policy(frozenset(), without_fp16=True), STORED_IN_HALF):
        x, *parameters = (Tensor.from_numpy(value, device, True) for value in values)
        with autocast(policy):
            pooled = max_pool2d(conv2d(x, *parameters[:2], padding=1), 2, relu=True)
            y = linear(pooled.flatten(), *parameters[2:], relu=True)
        (y * y).sum().backward()
        gradients = [each.grad.numpy() for each in (x, *parameters) if each.grad is not None]
        results.append([y.numpy(), *gradients])
    images = exact_conv2d(values[0], values[1], 1, 1) + values[2].reshape(-1, 1, 1)
    pooled_exactly = np.maximum(exact_max_pool2d(images, 2, 2), 0).reshape(2, -1)
    exact = np.maximum(pooled_exactly @ values[3].T.astype(np.float64) + values[4], 0)
    names = ("result", "gradient of x", "of filters", "of bias", "of weight", "of bias")
    in_float, in_half = results
    found = [
        f"half: another {name} than in float"
        for name, a, b in zip(names, in_float, in_half, strict=True)
        if not np.array_equal(a, b)
    ]
    if in_half[0].dtype != np.float16 or not np.array_equal(in_half[0], exact):
        found.append("half: another result than NumPy's")
    return found


def _norms(generator: np.random.Generator) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for shape in ((9, 5), (4, 3, 5, 7)):
        channels = shape[1]
        x, weight, bias = (normal(generator, *sizes) for sizes in (shape, (channels,), (channels,)))
        axes, wide = (0, *range(2, len(shape))), (1, -1, *(1,) * (len(shape) - 2))
        parameters = (weight.reshape(wide), bias.reshape(wide))
        given = (np.zeros(parameters[0].shape), np.ones(parameters[0].shape))
        for training in (True, False):
            exact = normalise(x, *parameters, x, axes, given=None if training else given)

            def normed(a: Tensor, w: Tensor, b: Tensor, training: bool = training) -> Tensor:
                zeros, ones = (Array.full(a.device, w.shape, value) for value in (0.0, 1.0))
                return of.batch_norm(a, w, b, Running(zeros, ones), training=training)

            name = f"batch_norm {len(shape)} axes {'training' if training else 'evaluation'}"
            found[name] = (normed, [x, weight, bias], exact.y, exact.y_bound)
    x, weight, bias = normal(generator, 5, 33), normal(generator, 33), normal(generator, 33)
    exact = normalise(x, weight, bias, x, (1,))
    found["layer_norm"] = (of.layer_norm, [x, weight, bias], exact.y, exact.y_bound)
    return found


def _pools(generator: np.random.Generator) -> dict[str, Case]:
    x = normal(generator, 2, 3, 7, 5)
    windows = np.lib.stride_tricks.sliding_window_view(
        np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3), axis=(2, 3)
    )[:, :, ::2, ::2]
    distinct = apart(generator, 2, 1, 5, 7)
    padded = np.pad(distinct, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    bound = rounding_bound(35, np.abs(x).max())
    return {
        "avg_pool2d": (lambda t: of.avg_pool2d(t, 3, 2, 1), [x], windows.mean((4, 5)), bound),
        "global_avg_pool2d": (
            of.global_avg_pool2d,
            [x],
            x.mean((2, 3), dtype=np.float64, keepdims=True),
            bound,
        ),
        "max_pool2d padded": (
            lambda t: max_pool2d(t, 3, 2, 1),
            [distinct],
            exact_max_pool2d(padded, 3, 2),
            0,
        ),
    }


def _softmaxes(generator: np.random.Generator) -> dict[str, Case]:
    x = normal(generator, 5, 33)
    shifted = x.astype(np.float64) - x.max(1, keepdims=True)
    logarithm = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    # exp and log may be off by 3 units in the last place, division by 2.5.
    bound = (33 + 17 + 8 * float(np.abs(logarithm).max())) * UNIT
    return {
        "softmax": (of.softmax, [x], np.exp(logarithm), bound),
        "log_softmax": (of.log_softmax, [x], logarithm, bound),
    }


def _activations(generator: np.random.Generator) -> dict[str, Case]:
    """Return two sums of functions: each is one kernel, and some compilers are slow."""
    x = generator.uniform(0.5, 2, 33).astype(np.float32)
    exact = x.astype(np.float64)
    gelu = 0.5 * exact * np.vectorize(erfc, otypes=[float])(-np.sqrt(0.5) * exact)
    smooth = np.exp(exact) + np.log(exact) + np.sqrt(exact) + np.tanh(exact)
    smooth += 1 / (1 + np.exp(-exact)) + gelu + exact**1.5
    other = normal(generator, 33)
    kinked = 3 * np.maximum(exact, other) - np.minimum(exact, other) + 2 * exact

    def smooth_functions(t: Tensor) -> Tensor:
        roots = of.exp(t) + of.log(t) + of.sqrt(t) + of.tanh(t)
        return roots + of.sigmoid(t) + of.gelu(t) + of.power(t, 1.5)

    def kinked_functions(t: Tensor, u: Tensor) -> Tensor:
        extremes = 3 * of.maximum(t, u) - of.minimum(t, u)
        return extremes + of.absolute(-t) + of.clip(t, -1, 3)

    # Up to 16 units in the last place for pow and erfc (OpenCL 1.2, table 7.4), of sums below 32.
    return {
        "smooth functions": (smooth_functions, [x], smooth, 60 * UNIT * 32),
        "kinked functions": (kinked_functions, [x, other], kinked, 8 * UNIT * 32),
    }
