# SPDX-License-Identifier: MIT
"""The operations at sizes where tiles, vectors and work-groups end: 1, primes, one more or less."""

from collections.abc import Callable

import numpy as np
import oracles
from oracles import apart, normal, rounding_bound

from clprobe.tensor import Tensor, conv2d, max_pool2d, softmax_cross_entropy

# Function, arguments, exact result and how far off each value may be.
Case = tuple[Callable[..., Tensor], list[np.ndarray], np.ndarray, np.ndarray | float]


# rows, columns, inner length of a product
PRODUCTS = [
    (1, 1, 1),
    (1, 17, 33),
    (31, 1, 5),
    (17, 19, 23),
    (65, 33, 67),
    (67, 131, 259),
    (3, 5, 521),
    (64, 48, 36),
]
# images, channels, height, width, filters, kernel size, stride, padding
CONVOLUTIONS = [
    (1, 1, 1, 1, 1, 1, 1, 0),
    (1, 3, 7, 5, 2, 3, 2, 0),
    (3, 2, 5, 11, 7, 2, 3, 1),
    (1, 5, 13, 9, 17, 3, 1, 1),
    (2, 1, 9, 17, 3, 5, 1, 2),
    (2, 17, 19, 37, 5, 3, 1, 1),
    (2, 33, 13, 11, 35, 3, 1, 1),
]
# Winograd's transforms of 4x4 outputs magnify rounding; test_conv_winograd.py derives the bound.
WINOGRAD = 64
SUMS = [(1, 1), (3, 17), (257, 1), (5, 129), (2, 4099), (65, 67)]
BROADCAST = [((1, 1), (1,)), ((3, 17), (3, 1)), ((2, 3, 5, 7), (3, 1, 7)), ((5, 4099), (4099,))]
# planes, height, width, window, stride
POOLS = [(1, 2, 2, 2, 2), (3, 7, 5, 2, 2), (2, 9, 11, 3, 2), (1, 5, 37, 2, 1)]
LOGITS = [(1, 1), (3, 2), (5, 17), (2, 257), (7, 129)]


def cases(generator: np.random.Generator) -> dict[str, Case]:
    """Return the cases, by operation and shape."""
    return {
        **_products(generator),
        **_convolutions(generator),
        **_sums(generator),
        **_broadcasts(generator),
        **_pools(generator),
        **_losses(generator),
    }


def _products(generator: np.random.Generator) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for m, n, k in PRODUCTS:
        a, b = normal(generator, m, k), normal(generator, k, n)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        bound = rounding_bound(k, np.abs(a) @ np.abs(b))
        found[f"matmul {m}x{n}x{k}"] = (lambda x, y: x @ y, [a, b], exact, bound)
    return found


def _convolutions(generator: np.random.Generator) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for images, channels, height, width, filters, size, stride, padding in CONVOLUTIONS:
        x = normal(generator, images, channels, height, width)
        weight = normal(generator, filters, channels, size, size)
        bias = normal(generator, filters)
        exact = oracles.conv2d(x, weight, stride, padding) + bias.reshape(-1, 1, 1)
        magnitude = oracles.conv2d(np.abs(x), np.abs(weight), stride, padding)
        bound = rounding_bound(weight[0].size + 1, magnitude + np.abs(bias).reshape(-1, 1, 1))
        if min(channels, filters) > 32:
            bound = bound * WINOGRAD
        name = f"conv2d {x.shape} {weight.shape} stride {stride} padding {padding}"
        found[name] = (
            lambda x, w, b, s=stride, p=padding: conv2d(x, w, b, s, p),
            [x, weight, bias],
            exact,
            bound,
        )
    return found


def _sums(generator: np.random.Generator) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for shape in SUMS:
        x = normal(generator, *shape)
        wide = x.astype(np.float64)
        for name, axes in {"all": (0, 1), "columns": 0, "rows": 1}.items():
            terms = x.size if name == "all" else shape[axes]
            bound = rounding_bound(terms, np.abs(wide).sum(axes))
            exact = np.asarray(wide.sum(axes))
            found[f"sum of {name} {shape}"] = (lambda x, a=axes: x.sum(a), [x], exact, bound)
    return found


def _broadcasts(generator: np.random.Generator) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for shape, other in BROADCAST:
        a, b = apart(generator, *shape), np.abs(normal(generator, *other)) + 1
        exact = {"-": a - b, "/": a / b, "*": np.maximum(a * b, 0)}
        functions = {
            "-": lambda x, y: x - y,
            "/": lambda x, y: x / y,
            "*": lambda x, y: (x * y).relu(),
        }
        for sign, function in functions.items():
            bound = rounding_bound(4, np.abs(exact[sign]))
            found[f"{sign} {shape} {other}"] = (function, [a, b], exact[sign], bound)
    return found


def _pools(generator: np.random.Generator) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for planes, height, width, size, stride in POOLS:
        x = apart(generator, 1, planes, height, width)
        exact = oracles.max_pool2d(x, size, stride)
        name = f"max_pool2d {x.shape} {size} stride {stride}"
        found[name] = (lambda x, k=size, s=stride: max_pool2d(x, k, s), [x], exact, 0.0)
    return found


def _losses(generator: np.random.Generator) -> dict[str, Case]:
    found: dict[str, Case] = {}
    for rows, classes in LOGITS:
        x = normal(generator, rows, classes)
        labels = generator.integers(0, classes, rows).astype(np.int32)
        exact = np.asarray(oracles.softmax_cross_entropy(x, labels))
        name = f"softmax_cross_entropy {x.shape}"
        bound = oracles.softmax_bound(x)
        found[name] = (lambda x, y=labels: softmax_cross_entropy(x, y), [x], exact, bound)
    return found
