# SPDX-License-Identifier: MIT
"""A net on the device and on the CPU: its first steps proved, and what comes of timing the rest."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from msgspec import structs

from clprobe.bench.best_cpu import best_of
from clprobe.bench.digits import Digits
from clprobe.bench.measure import Contest, result_of, time_apart, time_split
from clprobe.bench.nets import Net
from clprobe.bench.proof import Proof
from clprobe.bench.protocol import Outcome, Started
from clprobe.bench.timing.clock import seconds
from clprobe.bench.timing.turns import Turns, figure, ratios_to_all
from clprobe.bench.training_proof import Checked, check_first_steps
from clprobe.bench.training_run import Run, Trainable
from clprobe.bench.verdicts import judge, too_long, without_figures
from clprobe.bench.where import Where, ran_on
from clprobe.model.measurement import Result, ResultStatus

# The first may map memory.
_TRANSFERS = 5


@dataclass(frozen=True, slots=True)
class Race:
    """A net on both sides, of which the device took its first steps."""

    started: Started
    contest: Contest
    net: Trainable
    batches: Sequence[Digits]
    device: Run
    reference: Run
    checked: Checked
    compile_ms: float

    def stopped(
        self,
        status: ResultStatus,
        problem: str,
        proof: Proof | None = None,
        *,
        is_slower: bool = True,
    ) -> Outcome:
        """Return what to report where there are no figures."""
        return without_figures(
            *(self.started, self.contest.label, status, problem),
            proof=proof,
            losses=self.device.losses,
            is_slower=is_slower,
        )

    def unproved(self) -> Outcome | None:
        """Return what to report unless the first steps are right."""
        proof = self.checked.proof
        if proof is None:
            problem = too_long("proving its first steps", self.checked.seconds)
            return self.stopped("skipped", problem, is_slower=False)
        return None if proof.holds else self.stopped("wrong-result", proof.problem, proof)

    def step_split(self) -> dict[str, Any]:
        """Take one step on the device, and return what its result tells of that."""
        ways = self.contest.device.ways(self.batches[0])
        taken_ms = {
            how: 1e3 * min(seconds(_once(bring), 1) for _ in range(_TRANSFERS))
            for how, bring in ways.items()
        }
        used = next(iter(ways))
        busy, started = time.process_time(), time.perf_counter()
        split = time_split(self.contest.device, lambda: self.device.train(range(1)))
        elapsed = max(time.perf_counter() - started, 1e-9)
        cores = (time.process_time() - busy) / elapsed
        place = ran_on(cores, None, is_cpu=self.contest.device.is_cpu)
        # So short a look proves no disguise.
        is_sure = self.contest.device.is_cpu or place == "device"
        where = Where(cores, place if is_sure else "unknown")
        return {
            # Of its batch, which each step that is timed brings along.
            "transfer_ms": taken_ms[used],
            "transfer_copied_ms": taken_ms["copied"],
            "transfer_mapped_ms": taken_ms.get("mapped"),
            "transfer_by": used,
            "kernel_ms": split.kernel_ms,
            "launch_ms": split.launch_ms,
            "wall_ms": split.wall_ms,
            "ran_on": where.ran_on,
            "cpu_share": where.cpu_share,
        }

    def steps_apart(self, turns: Turns) -> list[Turns | None]:
        """Return what each of the others takes for an image, as `turns` do.

        Between the two, another library's threads would slow down whoever comes next.
        """
        batches = self.batches[:1]
        images = len(batches[0].labels)
        beside = figure(turns, 1)[0].median * images
        runs = [Run(engine, self.net, batches) for engine in self.contest.others]
        effort = self.contest.effort
        taken = [time_apart(run.repeat_first_batch, effort, beside) for run in runs]
        for one in taken:
            if one is not None:
                one.sides[0].divide(images)
        return taken

    def timed(self, turns: Turns, split: dict[str, Any], apart: Sequence[Turns | None]) -> Outcome:
        """Return the results of all sides, the device's first, and the verdict."""
        contest, proof, net = self.contest, self.checked.proof, self.net
        own = structs.replace(
            self._result(contest.label, turns, 0),
            max_error=None if proof is None else proof.max_error,
            tolerance=None if proof is None else proof.tolerance,
            compile_ms=self.compile_ms,
            intensity=net.intensity(self.started.batch or 1) if isinstance(net, Net) else None,
            detail=self.checked.note,
            **split,
        )
        others = [(one.name, taken) for one, taken in zip(contest.others, apart, strict=True)]
        best, ratio = best_of(ratios_to_all(turns, contest.reference.name, others))
        return Outcome(
            results=(
                own,
                self._result(contest.reference.name, turns, 1),
                *(self._result(name, taken, 0) for name, taken in others),
            ),
            verdict=judge(
                self.started.name,
                contest.label,
                ratio,
                reference=best,
                is_cpu=contest.device.is_cpu,
                was_disturbed=bool(turns.other_cores),
            ),
            other_cores=turns.other_cores,
        )

    def _result(self, name: str, turns: Turns | None, side: int) -> Result:
        found = result_of(self.started, name, turns, side, lambda seconds: 1 / seconds)
        joules = None if turns is None else turns.sides[side].joules_per_run
        work = self.net.least_gflop() if isinstance(self.net, Net) else None
        return structs.replace(found, energy_per_sample_j=joules, gflop_per_sample=work)


def begun(
    started: Started,
    net: Trainable,
    batches: Sequence[Digits],
    contest: Contest,
    patience_seconds: float,
) -> Race:
    """Take the device's first two steps and prove them."""
    compiled_before = contest.device.compile_ns()
    device, reference = (Run(one, net, batches) for one in (contest.device, contest.reference))
    # An engine for the user's nets is made for one of them and takes no other.
    witness = contest.reference.witness(cast("Net", net))
    checked = check_first_steps(device, witness, batches, patience_seconds, contest.alive)
    compile_ms = (contest.device.compile_ns() - compiled_before) / 1e6
    return Race(started, contest, net, batches, device, reference, checked, compile_ms)


def _once(run: Callable[[], None]) -> Callable[[int], None]:
    """Return it as something that is timed."""
    return lambda _: run()
