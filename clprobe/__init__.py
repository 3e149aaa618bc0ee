# SPDX-License-Identifier: MIT
"""clprobe: why OpenCL devices are missing, how to fix it, and whether they beat the CPU."""

__version__ = "0.1.0"
