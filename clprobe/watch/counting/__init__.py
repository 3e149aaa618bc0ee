# SPDX-License-Identifier: MIT
"""Counts the kernels that a program enqueues on each device, from inside it."""

from clprobe.watch.counting.building import library
from clprobe.watch.counting.records import (
    DeviceCounts,
    Outcome,
    ProcessCounts,
    read_counts,
)
from clprobe.watch.counting.summary import failed_calls, kernel_uses

__all__ = [
    "DeviceCounts",
    "Outcome",
    "ProcessCounts",
    "failed_calls",
    "kernel_uses",
    "library",
    "read_counts",
]
