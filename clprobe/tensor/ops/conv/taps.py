# SPDX-License-Identifier: MIT
"""Turns a convolution, or its gradient for the images, into sums over shifted planes.

Both are the same sum once the images are split into planes, one for each phase of the stride: every
tap of a filter then meets its values at a fixed distance from the output. The gradient has a sum of
its own for each phase of its outputs, for only every stride-th tap meets an output there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Taps:
    """One sum over shifted planes; pairs give the vertical value first."""

    kernel: tuple[int, ...]
    """Which value of a filter's kernel each tap is."""
    phase: tuple[int, ...]
    """Which plane each tap reads."""
    shift: tuple[Pair, ...]
    """How far down and across in the plane each tap reads, never negative."""
    origins: tuple[Pair, ...]
    """Which pixel of the images is the first of each plane; it may lie outside."""
    step: Pair
    """Pixels of the images between neighbours in a plane."""
    outputs: Pair
    """How many outputs the sum has."""
    first: Pair
    """Where the first output lies."""
    spread: Pair
    """How far apart the outputs lie."""

    @property
    def reach(self) -> Pair:
        """Return how many rows and columns a plane needs beyond those of the outputs."""
        down, across = zip(*self.shift, strict=True) if self.shift else ((0,), (0,))
        return max(down), max(across)


@dataclass(frozen=True, slots=True)
class _Line:
    """Taps along one axis."""

    taps: tuple[tuple[int, int, int], ...]
    """Index in the kernel, phase, and shift, which may be negative."""
    outputs: int

    @property
    def lowest(self) -> int:
        return min((shift for _, _, shift in self.taps), default=0)


def taps_of(direction: Direction, geometry: Geometry) -> tuple[Taps, ...]:
    """Return the sums that make the convolution, or else its gradient for the images."""
    if direction is Direction.FORWARD:
        return (forward_taps(geometry),)
    return tuple(_input_gradient_taps(geometry))


def forward_taps(geometry: Geometry) -> Taps:
    """Return the sum that makes the convolution."""
    down, across = (_forward_line(geometry, axis) for axis in (0, 1))
    return _taps(geometry, (down, across), geometry.stride, (0, 0), (1, 1))


def _input_gradient_taps(geometry: Geometry) -> Iterator[Taps]:
    """Yield the sums that make the gradient for the images, together covering all of it."""
    for first in product(*(range(step) for step in geometry.stride)):
        down, across = (_gradient_line(geometry, axis, first[axis]) for axis in (0, 1))
        if down.outputs and across.outputs:
            yield _taps(geometry, (down, across), (1, 1), (first[0], first[1]), geometry.stride)


def _forward_line(geometry: Geometry, axis: int) -> _Line:
    stride, kernel = geometry.stride[axis], geometry.kernel[axis]
    places = [i * geometry.dilation[axis] - geometry.padding[axis] for i in range(kernel)]
    taps = ((i, place % stride, place // stride) for i, place in enumerate(places))
    return _Line(tuple(taps), geometry.outputs[axis])


def _gradient_line(geometry: Geometry, axis: int, first: int) -> _Line:
    stride, kernel = geometry.stride[axis], geometry.kernel[axis]
    size = (geometry.height, geometry.width)[axis]
    places = [first + geometry.padding[axis] - i * geometry.dilation[axis] for i in range(kernel)]
    taps = ((i, 0, place // stride) for i, place in enumerate(places) if place % stride == 0)
    return _Line(tuple(taps), -(-(size - first) // stride))


def _taps(
    geometry: Geometry, lines: tuple[_Line, _Line], step: Pair, first: Pair, spread: Pair
) -> Taps:
    down, across = lines
    pairs = list(product(down.taps, across.taps))
    phases = sorted({(y[1], x[1]) for y, x in pairs})
    return Taps(
        kernel=tuple(y[0] * geometry.kernel_width + x[0] for y, x in pairs),
        phase=tuple(phases.index((y[1], x[1])) for y, x in pairs),
        shift=tuple((y[2] - down.lowest, x[2] - across.lowest) for y, x in pairs),
        origins=tuple((down.lowest * step[0] + y, across.lowest * step[1] + x) for y, x in phases),
        step=step,
        outputs=(down.outputs, across.outputs),
        first=first,
        spread=spread,
    )
