# SPDX-License-Identifier: MIT
"""Proves one case on a device, and only then times it beside the CPU reference."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from clprobe.bench.cases import Case
from clprobe.bench.clock import MIN_ROUNDS, seconds, time_in_turns
from clprobe.bench.effort import Effort
from clprobe.bench.engines import Engine
from clprobe.bench.engines.opencl import OpenClEngine
from clprobe.bench.outcomes import without_figures
from clprobe.bench.proof import Proof, prove
from clprobe.bench.protocol import Outcome
from clprobe.bench.statistics import Estimate, estimate, estimate_ratio
from clprobe.bench.verdicts import judge, price
from clprobe.model.measurement import BenchVerdict, Result
from clprobe.tensor import Recorded


@dataclass(frozen=True, slots=True)
class Contest:
    """The two sides of every measurement; `label` is the device's name in the report.

    `alive` is to be called now and then during anything that takes long.
    """

    label: str
    device: OpenClEngine
    reference: Engine
    effort: Effort
    alive: Callable[[], None]

    @property
    def is_cpu(self) -> bool:
        """Return whether the device is the CPU itself."""
        return self.device.device.limits.is_cpu


@dataclass(frozen=True, slots=True)
class _Side:
    """What the samples of one side of a contest belong to."""

    name: str
    proof: Proof
    compile_ms: float | None = None
    transfer_ms: float | None = None
    kernel_ms: float | None = None
    wall_ms: float | None = None


def measure(case: Case, contest: Contest) -> Outcome:
    """Return the device's figure, the reference's and the verdict; or why there are none."""
    device = contest.device.device
    with device.record_events() as uploads:
        prepared = case.prepare(contest.device)
    first_started = time.perf_counter()
    values = prepared.result()
    first_seconds = time.perf_counter() - first_started
    expected = case.expected()
    proof = prove(values, expected, case.tolerance)
    if not proof.holds:
        return without_figures(
            case.started, contest.label, "wrong-result", proof.problem, proof=proof
        )
    second_seconds = seconds(prepared.run, 1)
    predicted = second_seconds * 2 * MIN_ROUNDS
    if predicted > contest.effort.patience_seconds:
        problem = f"the device is right, but timing it would take {predicted:.0f} s."
        return without_figures(case.started, contest.label, "skipped", problem, proof=proof)
    with device.record_events() as kernels:
        prepared.run(1)
    reference = case.prepare(contest.reference)
    reference_proof = prove(reference.result(), expected, case.tolerance)
    device_seconds, reference_seconds = time_in_turns(
        prepared.run, reference.run, contest.effort.seconds_per_case
    )
    # A device that grows hot or runs out of something may be wrong only now.
    last_proof = prove(prepared.result(), expected, case.tolerance)
    if not last_proof.holds:
        problem = f"after many runs {last_proof.problem}"
        return without_figures(
            case.started, contest.label, "wrong-result", problem, proof=last_proof
        )
    device_side = _Side(
        contest.label,
        proof,
        # Some runtimes put the real compilation off until the first launch.
        compile_ms=max(0.0, first_seconds - second_seconds) * 1e3,
        transfer_ms=_total_ms(uploads),
        kernel_ms=_total_ms(kernels),
        wall_ms=second_seconds * 1e3,
    )
    ratio = estimate_ratio(reference_seconds, device_seconds)
    return Outcome(
        results=(
            _result(case, device_side, device_seconds),
            _result(case, _Side(contest.reference.name, reference_proof), reference_seconds),
        ),
        verdict=_verdict(case, contest, ratio, device_seconds),
    )


def _verdict(
    case: Case, contest: Contest, ratio: Estimate, device_seconds: list[float]
) -> BenchVerdict:
    reference = contest.reference.name
    if case.metric == "latency":
        latency_us = case.figure(estimate(device_seconds).median)
        return price(
            case.workload, contest.label, ratio, latency_us=latency_us, reference=reference
        )
    return judge(case.workload, contest.label, ratio, reference=reference, is_cpu=contest.is_cpu)


def _result(case: Case, side: _Side, samples: list[float]) -> Result:
    times = estimate(samples)
    low, high = sorted(case.figure(bound) for bound in times.ci95)
    return Result(
        device=side.name,
        workload=case.workload,
        metric=case.metric,
        unit=case.unit,
        median=case.figure(times.median),
        ci95=(low, high),
        samples=len(samples),
        status="ok",
        max_error=side.proof.max_error,
        tolerance=case.tolerance,
        compile_ms=side.compile_ms,
        transfer_ms=side.transfer_ms,
        detail=_kernel_share(side),
        kernel_ms=side.kernel_ms,
        launch_ms=_launch_ms(side),
        wall_ms=side.wall_ms,
        intensity=case.intensity,
    )


def _kernel_share(side: _Side) -> str:
    if side.kernel_ms is None or side.wall_ms is None:
        return ""
    return f"kernels take {side.kernel_ms:.3g} ms of a run of {side.wall_ms:.3g} ms"


def _launch_ms(side: _Side) -> float | None:
    """Return what a run takes besides its kernels; the two clocks may differ by a little."""
    if side.kernel_ms is None or side.wall_ms is None:
        return None
    return max(0.0, side.wall_ms - side.kernel_ms)


def _total_ms(commands: list[Recorded]) -> float | None:
    """Return the time that the device says the commands took; None where it keeps no time.

    rusticl of Mesa 22.3 says 1 ns of every command.
    """
    elapsed_ns = [command.elapsed_ns for command in commands]
    return sum(elapsed_ns) / 1e6 if any(one > 1 for one in elapsed_ns) else None
