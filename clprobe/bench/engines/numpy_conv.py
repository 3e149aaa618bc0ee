# SPDX-License-Identifier: MIT
"""3x3 convolution padded by 1 as a matrix product, in the precision of its operands.

In float32 this is the NumPy reference; in float64 it is what every engine's result is held to.
"""

from typing import Any

import numpy as np


def conv_forward(x: np.ndarray[Any, Any], weight: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the convolution. **Shapes** (n, c, h, w), (k, c, 3, 3), result (n, k, h, w)."""
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
