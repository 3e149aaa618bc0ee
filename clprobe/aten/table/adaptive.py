# SPDX-License-Identifier: MIT
"""Averages of as many windows as are asked for; where they overlap, by products with matrices."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running
from clprobe.aten.table.elementwise import held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array, Shape
from clprobe.tensor.ops.matmul import matmul_forward
from clprobe.tensor.ops.pool import Window, avg_pool2d, avg_pool2d_gradient

ENTRIES = Entries()


@ENTRIES.of("_adaptive_avg_pool2d.default")
def _adaptive(run: Running, x: Held, out: Sequence[int]) -> Held:
    sizes = (out[0], out[1])
    window = _even(x.shape, sizes)
    if window is not None:
        return held(avg_pool2d(run.dense(x), window).value)
    rows, columns = _matrices(run, x.shape, sizes)
    planes = _planes(run.dense(x))
    y = matmul_forward(rows, matmul_forward(planes, columns, transpose_b=True))
    return held(y.reshape((*x.shape[:2], *sizes)))


@ENTRIES.of("_adaptive_avg_pool2d_backward.default")
def _adaptive_backward(run: Running, dy: Held, x: Held) -> Held:
    sizes = (dy.shape[-2], dy.shape[-1])
    window = _even(x.shape, sizes)
    if window is not None:
        return held(avg_pool2d_gradient(run.dense(dy), x.shape, window))
    rows, columns = _matrices(run, x.shape, sizes)
    dx = matmul_forward(rows, matmul_forward(_planes(run.dense(dy)), columns), transpose_a=True)
    return held(dx.reshape(x.shape))


def _even(shape: Shape, out: tuple[int, int]) -> Window | None:
    """Return the windows that cut an image evenly; None where they overlap.

    **Raises** NotHereError for a single image.
    """
    if len(shape) != 4:
        raise NotHereError("a single image")
    if any(size % count for size, count in zip(shape[2:], out, strict=True)):
        return None
    size = (shape[2] // out[0], shape[3] // out[1])
    return Window(size=size, stride=size)


def _matrices(run: Running, shape: Shape, out: tuple[int, int]) -> tuple[Array, Array]:
    """Return the weights of each pixel in each average, of rows and of columns."""
    first, second = (
        run.constant(("averages", size, count), _averages(size, count))
        for size, count in zip(shape[2:], out, strict=True)
    )
    return first, second


def _averages(size: int, count: int) -> npt.NDArray[np.float32]:
    """Return the shares of `size` pixels in `count` windows, as torch cuts them."""
    weights = np.zeros((count, size), np.float32)
    for at in range(count):
        first, last = at * size // count, -(-(at + 1) * size // count)
        weights[at, first:last] = 1 / (last - first)
    return weights


def _planes(x: Array) -> Array:
    return x.reshape((x.shape[0] * x.shape[1], *x.shape[2:]))
