# SPDX-License-Identifier: MIT
"""What --apply, --fix and --undo report at the end."""

from typing import Literal

import msgspec

from clprobe.apply.journal import Journal, Problem, State, Upgrade
from clprobe.model.plan import Target

Outcome = Literal[
    "applied", "failed", "interrupted", "declined", "needs-root", "not-started",
    "undone", "partly-undone", "nothing-to-undo", "nothing-to-do",
]  # fmt: skip


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """One step as the journal has it; `printed` is the end of what it printed."""

    title: str
    argv: tuple[str, ...]
    state: State
    was_so: bool
    started: str | None
    ended: str | None
    status: int | None
    printed: str
    problem: Problem | None


class PackageTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What all steps together did to the package list."""

    added: tuple[str, ...] = ()
    upgraded: tuple[Upgrade, ...] = ()
    removed: tuple[str, ...] = ()


class SeenDevice(msgspec.Struct, frozen=True):
    """An OpenCL device as doctor lists it."""

    icd: str
    platform: str
    name: str


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What doctor sees: devices, and the ids and titles of what it finds, by level."""

    devices: tuple[SeenDevice, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ApplyReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended. `problem` says why it did not end well, `command` what to run instead.

    `before` and `after` are what doctor saw; null where it was not asked. `differences` and `left`
    are about an undo: how the package list differs from before, and what stays.
    `by_hand` is what only a person can do about doctor's findings.
    """

    action: Literal["apply", "undo"]
    outcome: Outcome
    goal: str | None = None
    backend: str | None = None
    stack: str | None = None
    target: Target | None = None
    journal: str | None = None
    steps: tuple[StepResult, ...] = ()
    packages: PackageTotals = PackageTotals()
    files: tuple[str, ...] = ()
    problem: Problem | None = None
    command: tuple[str, ...] | None = None
    before: Seen | None = None
    after: Seen | None = None
    differences: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()


def step_results(journal: Journal) -> tuple[StepResult, ...]:
    """Return the steps of a journal for a report."""
    told = StepResult.__struct_fields__
    return tuple(
        StepResult(**{name: getattr(step, name) for name in told}) for step in journal.steps
    )


def package_totals(journal: Journal) -> PackageTotals:
    """Return what all steps of a journal did to the package list."""
    changes = [step.changes for step in journal.steps]
    return PackageTotals(
        added=tuple(f"{p.name} {p.version}" for change in changes for p in change.added),
        upgraded=tuple(upgrade for change in changes for upgrade in change.upgraded),
        removed=tuple(f"{p.name} {p.version}" for change in changes for p in change.removed),
    )


def files_of(journal: Journal) -> tuple[str, ...]:
    """Return the files and folders that the steps wrote."""
    files = [step.file.path for step in journal.steps if step.file is not None]
    made = [step.folder for step in journal.steps if step.folder is not None]
    return (*files, *(folder.path for folder in made if not folder.existed))
