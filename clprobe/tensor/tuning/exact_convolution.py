# SPDX-License-Identifier: MIT
"""A convolution and its gradients by their definition, in double precision on the host."""

from collections.abc import Iterator
from math import prod

import numpy as np
import numpy.typing as npt

from clprobe.tensor.ops.conv.geometry import Direction, Geometry

Values = npt.NDArray[np.floating]
Exact = npt.NDArray[np.float64]


def convolved(direction: Direction, geometry: Geometry, first: Values, second: Values) -> Exact:
    """Return one direction of a convolution; operands are in Direction's order."""
    compute = {
        Direction.FORWARD: _forward,
        Direction.INPUT_GRADIENT: _input_gradient,
        Direction.WEIGHT_GRADIENT: _weight_gradient,
    }[direction]
    return compute(geometry, first.astype(np.float64), second.astype(np.float64))


def _forward(geometry: Geometry, x: Exact, weight: Exact) -> Exact:
    y = np.zeros((geometry.images, *_grouped(geometry, geometry.filters), prod(geometry.outputs)))
    for row, column, seen in _places(geometry, _padded(geometry, x)):
        y += np.einsum(
            "ngcp,gfc->ngfp", _flat(geometry, seen), _taps(geometry, weight, row, column)
        )
    return y.reshape(geometry.output_shape)


def _input_gradient(geometry: Geometry, dy: Exact, weight: Exact) -> Exact:
    dx = _padded(geometry, np.zeros(geometry.input_shape))
    for row, column, seen in _places(geometry, dx):
        taps = _taps(geometry, weight, row, column)
        back = np.einsum("ngfp,gfc->ngcp", _flat(geometry, dy), taps)
        np.add(seen, back.reshape(seen.shape), out=seen)
    top, left = geometry.padding
    return dx[:, :, top : top + geometry.height, left : left + geometry.width]


def _weight_gradient(geometry: Geometry, dy: Exact, x: Exact) -> Exact:
    gradient = np.zeros(geometry.weight_shape)
    for row, column, seen in _places(geometry, _padded(geometry, x)):
        made = np.einsum("ngfp,ngcp->gfc", _flat(geometry, dy), _flat(geometry, seen))
        gradient[:, :, row, column] = made.reshape(gradient.shape[:2])
    return gradient


def _places(geometry: Geometry, padded: Exact) -> Iterator[tuple[int, int, Exact]]:
    """Yield each place of a filter, and a view of what it sees from all windows."""
    for row in range(geometry.kernel_height):
        for column in range(geometry.kernel_width):
            rows, columns = (
                slice(at * spread, at * spread + step * (count - 1) + 1, step)
                for at, spread, step, count in zip(
                    (row, column), geometry.dilation, geometry.stride, geometry.outputs, strict=True
                )
            )
            yield row, column, padded[:, :, rows, columns]


def _padded(geometry: Geometry, x: Exact) -> Exact:
    return np.pad(x, [(0, 0), (0, 0), *((pad, pad) for pad in geometry.padding)])


def _flat(geometry: Geometry, values: Exact) -> Exact:
    """Return images by group, channel and place."""
    return values.reshape(geometry.images, *_grouped(geometry, values.shape[1]), -1)


def _taps(geometry: Geometry, weight: Exact, row: int, column: int) -> Exact:
    """Return one place of all filters by group, filter and channel."""
    return weight[:, :, row, column].reshape(*_grouped(geometry, weight.shape[0]), -1)


def _grouped(geometry: Geometry, count: int) -> tuple[int, int]:
    return geometry.groups, count // geometry.groups
