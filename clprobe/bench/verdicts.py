# SPDX-License-Identifier: MIT
"""Turns measurements into a decision and one plain sentence."""

from clprobe.bench.timing.statistics import Estimate
from clprobe.model.measurement import BenchVerdict, Decision

# An interval wider than this does not show that two are alike.
_TELLING = 2.0


def judge(
    workload: str, device: str, ratio: Estimate, *, reference: str, is_cpu: bool
) -> BenchVerdict:
    """Return the verdict on a device whose results are right; `ratio` above 1: it is faster."""
    decision = decide(ratio)
    subject = "this OpenCL device, itself the CPU," if is_cpu else "the device"
    low, high = ratio.ci95
    if decision == "unclear":
        text = (
            f"On {workload} nobody can tell from these samples whether {subject} or {reference} is "
            f"faster: the device is between {low:.2g} and {high:.2g} times as fast."
        )
    elif decision == "no-difference":
        text = f"On {workload} {subject} and {reference} are equally fast, as far as this shows."
    else:
        faster = decision == "device"
        factor = _factor(ratio.median if faster else 1 / ratio.median)
        speed, choice = ("faster", "device") if faster else ("slower", "CPU")
        if is_cpu:
            choice = "OpenCL" if faster else reference.split(maxsplit=1)[0]
        text = f"On {workload} {subject} is {factor} {speed} than {reference}: use {_the(choice)}."
    return BenchVerdict(
        workload=workload,
        device=device,
        ratio=ratio.median,
        ci95=ratio.ci95,
        decision=decision,
        text=text,
    )


def price(
    workload: str, device: str, ratio: Estimate, *, latency_us: float, reference: str
) -> BenchVerdict:
    """Return the verdict on what any kernel costs at least, which no CPU call can lose to."""
    shown = f"{latency_us:.0f}" if latency_us >= 10 else f"{latency_us:.2g}"
    return BenchVerdict(
        workload=workload,
        device=device,
        ratio=ratio.median,
        ci95=ratio.ci95,
        decision=decide(ratio),
        text=f"Starting a kernel costs {shown} µs: work that {reference} finishes sooner stays "
        "there.",
    )


def decide(ratio: Estimate) -> Decision:
    """Return who wins; nobody, if the interval leaves it open, narrow or wide."""
    low, high = ratio.ci95
    if low > 1:
        return "device"
    if high < 1:
        return "cpu"
    return "unclear" if high > _TELLING * low else "no-difference"


def refuse(workload: str, device: str, problem: str) -> BenchVerdict:
    """Return the verdict on a device that must not be used for this."""
    return _without_figures(workload, device, "refused", f"Do not use it for {workload}: {problem}")


def too_slow(workload: str, device: str, problem: str) -> BenchVerdict:
    """Return the verdict on a device whose results are right but take too long to measure."""
    return _without_figures(workload, device, "cpu", f"Use the CPU for {workload}: {problem}")


def leave_open(workload: str, device: str, problem: str) -> BenchVerdict:
    """Return the verdict where nothing speaks for the device or against it."""
    return _without_figures(workload, device, "unclear", f"No verdict on {workload}: {problem}")


def _without_figures(workload: str, device: str, decision: Decision, text: str) -> BenchVerdict:
    return BenchVerdict(
        workload=workload, device=device, ratio=None, ci95=None, decision=decision, text=text
    )


def _factor(factor: float) -> str:
    if factor < 1.1:
        return f"{100 * (factor - 1):.0f} percent"
    return f"{factor:.1f} times" if factor < 10 else f"{factor:.0f} times"


def _the(choice: str) -> str:
    return f"the {choice}" if choice in ("device", "CPU") else choice
