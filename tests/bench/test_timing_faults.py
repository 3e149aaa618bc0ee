# SPDX-License-Identifier: MIT
"""A driver that lies about time, or leaves work out once it was seen to be right, is refused.

All faults over the whole program: tests/benchmarks/plant_timing_faults.py.
"""

import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
from asked import messages_of
from timing_faults import FAULTS, bench, built, refusal

from clprobe.bench.bounds import believed, bounded
from clprobe.bench.bus import MOST
from clprobe.bench.cases import Expected, copy_cases, launch_cases, matmul_cases
from clprobe.bench.effort import EFFORTS
from clprobe.bench.engines.exchange import Exchanged
from clprobe.bench.engines.numpy_cpu import NumpyEngine
from clprobe.bench.protocol import Joined, Outcome, Target
from clprobe.bench.trust.audit import Timed, audit
from clprobe.model.measurement import Peak, Result

NEEDS_COMPILER = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
BY_NAME = {one.name: one for one in FAULTS}
RIGHTS = (Expected(np.ones(4), np.ones(1)), Expected(np.full(4, -2.0), np.ones(1)))


def liar(pocl: Target, folder: Path) -> Target:
    return msgspec.structs.replace(pocl, library=built(pocl.library, folder))


def test_there_are_more_than_twenty_faults_and_no_two_alike() -> None:
    assert len(BY_NAME) == len(FAULTS) >= 20


@NEEDS_COMPILER
def test_the_whole_program_refuses_a_device_that_does_not_wait(
    pocl: Target, tmp_path: Path
) -> None:
    fault = BY_NAME["finish-early"]

    status, document = bench(built(pocl.library, tmp_path), fault.name, ("launch",))

    assert status == 3
    assert refusal(document, status, fault)
    assert {one["decision"] for one in document["verdicts"]} == {"refused"}


@NEEDS_COMPILER
@pytest.mark.parametrize("name", ["clock-times-10", "clock-from-queued"])
def test_a_wrong_clock_costs_kernel_times_alone(
    name: str, pocl: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMING_FAULT", name)

    messages = messages_of(liar(pocl, tmp_path), "launch")

    (joined,) = (one for one in messages if isinstance(one, Joined))
    (outcome,) = (one for one in messages if isinstance(one, Outcome))
    assert "its kernel times are refused" in joined.refused
    assert joined.refused in joined.contestants[0].detail
    own = outcome.results[0]
    assert (own.status, own.kernel_ms, own.launch_ms) == ("ok", None, None)


@NEEDS_COMPILER
@pytest.mark.parametrize(
    ("name", "workload"), [("launch-once", "launch"), ("fill-left-out", "launch")]
)
def test_work_that_is_left_out_is_wrong(
    name: str, workload: str, pocl: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMING_FAULT", name)

    messages = messages_of(liar(pocl, tmp_path), workload)

    (outcome,) = (one for one in messages if isinstance(one, Outcome))
    assert outcome.results[0].status == "wrong-result"
    assert outcome.verdict.decision == "refused"
    assert outcome.results[0].detail


class Invented:
    """An operation that gives 1, or -2 with the other operand, after so many seconds by a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, kept: bool, stale: bool = False) -> None:
        self.now, self.place, self.last = 0.0, 0, None
        self.kept, self.stale = kept, stale
        monkeypatch.setattr("clprobe.bench.trust.audit.time.perf_counter", lambda: self.now)

    def put(self, turn: int) -> None:
        self.place = turn
        self.now += 1e-5

    def compute(self) -> np.ndarray:
        is_kept = self.kept and self.last == self.place
        self.now += 1e-5 if is_kept else 1e-3
        self.last = self.place
        return RIGHTS[0 if self.stale else self.place].values

    def run(self, times: int) -> None:
        for _ in range(times):
            self.compute()

    @property
    def exchange(self) -> Exchanged:
        return Exchanged(self.put, self.compute, lambda made: made, lambda: None)


def test_an_honest_operation_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Invented(monkeypatch, kept=False)

    assert audit(Timed(honest.run, 1e-3), honest.exchange, RIGHTS, 0.0).problem == ""


def test_results_that_are_kept_are_too_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    keeping = Invented(monkeypatch, kept=True)

    found = audit(Timed(keeping.run, 1e-5), keeping.exchange, RIGHTS, 0.0)

    assert found.proof.holds
    assert found.problem.startswith("refused, as a run takes 0.01 ms with the same operands again")


def test_results_that_do_not_follow_their_operands_are_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stale = Invented(monkeypatch, kept=False, stale=True)

    found = audit(Timed(stale.run, 1e-3), stale.exchange, RIGHTS, 0.0)

    assert not found.proof.holds
    assert found.problem.startswith("with other operands its results stay what they were")


@pytest.mark.parametrize("cases", [copy_cases, launch_cases, matmul_cases])
def test_what_is_right_for_the_other_operand_is(cases) -> None:
    case = next(cases(EFFORTS["quick"]))
    other, right = case.other(case.expected())
    seen: list[np.ndarray] = []

    class Swapped(NumpyEngine):
        def prepare(self, operation, *operands):
            seen.append(super().prepare(operation, other, *operands[1:]).result())
            return super().prepare(operation, *operands)

    case.prepare(Swapped())

    assert (abs(seen[0] - right.values) <= case.tolerance * right.scale).all()


def copied(device: str, rate: float) -> Result:
    return Result(
        device=device,
        workload="copy",
        metric="bandwidth",
        unit="GB/s",
        median=rate,
        ci95=(rate, rate),
        samples=9,
        status="ok",
        ran_on="cpu",
    )


def test_a_copy_has_a_bound_that_noise_cannot_make_too_low() -> None:
    peaks = (Peak(device="GPU", unit="GB/s", measured=900.0, bound=40.0, bound_how="4 times"),)

    (own, _) = bounded([copied("GPU", 30.0), copied("CPU", 5.0)], peaks)
    (beside, _) = bounded([copied("GPU", 30.0), copied("CPU", 20.0)], peaks)

    assert (own.bound, beside.bound) == (40.0, MOST * 20.0)
    (peak,) = believed(peaks)
    assert peak.measured is None
    assert "Refused, as it is 22.50 times" in peak.how
