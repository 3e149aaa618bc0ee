# SPDX-License-Identifier: MIT
"""Turns measurements, or why there are none, into a decision and one plain sentence."""

from collections.abc import Sequence

import numpy as np

from clprobe.bench.proof import Proof
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.timing.statistics import Estimate
from clprobe.model.measurement import (
    BenchVerdict,
    Decision,
    Result,
    ResultStatus,
    Training,
    within_of,
)
from clprobe.model.workload import WholeTraining

_ALIKE = 1.25
"""What neither may be faster by if two are to be called the same."""
_NOISY = "too noisy"
_DISTURBED = "other programs were busy"
_ADVICE: dict[Decision, str] = {
    "refused": "Do not use it for",
    "cpu": "Use the CPU for",
    "unclear": "No verdict on",
}


def judge(  # noqa: PLR0913 - one argument per fact
    workload: str,
    device: str,
    ratio: Estimate,
    *,
    reference: str,
    is_cpu: bool,
    was_disturbed: bool = False,
) -> BenchVerdict:
    """Return the verdict on a device whose results are right; `ratio` above 1: it is faster."""
    why = ""
    decision = decide(ratio)
    subject = "this OpenCL device, itself the CPU," if is_cpu else "the device"
    low, high = ratio.ci95
    if decision == "unclear":
        why = _DISTURBED if was_disturbed else _NOISY
        text = (
            f"On {workload} nobody can tell from these samples whether {subject} or {reference} is "
            f"faster: the device is between {low:.2g} and {high:.2g} times as fast ({why})."
        )
    elif decision == "no-difference":
        within = round(100 * (within_of(ratio.ci95) - 1))
        text = f"On {workload} {subject} and {reference} are equally fast, within {within} percent."
    else:
        faster = decision == "device"
        factor = _factor(ratio.median if faster else 1 / ratio.median)
        speed, choice = ("faster", "device") if faster else ("slower", "CPU")
        if is_cpu:
            choice = "OpenCL" if faster else reference.split(maxsplit=1)[0]
        text = f"On {workload} {subject} is {factor} {speed} than {reference}: use {_the(choice)}."
    return _verdict(workload, device, decision, text, ratio, against=reference, why=why)


def price(
    workload: str, device: str, ratio: Estimate, *, latency_us: float, reference: str
) -> BenchVerdict:
    """Return the verdict on what any kernel costs at least, which no CPU call can lose to."""
    shown = f"{latency_us:.0f}" if latency_us >= 10 else f"{latency_us:.2g}"
    text = f"Starting a kernel costs {shown} µs: work that {reference} finishes sooner stays there."
    return _verdict(workload, device, decide(ratio), text, ratio, against=reference)


def decide(ratio: Estimate) -> Decision:
    """Return who wins; nobody, if the interval leaves it open, narrow or wide."""
    low, high = ratio.ci95
    if low > 1:
        return "device"
    if high < 1:
        return "cpu"
    return "unclear" if within_of(ratio.ci95) > _ALIKE else "no-difference"


def without_ratio(workload: str, device: str, decision: Decision, problem: str) -> BenchVerdict:
    """Return the verdict on a device that has no figures; `problem` is a clause.

    refused: it must not be used for this; cpu: its results are right but take too long to measure;
    unclear: nothing speaks for it or against it.
    """
    return _verdict(workload, device, decision, f"{_ADVICE[decision]} {workload}: {problem}")


def _verdict(  # noqa: PLR0913 - one argument per fact
    workload: str,
    device: str,
    decision: Decision,
    text: str,
    ratio: Estimate | None = None,
    *,
    against: str = "",
    why: str = "",
) -> BenchVerdict:
    return BenchVerdict(
        workload=workload,
        device=device,
        ratio=ratio.median if ratio else None,
        ci95=ratio.ci95 if ratio else None,
        decision=decision,
        text=text,
        against=against,
        why=why,
    )


def too_long(what: str, seconds: float) -> str:
    """Return why something whose first results were right is not timed."""
    shown = f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"
    return f"{what} would take {shown} s, longer than the time that is left for it."


def without_figures(  # noqa: PLR0913 - one argument per fact
    started: Started,
    label: str,
    status: ResultStatus,
    problem: str,
    *,
    proof: Proof | None = None,
    losses: Sequence[float] = (),
    is_slower: bool = True,
) -> Outcome:
    """Return what to report of a workload that has no figures; `problem` is a clause.

    `is_slower`: of one that is skipped, whether it is known to be nothing for the device.
    """
    result = Result(
        device=label,
        workload=started.name,
        metric=started.metric,
        unit=started.unit,
        median=None,
        ci95=None,
        samples=0,
        status=status,
        max_error=None if proof is None else proof.max_error,
        tolerance=None if proof is None else proof.tolerance,
        detail=problem,
        batch=started.batch,
    )
    decision: Decision = "refused"
    # What clprobe has no counterpart for is no fault of the device.
    if status in ("skipped", "unsupported"):
        decision = "cpu" if status == "skipped" and is_slower else "unclear"
    return Outcome(
        results=(result,),
        # Build logs have many lines; the first says what failed.
        verdict=without_ratio(started.name, label, decision, problem.partition("\n")[0]),
        training=_training(started, result, proof, losses),
    )


def _factor(factor: float) -> str:
    if factor < 1.1:
        return f"{100 * (factor - 1):.0f} percent"
    return f"{factor:.1f} times" if factor < 10 else f"{factor:.0f} times"


def _the(choice: str) -> str:
    return f"the {choice}" if choice in ("device", "CPU") else choice


def _training(
    started: Started, result: Result, proof: Proof | None, losses: Sequence[float]
) -> Training | None:
    if not isinstance(started.workload, WholeTraining):
        return None
    return Training(
        device=result.device,
        model=started.workload.net,
        # JSON knows no infinity and no NaN.
        loss=tuple(loss for loss in losses if np.isfinite(loss)),
        accuracy=None,
        samples_per_second=None,
        matches_reference=None if proof is None else proof.holds,
        status=result.status,
        detail=result.detail,
    )
