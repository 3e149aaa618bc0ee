# SPDX-License-Identifier: MIT
"""Dropout from a counter-based generator; the gradient draws the same numbers again."""

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.device import Device
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.launching import launch_values
from clprobe.tensor.tape import Result

_FILE = "dropout/dropout.cl"
_WORDS = 1 << 32


class RandomStream:
    """A seed, and a count of the draws made from it, which lies on the device.

    Two streams of one seed draw the same numbers, on any two devices; a captured step that draws
    gets new numbers whenever it is replayed.

    **Source** Salmon, Moraes, Dror & Shaw 2011, Parallel random numbers: as easy as 1, 2, 3.
    """

    def __init__(self, device: Device, seed: int) -> None:
        self.device = device
        self.seed = seed % (1 << 64)
        self._draws = Array.from_numpy(np.zeros(2, np.int32), device)

    def draw(self) -> Array:
        """Return the number of the next draw, which stays on the device."""
        number = Array.empty(self.device, (2,), np.int32)
        kernel = self.device.programs.kernel(_FILE, "next_draw", {})
        self.device.launch(kernel, (1,), (1,), (self._draws.changing_buffer(), number.buffer))
        return number


def dropout(x: Array, rate: float, stream: RandomStream) -> Result:
    """Return x with each value made zero with probability `rate`, the others scaled to make up.

    **Raises** ShapeError for a rate that is no probability.
    """
    if not 0 <= rate <= 1:
        raise ShapeError(f"A dropout rate of {rate} is no probability.")
    if rate == 0 or not x.size:
        return Result(x, (lambda dy: dy,))
    number, scale = stream.draw(), 1 / (1 - rate) if rate < 1 else 0.0

    def kept(values: Array) -> Array:
        return _kept(values, rate, stream, number, scale)

    return Result(kept(x), (kept,))


def truths(stream: RandomStream, shape: Shape, share: float) -> Array:
    """Return ones, each with probability `share`, and zeros."""
    ones = Array.full(stream.device, shape, 1.0)
    return _kept(ones, 1 - share, stream, stream.draw(), scale=1.0) if ones.size else ones


def random_values(stream: RandomStream, shape: Shape, *, normal: bool) -> Array:
    """Return values drawn evenly from 0 up to 1, or normal with mean 0 and deviation 1."""
    y = Array.empty(stream.device, shape)
    if y.size:
        arrays = (y.buffer, stream.draw().buffer)
        values = (*arrays, np.uint64(y.size), np.uint64(stream.seed))
        launch_values(
            *(stream.device, "random/draws.cl", "random_values", -(-y.size // 4), values),
            defines={"NORMAL": int(normal)},
        )
    return y


def _kept(x: Array, rate: float, stream: RandomStream, number: Array, scale: float) -> Array:
    y = Array.empty(x.device, x.shape)
    threshold = min(round((1 - rate) * _WORDS), _WORDS - 1)
    arrays = (x.buffer, y.buffer, number.buffer)
    blocks = -(-x.size // 4)
    sizes = (np.uint64(x.size), np.uint64(max(0, x.size - 3 * blocks)))
    scalars = (np.uint64(stream.seed), np.uint32(threshold), np.float32(scale))
    launch_values(x.device, _FILE, "dropout", blocks, arrays + sizes + scalars)
    return y
