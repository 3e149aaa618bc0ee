# SPDX-License-Identifier: MIT
"""Outcomes without figures: wrong, skipped or broken workloads."""

from collections.abc import Sequence

import numpy as np

from clprobe.bench.proof import Proof
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.verdicts import leave_open, refuse, too_slow
from clprobe.model.measurement import Result, ResultStatus, Training
from clprobe.model.workload import WholeTraining


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
    without_time = too_slow if is_slower else leave_open
    # What clprobe has no counterpart for is no fault of the device.
    conclude = {"skipped": without_time, "unsupported": leave_open}.get(status, refuse)
    return Outcome(
        results=(result,),
        # Build logs have many lines; the first says what failed.
        verdict=conclude(started.name, label, problem.partition("\n")[0]),
        training=_training(started, result, proof, losses),
    )


def not_reached(started: Started, label: str, broken: Sequence[str]) -> Outcome:
    """Return what to report of a workload whose turn never came, as `broken` ended the device."""
    problem = f"not run, as {' and '.join(broken)} failed before."
    return without_figures(started, label, "skipped", problem, is_slower=False)


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
