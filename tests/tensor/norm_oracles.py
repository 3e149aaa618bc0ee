# SPDX-License-Identifier: MIT
"""Normalisation and its gradients in NumPy and double precision, and how far off they may be."""

from dataclasses import dataclass

import numpy as np
from oracles import TINY, UNIT


@dataclass(frozen=True)
class Normalised:
    """What a normalisation should give; `*_bound` says how far off each may be."""

    y: np.ndarray
    y_bound: np.ndarray
    dx: np.ndarray
    dx_bound: np.ndarray
    dweight: np.ndarray
    dweight_bound: np.ndarray
    dbias: np.ndarray
    dbias_bound: np.ndarray


def normalise(  # noqa: PLR0917 - the formula has that many letters
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    dy: np.ndarray,
    axes: tuple[int, ...],
    epsilon: float = 1e-5,
    given: tuple[np.ndarray, np.ndarray] | None = None,
) -> Normalised:
    """Normalise over `axes`, by their own mean and variance or by those given.

    weight, bias and what is given broadcast against x; their gradients sum over
    what they repeat on.

    The bounds follow the error from step to step: a sum of n terms is off by g = (n + 16) UNIT of
    its absolute values (Higham 2002, 3.1, with room for the few operations around it); the mean is
    off by its own rounding and g of the mean distance from it, for a second pass corrects it.
    """
    x, weight, bias, dy = (value.astype(np.float64) for value in (x, weight, bias, dy))
    n = int(np.prod([x.shape[axis] for axis in axes]))
    g = (n + 16) * UNIT
    if given is None:
        mean = x.mean(axes, keepdims=True)
        variance = x.var(axes, keepdims=True)
        mean_error = 2 * UNIT * np.abs(mean) + g * np.abs(x - mean).mean(axes, keepdims=True)
    else:
        mean, variance = (value.astype(np.float64) for value in given)
        mean_error = np.zeros_like(mean)
    scale = 1 / np.sqrt(variance + epsilon)
    normal = (x - mean) * scale
    # The relative error of the scale is half that of the variance, which the mean's moves, too.
    scale_error = g + (mean_error * scale) ** 2
    normal_error = scale * (mean_error + UNIT * np.abs(x)) + np.abs(normal) * scale_error
    y = normal * weight + bias
    y_bound = np.abs(weight) * normal_error + 4 * UNIT * (np.abs(y) + np.abs(bias)) + TINY

    summed = _repeated(weight.shape, x.shape)
    longest = (int(np.prod([x.shape[axis] for axis in summed])) + 16) * UNIT

    def total(values: np.ndarray, over: tuple[int, ...]) -> np.ndarray:
        return values.sum(over, keepdims=True)

    dweight = total(dy * normal, summed)
    dweight_bound = total(longest * np.abs(dy * normal) + np.abs(dy) * normal_error, summed) + TINY
    dbias = total(dy, summed)
    dbias_bound = longest * total(np.abs(dy), summed) + TINY

    slope = dy * weight
    if given is None:
        first, second = total(slope, axes) / n, total(slope * normal, axes) / n
        first_error = g * total(np.abs(slope), axes) / n
        products = g * np.abs(slope * normal) + np.abs(slope) * normal_error
        second_error = total(products, axes) / n
    else:
        first = second = first_error = second_error = np.zeros(())
    dx = scale * (slope - first - normal * second)
    magnitude = np.abs(slope) + np.abs(first) + np.abs(normal * second)
    dx_bound = TINY + scale * (
        (scale_error + 16 * UNIT) * magnitude
        + first_error
        + np.abs(normal) * second_error
        + normal_error * np.abs(second)
    )
    return Normalised(y, y_bound, dx, dx_bound, dweight, dweight_bound, dbias, dbias_bound)


def _repeated(shape: tuple[int, ...], whole: tuple[int, ...]) -> tuple[int, ...]:
    padded = (1,) * (len(whole) - len(shape)) + shape
    return tuple(axis for axis, size in enumerate(padded) if size == 1)
