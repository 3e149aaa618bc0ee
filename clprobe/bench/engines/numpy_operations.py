# SPDX-License-Identifier: MIT
"""The operations in NumPy, in the precision of their operands.

In float32 they are the NumPy reference; in float64 what every engine's result is held to.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


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
