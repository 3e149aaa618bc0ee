# SPDX-License-Identifier: MIT
"""The answer in one sentence: whether to use the device, and for what."""

from collections.abc import Sequence

from clprobe.model.measurement import BenchReport, BenchVerdict
from clprobe.model.workload import Operation, net_of, workload_named


def headline(report: BenchReport) -> str:
    """Return the sentence about the device that does best; "" where nothing was measured."""
    devices = dict.fromkeys(verdict.device for verdict in report.verdicts)
    said = [_of(report, device) for device in devices]
    return min(said, default=(0, ""))[1]


def _of(report: BenchReport, device: str) -> tuple[int, str]:
    """Return the sentence about one device, and how good it is: 0 is the best."""
    costs = {(one.device, one.workload) for one in report.results if one.metric == "latency"}
    judged = [
        one
        for one in report.verdicts
        if one.device == device and (one.device, one.workload) not in costs
    ]
    refused = [one for one in judged if one.decision == "refused"]
    if refused:
        count = f"{len(refused)} of {len(judged)} workloads"
        return 4, f"No: do not use {device}; it fails {count}."
    compared = [one for one in judged if one.ratio is not None]
    trained = [one for one in compared if not isinstance(workload_named(one.workload), Operation)]
    chosen, what = (trained, "train") if trained else (compared, "compute")
    wins = [one for one in chosen if one.decision == "device"]
    if wins:
        where = _where(report, device, chosen, wins)
        return 0, f"Yes: {what} on {device}{where}, {_factors(wins)} times your CPU."
    if not chosen:
        return 3, f"Unclear: nothing could be compared on {device}."
    lost = [one for one in chosen if one.decision == "cpu"]
    if len(lost) == len(chosen):
        inverse = _factors(lost)
        return 2, f"No: your CPU is faster at everything measured, {inverse} times {device}."
    if all(one.decision == "no-difference" for one in chosen):
        return 1, f"No difference: {device} and your CPU are equally fast at all that was measured."
    return 2, (
        f"Unclear: {device} wins nothing that was measured; the CPU is faster at {len(lost)} of "
        f"{len(chosen)}, and the rest is too close to call."
    )


def _where(
    report: BenchReport,
    device: str,
    chosen: Sequence[BenchVerdict],
    wins: Sequence[BenchVerdict],
) -> str:
    if len(wins) == len(chosen):
        return ""
    batches = {
        one.workload: one.batch
        for one in report.results
        if one.device == device and net_of(one) is not None and one.batch is not None
    }
    won = {batches[one.workload] for one in wins if one.workload in batches}
    lost = {
        batches[one.workload]
        for one in chosen
        if one.decision != "device" and one.workload in batches
    }
    if won and lost and len(batches) >= len(chosen) and min(won) > max(lost):
        return f" from batch {min(won)} on"
    return f" for {len(wins)} of {len(chosen)} workloads"


def _factors(verdicts: Sequence[BenchVerdict]) -> str:
    """Return by how much the faster side was, the least to the most."""
    factors = [max(one.ratio or 1, 1 / (one.ratio or 1)) for one in verdicts]
    ends = dict.fromkeys(
        f"{each:.1f}" if each < 10 else f"{each:.0f}" for each in (min(factors), max(factors))
    )
    return " to ".join(ends)
