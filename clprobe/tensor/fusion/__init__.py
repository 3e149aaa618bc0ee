# SPDX-License-Identifier: MIT
"""Elementwise expressions become one kernel each, when somebody needs their values.

`plan` walks an expression, `source` writes the kernel, `launch` runs it.
"""

from clprobe.tensor.fusion.launch import compute, compute_all, compute_readers
from clprobe.tensor.fusion.plan import fits, largest

__all__ = ["compute", "compute_all", "compute_readers", "fits", "largest"]
