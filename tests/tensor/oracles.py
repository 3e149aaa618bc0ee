# SPDX-License-Identifier: MIT
"""What each operation should give, in NumPy and double precision, and how far off it may be."""

import numpy as np

# Half the distance from 1 to the next float32: the largest relative error of one rounding.
UNIT = 2.0**-24
# A denormal result may be flushed to zero.
TINY = 2.0**-126
# The same for half: of one rounding to the nearest, relative and around zero.
HALF_UNIT = 2.0**-11
HALF_TINY = 2.0**-25


def rounding_bound(terms: int, magnitude: np.ndarray | float) -> np.ndarray:
    """Return how far a float32 sum of `terms` products may lie from the exact one, in any order.

    `magnitude` is the sum of the absolute values. Each term passes through one multiplication and
    at most `terms` additions, so the relative error of each is at most g / (1 - g), g = (terms + 1)
    UNIT (Higham 2002, Accuracy and Stability of Numerical Algorithms, 3.1).
    """
    g = (terms + 1) * UNIT
    return np.asarray(magnitude) * (g / (1 - g)) + TINY


def rounded_to_half(exact: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Return the bound of what is off by `bound` and then stored in half."""
    return bound + HALF_UNIT * (np.abs(exact) + bound) + HALF_TINY


def assert_close(found: np.ndarray, exact: np.ndarray, bound: np.ndarray | float) -> None:
    """Fail unless every value lies within its bound (NaN matches NaN)."""
    assert found.shape == exact.shape
    assert found.dtype == np.float32
    difference = np.abs(found.astype(np.float64) - exact)
    wrong = ~((difference <= bound) | (np.isnan(found) & np.isnan(exact)))
    assert not wrong.any(), f"{wrong.sum()} of {wrong.size} values are off, by {difference.max()}"


Pair = tuple[int, int]


def conv2d(  # noqa: PLR0917 - torch's own argument list
    x: np.ndarray,
    weight: np.ndarray,
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
) -> np.ndarray:
    """Return the convolution in double precision, window by window."""
    windows = _windows(x, weight.shape, stride, padding, dilation)
    parts = zip(np.split(windows, groups, axis=1), np.split(weight, groups), strict=True)
    exact = np.float64
    return np.concatenate(
        [np.einsum("nchwij,fcij->nfhw", part, some.astype(exact)) for part, some in parts], axis=1
    )


def conv2d_weight_gradient(  # noqa: PLR0917 - torch's own argument list
    dy: np.ndarray,
    x: np.ndarray,
    weight_shape: tuple[int, ...],
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
) -> np.ndarray:
    """Return the gradient for the filters in double precision."""
    windows = _windows(x, weight_shape, stride, padding, dilation)
    parts = zip(np.split(windows, groups, axis=1), np.split(dy, groups, axis=1), strict=True)
    exact = np.float64
    return np.concatenate(
        [np.einsum("nchwij,nfhw->fcij", part, some.astype(exact)) for part, some in parts]
    )


def conv2d_input_gradient(  # noqa: PLR0917 - torch's own argument list
    dy: np.ndarray,
    weight: np.ndarray,
    shape: tuple[int, ...],
    stride: int | Pair = 1,
    padding: int | Pair = 0,
    dilation: int | Pair = 1,
    groups: int = 1,
) -> np.ndarray:
    """Return the gradient for the images in double precision: each window gives to its pixels."""
    windows = np.concatenate(
        [
            np.einsum("nfhw,fcij->nchwij", some.astype(np.float64), part.astype(np.float64))
            for some, part in zip(
                np.split(dy, groups, axis=1), np.split(weight, groups), strict=True
            )
        ],
        axis=1,
    )
    place = _windows(
        np.arange(np.prod(shape[2:])).reshape(1, 1, *shape[2:]) + 1.0,
        weight.shape,
        stride,
        padding,
        dilation,
    )[0, 0].astype(int)
    gradient = np.zeros((*shape[:2], np.prod(shape[2:]) + 1))
    for image, channel in np.ndindex(*shape[:2]):
        np.add.at(gradient[image, channel], place, windows[image, channel])
    return gradient[:, :, 1:].reshape(shape)


def _windows(
    x: np.ndarray,
    weight_shape: tuple[int, ...],
    stride: int | Pair,
    padding: int | Pair,
    dilation: int | Pair,
) -> np.ndarray:
    """Return the windows (images, channels, rows, columns, kernel rows, kernel columns)."""
    stride, padding, dilation = (
        (pair, pair) if isinstance(pair, int) else pair for pair in (stride, padding, dilation)
    )
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), *((edge, edge) for edge in padding)))
    reach = [(size - 1) * step + 1 for size, step in zip(weight_shape[2:], dilation, strict=True)]
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
    return windows[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]


def max_pool2d(x: np.ndarray, size: int, stride: int) -> np.ndarray:
    """Return the maximum of every window."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))
    return windows[:, :, ::stride, ::stride].max(axis=(4, 5))


def softmax_cross_entropy(logits: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean loss in double precision."""
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    log_sum = np.log(np.exp(shifted).sum(axis=1))
    return float(np.mean(log_sum - shifted[np.arange(len(labels)), labels]))


def softmax_bound(logits: np.ndarray) -> float:
    """Return how far a loss may be off: its terms are exp, log and differences of logits.

    exp and log are good to 3 units in the last place (OpenCL 1.2, table 7.4's full profile); the
    error of a sum of exp is relative and so passes through log as an absolute one.
    """
    rows, columns = logits.shape
    spread = float(np.ptp(logits)) + np.log(columns)
    return float(rounding_bound(columns + rows + 16, 2 * spread + 2))


def normal(generator: np.random.Generator, *shape: int) -> np.ndarray:
    """Return float32 values around zero."""
    return generator.normal(size=shape).astype(np.float32)


def apart(generator: np.random.Generator, *shape: int) -> np.ndarray:
    """Return values that differ by at least 0.1 and stay 0.05 away from zero.

    Finite differences need that where a function has kinks: at zero for relu, at ties for maxima.
    """
    count = int(np.prod(shape))
    values = (generator.permutation(count) - count // 2) * 0.1 + 0.05
    return values.reshape(shape).astype(np.float32)
