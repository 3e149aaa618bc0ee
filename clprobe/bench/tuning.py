# SPDX-License-Identifier: MIT
"""Tunes the kernels of the device under test before it is measured."""

import time

from clprobe.bench.engines.opencl import OpenClEngine
from clprobe.bench.measure import Contest
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import RejectedConfiguration, TunedProduct, Tuning
from clprobe.tensor.tuning.tune import tune


def tune_device(contest: Contest) -> Tuning:
    """Measure configurations, keep the fastest for later runs too, and say what was found."""
    engine = contest.device
    if not isinstance(engine, OpenClEngine):
        problem = "it runs another framework's kernels, so there is nothing to tune"
        return Tuning(device=contest.label, seconds=0.0, problem=problem)
    started = time.monotonic()
    try:
        report = tune(
            engine.device,
            candidates=contest.effort.tuning_candidates,
            alive=contest.alive,
        )
    except (ClprobeError, OSError) as error:
        seconds = time.monotonic() - started
        return Tuning(device=contest.label, seconds=seconds, problem=str(error))
    return Tuning(
        device=contest.label,
        seconds=report.elapsed_s,
        found=tuple(
            TunedProduct(
                product=str(winner.tuned.product),
                configuration=winner.tuned.variant.name,
                gflops=winner.tuned.gflops,
                gflops_before=winner.previous_gflops,
            )
            for winner in report.winners
        ),
        rejected=tuple(
            RejectedConfiguration(
                product=str(one.product), configuration=one.variant.name, reason=one.reason
            )
            for one in report.rejected
        ),
    )
