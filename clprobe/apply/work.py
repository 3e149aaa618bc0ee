# SPDX-License-Identifier: MIT
"""One run at work: its journal, new or on the disk, its runner, and who is told how it goes."""

from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import asdict, replace

from clprobe.apply.journal import Command, Journal, Problem, StepRecord, plan_id
from clprobe.apply.kinds import CHECK_LIMIT_S, INSTALL_LIMIT_S, KINDS, REFRESH_LIMIT_S
from clprobe.apply.package_list import changes_between, merged
from clprobe.apply.person import Person
from clprobe.apply.questions import ask, held_lock, packages, wait_while_held
from clprobe.apply.runner import Finished, Runner
from clprobe.apply.store import Store
from clprobe.commands.commands import with_action
from clprobe.commands.packages import manager_of
from clprobe.model.action import Action
from clprobe.model.plan import Step, Target
from clprobe.version import __version__

MOST_KEPT = 2000
"""Characters of a command's output that a journal keeps."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds to wait: for other users of the package manager, for steps, for answers."""

    lock_s: float = 300.0
    check_s: float = CHECK_LIMIT_S
    install_s: float = INSTALL_LIMIT_S
    refresh_s: float = REFRESH_LIMIT_S
    steps: dict[type, float] = {}

    def of(self, action: Action) -> float:
        """Return the seconds for a step: those of its type, unless `steps` says otherwise."""
        return self.steps.get(type(action), KINDS[type(action)].limit_s)


class Listener(Protocol):
    """Who shows the progress."""

    def say(self, text: str) -> None:
        """Hear what the person must know: warnings, and what is waited for."""

    def begin(self, number: int, total: int, title: str) -> None:
        """Hear that a step begins."""

    def tick(self, seconds: float) -> None:
        """Hear how long the step has been running."""

    def end(self, how: str) -> None:
        """Hear how the step that began last ended."""


class Release(msgspec.Struct, frozen=True):
    """The distribution's id and version, such as "debian" and "12"; None for rolling ones."""

    distribution: str
    version: str | None


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done on this host, and for which command; of a plan also which route it is."""

    command: Command
    steps: tuple[Step, ...]
    release: Release
    goal: str | None = None
    backend: str | None = None
    stack: str | None = None
    target: Target | None = None


class Work(msgspec.Struct):
    """The journal that is being written, with what is needed to go on with it."""

    store: Store
    path: Path
    journal: Journal
    listener: Listener
    lock: int | None
    limits: Limits
    person: Person

    @property
    def runner(self) -> Runner:
        """What runs commands; they keep the lock open."""
        return Runner(
            log=self.path.with_suffix(".log"),
            inherited=self.lock,
            tick=self.listener.tick,
            tell=self.listener.say,
            person=self.person,
        )

    def proof(self, record: StepRecord) -> Finished:
        """Return what the proof of a step says, asked by whoever the step runs as."""
        asking = None if record.needs_root else self.person
        return ask(record.verify or ("true",), limit_s=self.limits.check_s, person=asking)

    def save(self, **changes: Any) -> None:
        """Write the journal with these changes.

        Raises: ClprobeError if it cannot be written.
        """
        self.journal = replace(self.journal, **changes)
        self.store.write(self.path, self.journal)

    def step(self, index: int) -> StepRecord:
        """Return a step as it stands."""
        return self.journal.steps[index]

    def save_step(self, index: int, **changes: Any) -> StepRecord:
        """Write the journal with these changes of one step, and return it."""
        steps = list(self.journal.steps)
        steps[index] = replace(steps[index], **changes)
        self.save(steps=tuple(steps))
        return steps[index]

    def wait_for_manager(self, record: StepRecord) -> Problem | None:
        """Wait until the package manager of a step is free; return who keeps it if time is up."""
        manager = manager_of(record.action)
        if manager is None:
            return None
        limit_s, say = self.limits.lock_s, self.listener.say
        kept = wait_while_held(
            lambda: held_lock(manager),
            limit_s,
            lambda path, who: say(f"Waiting up to {limit_s:g} s for {path}, held by {who}"),
        )
        if kept is None:
            return None
        return Problem(
            "package-lock-held",
            f"{kept[0]} is held by {kept[1]}; waited {limit_s:g} s.",
            "Let it finish (an automatic update?), then run the same command again.",
        )

    def note_changes(self, index: int) -> None:
        """Add what a step changed so far to its record.

        Packages that one run added stay on record however often the run breaks off.
        """
        record = self.step(index)
        manager = manager_of(record.action)
        if manager is None or record.packages_before is None:
            return
        changes = changes_between(record.packages_before, packages(manager))
        self.save_step(index, changes=merged(record.changes, changes), packages_before=None)


def now_in_words() -> str:
    """Return the time for journals."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def new_journal(job: Job, person: Person) -> Journal:
    """Return the journal of a job with the package list of now.

    Raises: ClprobeError if the packages cannot be listed.
    """
    named = (with_action(step, person.named_in(step.action)) for step in job.steps)
    # Whether a step is done is proved right before it, whatever the plan took from a snapshot.
    kept = set(StepRecord.__struct_fields__)
    steps = tuple(
        StepRecord(**{name: value for name, value in asdict(step).items() if name in kept})
        for step in named
    )
    manager = next((one for step in steps if (one := manager_of(step.action)) is not None), None)
    return Journal(
        clprobe=__version__,
        plan_id=plan_id(job.goal, job.backend, job.stack, steps),
        command=job.command,
        goal=job.goal,
        backend=job.backend,
        stack=job.stack,
        target=job.target,
        user=person.name,
        started=now_in_words(),
        steps=steps,
        packages_before=packages(manager) if manager is not None else (),
    )
