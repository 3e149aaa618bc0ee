# SPDX-License-Identifier: MIT
"""What became different between two snapshots of one host, or between benchmark runs."""

from typing import Any, Literal, get_args

import msgspec

from clprobe.model.measurement import Decision, Interval, ResultStatus

Effect = Literal[
    "became-wrong", "lost", "slower", "faster", "mended", "unsure", "gone", "new", "now-measured",
    "not-measured", "same", "no-figures",
]  # fmt: skip
EFFECTS: tuple[Effect, ...] = get_args(Effect)
"""The most important first."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One fact that differs; `before` and `after` are JSON, null where there was or is none.

    `what` names it in words, `fact` as evidence does.
    """

    what: str
    fact: str
    before: Any
    after: Any


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two snapshots of one host.

    `since`: what the earlier one is, a file or a time. `new_findings` and `mended`: ids of
    problems that only the later or only the earlier one has. `caused_by_change`: the change
    without which the first finding would not be there; null: none alone explains it.
    """

    since: str
    changes: tuple[Change, ...]
    new_findings: tuple[str, ...]
    mended: tuple[str, ...]
    caused_by_change: Change | None


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One run's answer on one workload.

    `ci95` spans all figures that the run has of it: a reference is measured beside every device.
    `ratio` and `decision` are the verdict's, None for a reference.
    """

    status: ResultStatus
    median: float | None
    ci95: Interval | None
    ratio: float | None = None
    ratio_ci95: Interval | None = None
    decision: Decision | None = None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One contestant on one workload in each run, None where a run does not have it.

    `ratio` is the last run's speed over the first's, above 1 it became faster; `ci95` holds it if
    both intervals hold. `effect` compares the last with the first, `text` says it in a sentence.
    `lost`: no figure any more, as something failed; `mended`: it failed or was wrong before.
    `not-measured`, `now-measured`: the run without a figure merely skipped it. `unsure`: the
    intervals lie apart, but something disturbed a run. `with_cpu`: the CPU beside it changed as
    much, so the machine did. `flipped`: the verdict is another, beyond the noise.
    """

    device: str
    workload: str
    metric: str
    unit: str
    runs: tuple[Side | None, ...]
    ratio: float | None
    ci95: Interval | None
    effect: Effect
    with_cpu: bool
    flipped: bool
    text: str


class BenchComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Runs in the order in which they were named, the oldest first.

    `files`: where each was read. `changes`: how the last run's host differs from the first's.
    `renamed`: contestants that carry another name in a later run, as after a driver's upgrade.
    `warnings`: what speaks against comparing these runs.
    """

    files: tuple[str, ...]
    changes: tuple[Change, ...]
    renamed: tuple[Change, ...]
    differences: tuple[Difference, ...]
    warnings: tuple[str, ...]
