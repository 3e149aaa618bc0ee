# SPDX-License-Identifier: MIT
"""What became different between benchmark runs, beyond what chance makes different."""

from typing import Literal

import msgspec

from clprobe.model.comparison import Change
from clprobe.model.measurement import Decision, Interval, ResultStatus

Effect = Literal[
    "faster", "slower", "same", "became-wrong", "mended", "new", "gone", "lost", "no-figures"
]
"""`lost`: it had a figure and has none now, though it is not wrong. `mended`: the reverse."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One run's answer on one workload; `ci95` spans all figures that the run has of it."""

    status: ResultStatus
    median: float | None
    ci95: Interval | None
    decision: Decision | None = None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant on one workload in each run, None where a run does not have it.

    `ratio` is the last run's speed over the first's, above 1 it became faster; `ci95` holds it if
    both intervals hold. `effect` compares the last with the first, `text` says it in a sentence.
    """

    device: str
    workload: str
    metric: str
    unit: str
    runs: tuple[Side | None, ...]
    ratio: float | None
    ci95: Interval | None
    effect: Effect
    text: str


class BenchComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Runs in the order in which they were named, oldest first.

    `files`: where each was read. `changes`: how the hosts differ, the last from the first.
    `renamed`: contestants that carry another name in the last run, such as a newer driver's.
    `warnings`: what speaks against comparing these runs.
    """

    files: tuple[str, ...]
    changes: tuple[Change, ...]
    renamed: tuple[Change, ...]
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]
