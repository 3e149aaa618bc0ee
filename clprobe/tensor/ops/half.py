# SPDX-License-Identifier: MIT
"""Conversions to half precision and back. Half values are stored, not calculated with."""

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.launching import launch_values
from clprobe.tensor.ops.elementwise import apply
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


def halved(x: Array, *, keep: bool) -> Result:
    """Return half values for the tape, and keep them for the next time; their gradient is float."""
    return Result(kept_half(x) if keep else to_half(x), (lambda dy: dy,))


def floated(x: Array) -> Result:
    """Return float values for the tape."""
    return Result(to_float(x), (lambda dy: dy,))
