# SPDX-License-Identifier: MIT
"""What other programs used of the CPU while bench measured, as its documents have it."""

from clprobe.model.measurement import BenchReport

HOST_KEY = "other_load_percent"
"""Where documents of earlier versions keep it, and no fact of the host."""
_LOADED_PERCENT = 10


def other_load(report: BenchReport) -> int | None:
    """Return their share of the CPU in percent; None: unknown."""
    if report.conditions.other_load_percent is not None:
        return report.conditions.other_load_percent
    load = report.host.get(HOST_KEY)
    return load if isinstance(load, int) else None


def was_loaded(report: BenchReport) -> bool:
    """Return whether they did so much that the figures may be off."""
    return (other_load(report) or 0) > _LOADED_PERCENT
