# SPDX-License-Identifier: MIT
"""Other programs that disturb a race are noticed, and never decide it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from clprobe.bench.timing import clock
from clprobe.bench.timing.clock import alike, time_in_turns
from clprobe.bench.timing.quiet import CPUS, Load
from clprobe.bench.timing.turns import (
    Sample,
    Side,
    Turns,
    figure,
    ratio_to_reference,
    waited_seconds,
)
from clprobe.bench.verdicts import decide

ROUNDS = 40
BURNING = 0.9
"""Processors that one busy program gets beside us."""


def turns(
    device: Sequence[float],
    reference: Sequence[float],
    reference_waits: Sequence[float | None],
    cores: float | Sequence[float] | None = BURNING,
) -> Turns:
    sides = (
        Side([Sample(one) for one in device]),
        Side([Sample(*one) for one in zip(reference, reference_waits, strict=True)]),
    )
    each = cores if isinstance(cores, Sequence) else [cores] * len(device)
    return Turns(sides, tuple(None if one is None else Load(one, 1.0) for one in each))


def half_disturbed(share: float, slowdown: float) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Return samples of two sides equally fast, the second held up for so much of the time."""
    random = np.random.default_rng(9)
    device, undisturbed = random.lognormal(0, 0.02, (2, ROUNDS))
    waits = np.where(np.arange(ROUNDS) < share * ROUNDS, (slowdown - 1) * undisturbed, 0.0)
    return device, undisturbed + waits, list(waits)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("slowdown", [1.3, 2, 80])
def test_a_core_that_burns_for_a_while_flips_no_verdict_and_widens_the_interval(
    share: float, slowdown: float
) -> None:
    device, reference, waits = half_disturbed(share, slowdown)
    without = ratio_to_reference(turns(device, reference - waits, [0.0] * ROUNDS, 0.0))

    found = ratio_to_reference(turns(device, reference, waits))

    assert decide(found) in {"no-difference", "unclear"}
    assert found.ci95[0] <= 1 <= found.ci95[1]
    assert found.ci95[1] / found.ci95[0] > without.ci95[1] / without.ci95[0]


@pytest.mark.parametrize("slowdown", [1.3, 2, 80])
def test_a_core_that_burns_all_the_time_leaves_the_race_open(slowdown: float) -> None:
    device, reference, waits = half_disturbed(1.0, slowdown)

    found = ratio_to_reference(turns(device, reference, waits))

    assert found.median == pytest.approx(slowdown, rel=0.1)
    assert found.ci95[0] <= 1
    assert decide(found) in {"no-difference", "unclear"}


def test_a_device_that_wins_by_far_more_than_anybody_waited_still_wins() -> None:
    device, reference, waits = half_disturbed(1.0, 1.3)

    found = ratio_to_reference(turns(device / 20, reference, waits))

    assert decide(found) == "device"


def test_where_nobody_counts_waits_the_load_alone_widens_the_interval() -> None:
    device, reference, _ = half_disturbed(1.0, 1.3)
    unknown = [None] * ROUNDS

    quiet = ratio_to_reference(turns(device, reference, unknown, 0.0))
    noisy = ratio_to_reference(turns(device, reference, unknown))

    assert (decide(quiet), decide(noisy)) == ("device", "unclear")


def test_on_a_quiet_machine_threads_that_wait_for_their_own_kind_count() -> None:
    device, reference, waits = half_disturbed(1.0, 2)

    found = turns(device, reference, waits, 0.1)

    assert found.undisturbed == list(range(ROUNDS))
    assert found.other_cores == 0
    assert decide(ratio_to_reference(found)) == "device"


def test_only_rounds_beside_a_busy_program_are_left_out() -> None:
    device, reference, _ = half_disturbed(0.5, 2)
    own_threads_alone = list(0.5 * reference)

    found = turns(device, reference, own_threads_alone, [0.9] * (ROUNDS // 2) + [0.02] * 20)

    assert found.undisturbed == list(range(ROUNDS // 2, ROUNDS))
    assert found.other_cores == 0.9
    assert ratio_to_reference(found).median == pytest.approx(1, rel=0.05)


def test_a_few_long_rounds_of_a_training_need_no_other_programs_wait() -> None:
    device, reference, waits = (side[:5] for side in half_disturbed(1.0, 2))

    found = ratio_to_reference(turns(device, reference, waits, 0.0))

    assert decide(found) == "device"
    assert found.ci95[1] < 3


def test_threads_on_one_processor_widen_the_interval_to_what_they_could_do_on_all() -> None:
    reference = [Sample(1.0)] * ROUNDS
    both_on_one = [Sample(1.0, waited=0.9, computed=CPUS / 2)] * ROUNDS
    together = Turns((Side(both_on_one), Side(reference)), (Load(0.0, 1.0),) * ROUNDS)

    low, high = ratio_to_reference(together).ci95

    assert low < 1
    assert 2 < high < 2.3


def test_threads_that_hardly_wait_for_each_other_are_taken_as_they_are() -> None:
    spread = [Sample(1.0, waited=0.3, computed=CPUS / 2)] * ROUNDS
    side = Side(spread)

    low, high = ratio_to_reference(Turns((side, side), (Load(0.0, 1.0),) * ROUNDS)).ci95

    assert high / low < 1.2


def test_an_unknown_load_leaves_no_round_out() -> None:
    device, reference, waits = half_disturbed(0.5, 2)

    found = turns(device, reference, waits, None)

    assert (len(found.undisturbed), found.other_cores) == (ROUNDS, None)


def test_figures_leave_disturbed_rounds_out() -> None:
    device, reference, waits = half_disturbed(0.5, 80)

    times, samples = figure(turns(device, reference, waits), 1)

    assert samples == ROUNDS // 2
    assert times.median == pytest.approx(1, rel=0.05)


def test_contestants_take_turns_and_nobody_always_comes_second() -> None:
    order: list[str] = []

    found = time_in_turns([lambda _: order.append("a"), lambda _: order.append("b")], 0.02)

    rounds = "".join(order)[-4 * (len(found.sides[0].samples) - 1) :]
    assert rounds.startswith(("aabbbbaa", "bbaaaabb"))
    assert len(found.sides[0].samples) == len(found.sides[1].samples) >= 10


def test_every_side_spreads_what_a_sample_costs_once_over_as_many_runs() -> None:
    assert alike([12, 8]) == [12, 12]
    assert alike([1000, 1]) == [1000, 4]


@dataclass
class TimesOfAProcess:
    """The clocks of a process, one of whose threads computes until a moment."""

    busy_until: float
    now: float = 0.0

    def perf_counter(self) -> float:
        return self.now

    def process_time(self) -> float:
        return min(self.now, self.busy_until)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize(
    ("busy_until", "rested_at"),
    [
        pytest.param(0.0, 0.001, id="at rest already"),
        pytest.param(0.02, 0.021, id="for a while, as OpenBLAS's"),
        pytest.param(9.0, 0.05, id="for ever"),
    ],
)
def test_threads_of_the_side_before_come_to_rest_first(
    monkeypatch: pytest.MonkeyPatch, busy_until: float, rested_at: float
) -> None:
    times = TimesOfAProcess(busy_until)
    monkeypatch.setattr(clock, "time", times)

    clock.come_to_rest()

    assert times.now == pytest.approx(rested_at, abs=0.0011)


def test_energy_is_that_of_the_samples_alone() -> None:
    joules = iter(range(0, 10_000, 3))
    sides = time_in_turns([lambda _: None], 0.0, lambda: float(next(joules))).sides

    assert sides[0].joules == 3 * len(sides[0].samples)
    assert time_in_turns([lambda _: None], 0.0).sides[0].joules_per_run is None


def test_waits_of_all_threads_are_summed(tmp_path) -> None:
    for task, waited in (("11", 2_000_000_000), ("12", 500_000_000)):
        (tmp_path / task).mkdir()
        (tmp_path / task / "schedstat").write_text(f"98046 {waited} 2\n")

    assert waited_seconds(tmp_path) == 2.5


def test_waits_are_unknown_where_linux_counts_none(tmp_path) -> None:
    (tmp_path / "11").mkdir()

    assert waited_seconds(tmp_path) is None
