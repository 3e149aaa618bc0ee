# SPDX-License-Identifier: MIT
"""What bench tells of itself while it measures."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """What a device does now, and how many of its workloads are done."""

    device: str
    workload: str
    """Or what comes before or after them, in words."""
    done: int
    total: int


Progress = Callable[[Step], None]
