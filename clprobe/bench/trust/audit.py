# SPDX-License-Identifier: MIT
"""Holds what was timed against runs that no driver can have computed before.

Timed runs have the same operands again and again, so whoever keeps results, leaves out what was
done a moment ago or stops working once the first results were right would be fast and look right.
Here the first operand changes before each run: results must follow, and take as long.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from clprobe.bench.cases import Expected
from clprobe.bench.engines import Exchange
from clprobe.bench.proof import Proof, prove

_FACTOR, _SLACK_SECONDS = 2.5, 20e-6
"""Times as long a run may take whose operand has just changed: caches hold another one."""
_SAMPLE_SECONDS, _ROUND_SECONDS = 0.005, 0.04
_MOST_RUNS = 64
_TRIES, _ROUNDS = 7, 3
"""A busy machine holds up some, of either kind: the median counts, and of more before a refusal."""
_FEW_VALUES = 1 << 20
_PROOFS, _PROOFS_OF_FEW = 2, 5
"""In a row, for a driver may work every second time."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What came of it; `problem` is "" where what was timed can be believed."""

    proof: Proof
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Timed:
    """What was timed, always with the same operands, and the seconds that one run took.

    `is_cpu`: whether this process itself computes, so that its time on processors counts.
    """

    run: Callable[[int], None]
    seconds: float
    is_cpu: bool = False


def audit(
    same: Timed,
    exchange: Exchange,
    rights: tuple[Expected, Expected],
    tolerance: float,
    alive: Callable[[], None] = lambda: None,
) -> Audit:
    """Return whether runs with operands in turns are right, and as fast as was timed.

    `rights`: what the own operands make, and the other ones.
    """
    proof = Proof(0.0, tolerance)
    few = rights[0].values.size <= _FEW_VALUES
    for _ in range(_PROOFS_OF_FEW if few else _PROOFS):
        exchange.run(1)
        proof = prove(exchange.latest(), rights[exchange.turn], tolerance)
        alive()
        if not proof.holds:
            return Audit(proof, _wrong(proof, exchange, rights, tolerance))
    problem = _slower(same, exchange, alive)
    if problem:
        return Audit(proof, problem)
    proof = prove(exchange.latest(), rights[exchange.turn], tolerance)
    return Audit(proof, "" if proof.holds else _wrong(proof, exchange, rights, tolerance))


def _wrong(
    proof: Proof, exchange: Exchange, rights: tuple[Expected, Expected], tolerance: float
) -> str:
    """Return how it is wrong; what is right for the operands before tells why."""
    if prove(exchange.latest(), rights[1 - exchange.turn], tolerance).holds:
        return "with other operands its results stay what they were: it computes them no more."
    return f"with other operands {proof.problem}"


def _slower(same: Timed, exchange: Exchange, alive: Callable[[], None]) -> str:
    """Return by how much runs with fresh operands take longer than they may; "": they do not."""
    runs = min(_MOST_RUNS, max(1, math.ceil(_SAMPLE_SECONDS / same.seconds)))
    tries = min(_TRIES, max(1, round(_ROUND_SECONDS / (runs * same.seconds))))
    again, fresh = _Taken([], []), _Taken([], [])
    for _ in range(_ROUNDS):
        for _ in range(tries):
            once, exchanging, both = (
                _taken(one, runs) for one in (same.run, exchange.exchange, exchange.run)
            )
            again.add(once)
            fresh.add((both[0] - exchanging[0], both[1] - exchanging[1]))
            alive()
        is_slower = _is_slower(again.passed, fresh.passed)
        # On a busy machine, threads of a CPU wait for each other from command to command.
        if not is_slower or (same.is_cpu and not _is_slower(again.computed, fresh.computed)):
            return ""
    return (
        f"refused, as a run takes {1e3 * median(again.passed):.3g} ms with the same operands again "
        f"and again, and {1e3 * median(fresh.passed):.3g} ms with others each time: what was timed "
        "was not computed each time."
    )


@dataclass(frozen=True, slots=True)
class _Taken:
    """Seconds per run, as they passed and as this process computed."""

    passed: list[float]
    computed: list[float]

    def add(self, one: tuple[float, float]) -> None:
        """Take note of a try."""
        self.passed.append(one[0])
        self.computed.append(one[1])


def _is_slower(again: list[float], fresh: list[float]) -> bool:
    excess = (one - _FACTOR * other for other, one in zip(again, fresh, strict=True))
    return median(excess) > _SLACK_SECONDS


def _taken(run: Callable[[int], None], times: int) -> tuple[float, float]:
    started, used = time.perf_counter(), time.process_time()
    run(times)
    computed = (time.process_time() - used) / times
    return (time.perf_counter() - started) / times, computed
