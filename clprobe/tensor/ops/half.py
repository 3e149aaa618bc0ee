# SPDX-License-Identifier: MIT
"""Conversions to half precision and back. Half values are stored, not calculated with."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.launching import launch_values
from clprobe.tensor.tape import Result


def to_half(x: Array) -> Array:
    """Return float values rounded to half; what exceeds 65504 becomes infinite."""
    if x.dtype == np.float16:
        return x
    y = Array.empty(x.device, x.shape, np.float16)
    if y.size:
        arguments = (x.buffer, y.buffer, np.uint64(x.size))
        launch_values(x.device, "half/to_half.cl", "to_half", x.size, arguments)
    return y


def to_float(x: Array) -> Array:
    """Return half values as float, which holds them exactly; float values as they are."""
    return apply("unchanged", x) if x.dtype == np.float16 else x


def halved(x: Array) -> Result:
    """Return half values for the tape; their gradient stays in float."""
    return Result(to_half(x), (lambda dy: dy,))


def floated(x: Array) -> Result:
    """Return float values for the tape."""
    return Result(to_float(x), (lambda dy: dy,))
