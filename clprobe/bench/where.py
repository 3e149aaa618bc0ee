# SPDX-License-Identifier: MIT
"""Tells where the work of a device really ran: on its own engines, or on the CPU."""

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from clprobe.bench.conditions.readings import engine_ns
from clprobe.model.measurement import RanOn

_WINDOWS = 2
_WINDOW_SECONDS = 0.03
_BUSY_ENGINE = 0.2
# A driver that waits by asking again and again keeps one processor busy, never two.
_COMPUTING_CORES = 1.5
_IDLE_CORES = 0.5
_SOFTWARE = re.compile(
    r"llvmpipe|softpipe|lavapipe|swiftshader|\bpocl\b|\bpthread\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Where:
    """How many processors this process kept busy while the device worked, and what follows."""

    cores: float
    ran_on: RanOn

    @property
    def cpu_share(self) -> float:
        """Return that as a share of all processors."""
        return min(1.0, self.cores / (os.cpu_count() or 1))


def watch(run: Callable[[], object], *, is_cpu: bool) -> Where:
    """Run for a while and return where the work went."""
    windows = [_window(run) for _ in range(_WINDOWS)]
    # Whatever else this process does, it does in one window more than in the other.
    cores = min(busy for busy, _ in windows)
    shares = [share for _, share in windows if share is not None]
    return Where(cores, ran_on(cores, max(shares, default=None), is_cpu=is_cpu))


def ran_on(cores: float, engine_share: float | None, *, is_cpu: bool) -> RanOn:
    """Return where the work ran; `engine_share`: of the time, the GPU's engines were busy."""
    if is_cpu:
        return "cpu"
    if engine_share is not None and engine_share >= _BUSY_ENGINE:
        return "device"
    if cores > _COMPUTING_CORES:
        return "cpu"
    return "device" if cores < _IDLE_CORES else "unknown"


def disguise(name: str, where: Where | None, *, is_cpu: bool) -> str | None:
    """Return what unmasks a device that calls itself a GPU and is none; None if nothing does."""
    if is_cpu:
        return None
    if _SOFTWARE.search(name):
        return f"it calls itself a GPU, but {name.strip()} is a program that computes on the CPU."
    if where is not None and where.ran_on == "cpu":
        return (
            f"it calls itself a GPU, but the CPU does its work: {where.cores:.1f} processors were "
            "busy while it computed, and no engine of a GPU."
        )
    return None


def _window(run: Callable[[], object]) -> tuple[float, float | None]:
    """Return how many processors were busy, and the share of the time that engines were."""
    engines, used, started = engine_ns(), time.process_time(), time.perf_counter()
    elapsed = 0.0
    while elapsed < _WINDOW_SECONDS:
        run()
        elapsed = time.perf_counter() - started
    engines_now = engine_ns()
    share = None if engines is None or engines_now is None else (engines_now - engines) / 1e9
    return (time.process_time() - used) / elapsed, None if share is None else share / elapsed
