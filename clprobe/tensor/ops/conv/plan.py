# SPDX-License-Identifier: MIT
"""What the algorithms of a convolution share: its directions, and the form of their answer."""

from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from clprobe.tensor.array import Array
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import to_float, to_half


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


def in_float(plan: Plan) -> Plan:
    """Return the plan of an algorithm that takes and stores floats, for arrays of either kind."""

    def converted(first: Array, second: Array, epilogue: Epilogue) -> Array:
        in_half, epilogue = epilogue.half, replace(epilogue, half=False)
        result = plan(to_float(first), to_float(second), epilogue)
        return to_half(result) if in_half else result

    return converted
