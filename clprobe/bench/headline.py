# SPDX-License-Identifier: MIT
"""The answer in one sentence: whether to use the device, and for what."""

from collections.abc import Sequence
from dataclasses import dataclass

from clprobe.model.measurement import (
    BenchReport,
    BenchVerdict,
    cpu_devices,
    short_names,
)
from clprobe.model.workload import Inference, is_training, net_of, workload_named


def headline(report: BenchReport) -> tuple[str, str]:
    """Return the device that does best and the sentence about it; "" where nothing was measured."""
    devices = dict.fromkeys(verdict.device for verdict in report.verdicts)
    said = [(*_of(report, device), device) for device in devices]
    _, sentence, best = min(said, default=(0, "", ""))
    return best, sentence


@dataclass(frozen=True, slots=True)
class _Words:
    """How a device and what it is held against are called."""

    device: str
    """As in "train on"."""
    cpu: str
    """What it is held against."""


def _words(report: BenchReport, device: str) -> _Words:
    name = short_names(report.contestants).get(device, device)
    if device in cpu_devices(report.results, report.contestants):
        # The CPU is no other than itself: it is the way there that is judged.
        return _Words(f"{name} (OpenCL on your CPU)", "your CPU without OpenCL")
    return _Words(f"the {name}", "your CPU")


def _of(report: BenchReport, device: str) -> tuple[int, str]:
    """Return the sentence about one device, and how good it is: 0 is the best."""
    words = _words(report, device)
    costs = {(one.device, one.workload) for one in report.results if one.metric == "latency"}
    judged = [
        one
        for one in report.verdicts
        if one.device == device and (one.device, one.workload) not in costs
    ]
    refused = [one for one in judged if one.decision == "refused"]
    if refused:
        count = f"{len(refused)} of {len(judged)} workloads"
        return 6, f"No: do not use {words.device}; it fails {count}."
    compared = [one for one in judged if one.ratio is not None]
    trained = [one for one in compared if is_training(one.workload)]
    used = [one for one in compared if isinstance(workload_named(one.workload), Inference)]
    chosen, what = (trained, "train") if trained else (compared, "compute")
    wins = [one for one in chosen if one.decision == "device"]
    if wins:
        nets, where = _where(report, device, chosen, wins)
        factors = f"{_factors(wins)} times {words.cpu}"
        return 0, f"Yes: {what}{nets} on {words.device}{where}, {factors}."
    gains = [one for one in used if one.decision == "device"]
    if trained and gains:
        _, where = _where(report, device, used, gains)
        factors = f"{_factors(gains)} times {words.cpu}"
        return 1, f"Yes, to use nets, not to train them: {words.device}{where}, {factors}."
    if not chosen:
        own = [one for one in report.results if one.device == device and one.metric != "latency"]
        late = bool(own) and all(one.status == "skipped" for one in own)
        why = " in the time that there was; run again when idle" if late else ""
        return 5, f"Unclear: nothing could be compared on {words.device}{why}."
    return _without_wins(words, chosen)


def _without_wins(words: _Words, chosen: Sequence[BenchVerdict]) -> tuple[int, str]:
    lost, unclear = (
        [one for one in chosen if one.decision == decision] for decision in ("cpu", "unclear")
    )
    if len(lost) == len(chosen):
        factors = f"{_factors(lost)} times {words.device}"
        return 4, f"No: {words.cpu} is faster at everything measured, {factors}."
    if not lost and not unclear:
        return 2, f"The same: {words.device} and {words.cpu} are equally fast at all measured."
    if not unclear:
        return 4, f"No: {words.cpu} is as fast as {words.device} or faster at everything measured."
    reasons = dict.fromkeys(one.why for one in unclear if one.why)
    why = f" ({' or '.join(reasons)})" if reasons else ""
    if not lost:
        return 3, (
            f"Unclear: nobody can tell whether {words.device} or {words.cpu} is faster{why}; run "
            "again when idle."
        )
    return 3, (
        f"Unclear: {words.cpu} is faster than {words.device} at {len(lost)} of {len(chosen)}, and "
        f"the rest cannot be told{why}; run again when idle."
    )


def _where(
    report: BenchReport,
    device: str,
    chosen: Sequence[BenchVerdict],
    wins: Sequence[BenchVerdict],
) -> tuple[str, str]:
    """Return of which nets, if not of all, and at which batches."""
    if len(wins) == len(chosen):
        return "", ""
    steps = {
        one.workload: (net, one.batch)
        for one in report.results
        if one.device == device and one.batch is not None and (net := net_of(one)) is not None
    }
    if all(one.workload in steps for one in chosen):
        nets = dict.fromkeys(steps[one.workload][0] for one in wins)
        decided = [(steps[one.workload], one.decision) for one in chosen]
        won = [batch for (net, batch), decision in decided if decision == "device"]
        lost = [batch for (net, batch), decision in decided if net in nets and decision != "device"]
        all_nets = {net for (net, _), _ in decided}
        named = "" if set(nets) == all_nets else f" {' and '.join(nets)}"
        if not lost:
            return named, ""
        if min(won) > max(lost):
            return named, f" from batch {min(won)} on"
    return "", f" in {len(wins)} of {len(chosen)} cases"


def _factors(verdicts: Sequence[BenchVerdict]) -> str:
    """Return by how much the faster side was, the least to the most."""
    factors = [max(one.ratio or 1, 1 / (one.ratio or 1)) for one in verdicts]
    ends = dict.fromkeys(
        f"{each:.1f}" if each < 10 else f"{each:.0f}" for each in (min(factors), max(factors))
    )
    return " to ".join(ends)
