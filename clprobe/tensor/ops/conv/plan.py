# SPDX-License-Identifier: MIT
"""What the algorithms of a convolution share: its directions, and the form of their answer."""

from collections.abc import Callable
from enum import Enum

from clprobe.tensor.array import Array
from clprobe.tensor.ops.epilogue import Epilogue


class Direction(Enum):
    """Which of the three arrays of a convolution is computed from the other two."""

    FORWARD = "forward"
    """(images, filters) to result."""
    INPUT_GRADIENT = "input_gradient"
    """(gradient of the result, filters) to gradient of the images."""
    WEIGHT_GRADIENT = "weight_gradient"
    """(gradient of the result, images) to gradient of the filters."""


Plan = Callable[[Array, Array, Epilogue], Array]
"""Computes one direction with kernels that are built; its operands are in Direction's order.

Neither operand nor result is without elements. The weight gradient ignores the epilogue.
"""
