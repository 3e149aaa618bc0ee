# SPDX-License-Identifier: MIT
"""Sums the records of a program's processes up to facts about the program."""

from collections import Counter
from collections.abc import Iterable

from clprobe.model.program import FailedCall, KernelUse
from clprobe.model.unknown import Fact, Unknown, known
from clprobe.watch.counting.records import DeviceCounts, ProcessCounts


def kernel_uses(processes: Iterable[ProcessCounts], elapsed_ns: int) -> tuple[KernelUse, ...]:
    """Return what ran on each device in `elapsed_ns`, most first."""
    by_device: dict[tuple[str, str], list[DeviceCounts]] = {}
    for process in processes:
        for device in process.devices:
            if device.enqueued or device.failed:  # others only had a queue
                by_device.setdefault((device.platform, device.name), []).append(device)
    uses = (_use(counts, elapsed_ns) for counts in by_device.values())
    return tuple(sorted(uses, key=lambda use: -(known(use.kernels) or 0)))


def failed_calls(processes: Iterable[ProcessCounts]) -> tuple[FailedCall, ...]:
    """Return which calls returned which errors, in the order in which they were met."""
    times: Counter[tuple[str, int]] = Counter()
    for process in processes:
        for outcome in process.outcomes:
            if outcome.code != 0:
                times[outcome.call, outcome.code] += outcome.count
    return tuple(
        FailedCall(call=call, error_code=code, times=count) for (call, code), count in times.items()
    )


def _use(counts: list[DeviceCounts], elapsed_ns: int) -> KernelUse:
    first = counts[0]
    errors = [one.last_error for one in counts if one.last_error is not None]
    nobody = Unknown("nobody could tell on which device")
    return KernelUse(
        device=first.name or nobody,
        platform=first.platform or nobody,
        type=first.type,
        kernels=sum(one.enqueued for one in counts),
        refused=sum(one.failed for one in counts),
        error_code=errors[-1] if errors else None,
        busy_share=_share([one.device_ns for one in counts], elapsed_ns),
    )


def _share(times: list[Fact[int]], elapsed_ns: int) -> Fact[float]:
    total_ns = 0
    for time_ns in times:
        if isinstance(time_ns, Unknown):
            return time_ns
        total_ns += time_ns
    # Kernels that run side by side, and estimates, may be more than the time there is.
    return min(1.0, total_ns / elapsed_ns) if elapsed_ns > 0 else Unknown("it took no time")
