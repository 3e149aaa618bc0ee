# SPDX-License-Identifier: MIT
"""How a device gets the batches that it trains on: copied, or written where it reads them."""

from clprobe.model.measurement import BenchReport, Result
from clprobe.report.bench.words import significant


def transfers_of(report: BenchReport, device: str) -> str:
    """Return a sentence on the largest batch of a device; "" where none was measured."""
    brought = [
        one
        for one in report.results
        if one.device == device and one.transfer_by is not None and one.batch is not None
    ]
    if not brought:
        return ""
    largest = max(brought, key=lambda one: one.transfer_copied_ms or 0.0)
    copied = f"copying it takes {significant(largest.transfer_copied_ms)} ms"
    return f"Transfer of a batch ({largest.workload}): {copied}{_rest(largest)}."


def _rest(largest: Result) -> str:
    if largest.transfer_mapped_ms is None:
        return ", for the device has memory of its own; the verdict counts that"
    mapped = f"mapping memory for it {significant(largest.transfer_mapped_ms)} ms"
    how = {"copied": "the copy", "mapped": "the map and writing it there"}
    counted = how[largest.transfer_by or "copied"]
    return f", {mapped}, as device and host share memory; the verdict counts {counted}"
