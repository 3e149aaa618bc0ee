# SPDX-License-Identifier: MIT
"""Conversions to half precision and back. Half values are stored, not calculated with."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.launching import launch_values
from clprobe.tensor.ops.arguments import arguments
from clprobe.tensor.ops.elementwise import apply


def to_half(x: Array) -> Array:
    """Return float values rounded to half; what exceeds 65504 becomes infinite."""
    if x.dtype == np.float16:
        return x
    y = Array.empty(x.device, x.shape, np.float16)
    if y.size:
        values = arguments(x, y, np.uint64(x.size))
        launch_values(x.device, "half/to_half.cl", "to_half", x.size, values)
    return y


def kept_half(x: Array) -> Array:
    """Return values rounded to half, the same copy until they change; for parameters."""
    known, era = x.storage.half, x.device.era
    if known is None or known[0] != era:
        known = x.storage.half = (era, to_half(x).storage)
    return Array(x.device, x.shape, np.dtype(np.float16), known[1])


def to_float(x: Array) -> Array:
    """Return half values as float, which holds them exactly; float values as they are."""
    return apply("unchanged", x) if x.dtype == np.float16 else x


def all_half(*arrays: Array) -> bool:
    """Return whether all are stored in half; what is computed from them is then, too."""
    return all(array.dtype == np.float16 for array in arrays)


def half_define(name: str, array: Array) -> dict[str, int]:
    """Return the define that says to a kernel that an array is stored in half; none if not."""
    return {name: 1} if array.dtype == np.float16 else {}
