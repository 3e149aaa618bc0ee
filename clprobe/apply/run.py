# SPDX-License-Identifier: MIT
"""Does a job on this host, or takes one back, and reports how that ended."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from clprobe.apply.carry_out import carry_out
from clprobe.apply.journal import Command, Journal, Problem, StepRecord, has_begun, is_applied
from clprobe.apply.person import find_person
from clprobe.apply.result import (
    ApplyReport,
    Outcome,
    Seen,
    files_of,
    package_totals,
    step_results,
)
from clprobe.apply.store import Store, journal_folder, newest_to_undo, to_go_on_with
from clprobe.apply.take_back import take_back
from clprobe.apply.work import Job, Limits, Listener, Release, Work, new_journal
from clprobe.model.action import MakeEnvironment
from clprobe.model.errors import ClprobeError
from clprobe.model.plan import InstallPlan, Route


class Front(Listener, Protocol):
    """Who asked for the run: hears how it goes, is asked, and knows what doctor sees."""

    own_command: tuple[str, ...]
    """Asks for the same once more."""
    undo_command: tuple[str, ...]

    def agrees_to_steps(self, steps: Sequence[StepRecord]) -> bool:
        """Say whether these steps may be run."""

    def agrees_to_undo(self, journal: Journal, path: Path) -> bool:
        """Say whether what the journal tells of may be taken back."""

    def wants_undo(self, report: ApplyReport) -> bool:
        """Say whether what was done before a failure is to be taken back at once."""

    def seen(self, environment: str | None) -> Seen:
        """Return what doctor sees, with the drivers in that virtual environment."""


class Here(NamedTuple):
    """This host: its distribution and release in the words of plans, and as it names them."""

    os: str | None
    release: Release


class Runs:
    """Does jobs on this host, and takes them back; Ctrl-C and errors are in the report."""

    def __init__(self, front: Front, limits: Limits) -> None:
        self._front = front
        self._limits = limits
        self._store = Store(journal_folder())

    def apply(self, job: Job) -> ApplyReport:
        """Carry out the steps of a job, and say what doctor saw before and sees after them.

        Where doctor has nothing to fix, one of its runs that was cut off is still gone on with.
        """
        report = ApplyReport(
            action="apply",
            outcome="not-started",
            goal=job.goal,
            backend=job.backend,
            stack=job.stack,
            target=job.target,
        )
        try:
            return self._applied(report, job)
        except ClprobeError as error:
            return _with_error(report, error)
        except KeyboardInterrupt:
            # While drivers are asked, before the first step or after the last.
            return replace(report, outcome="interrupted")

    def undo(self, command: Command, backend: str | None = None) -> ApplyReport:
        """Take back the command's newest run of which something is left, of `backend` if stated."""
        report = ApplyReport(action="undo", outcome="nothing-to-undo")
        try:
            return self._undone(report, command, backend)
        except ClprobeError as error:
            return _with_error(replace(report, outcome="partly-undone"), error)

    def _applied(self, report: ApplyReport, job: Job) -> ApplyReport:
        person, front = find_person(), self._front
        if os.geteuid() != 0 and any(step.needs_root for step in job.steps):
            return replace(report, outcome="needs-root", command=("sudo", *front.own_command))
        if not job.steps and not self._store.folder.is_dir():
            return replace(report, outcome="nothing-to-do")
        with self._store.locked(self._limits.lock_s, front.say) as lock:
            path, journal = self._begun(new_journal(job, person))
            if not journal.steps:
                return replace(report, outcome="nothing-to-do")
            if not front.agrees_to_steps(journal.steps):
                return replace(report, outcome="declined")
            self._store.write(path, journal)
            return self._at_work(report, self._work(path, journal, lock), job.release)

    def _at_work(self, report: ApplyReport, work: Work, release: Release) -> ApplyReport:
        front = self._front
        before = front.seen(None)
        report = replace(_carried_out(work, report, release), before=before)
        if report.outcome == "applied":
            return replace(report, after=front.seen(_environment_of(work.journal)))
        if all(step.state in ("waiting", "undone") for step in work.journal.steps):
            return report
        if front.wants_undo(report):
            return _taken_back(work, report)
        return replace(report, command=front.undo_command)

    def _undone(self, report: ApplyReport, command: Command, backend: str | None) -> ApplyReport:
        if not self._store.folder.is_dir():
            return report
        with self._store.locked(self._limits.lock_s, self._front.say) as lock:
            entry = newest_to_undo(self._store.entries(), command, backend)
            if entry is None or entry.journal is None:
                return report
            if not self._front.agrees_to_undo(entry.journal, entry.path):
                return replace(report, outcome="declined")
            return _taken_back(self._work(entry.path, entry.journal, lock), report)

    def _work(self, path: Path, journal: Journal, lock: int) -> Work:
        return Work(
            *(self._store, path, journal, self._front),
            lock=lock,
            limits=self._limits,
            person=find_person(),
        )

    def _begun(self, fresh: Journal) -> tuple[Path, Journal]:
        """Return file and journal of a run to go on with, and tell of it; else the fresh one."""
        entries = self._store.entries()
        entry = to_go_on_with(entries, fresh)
        journal = entry.journal if entry is not None else None
        if journal is not None and has_begun(journal):
            done = [step.title for step in journal.steps if step.state == "done"]
            steps = ", ".join(done) or "no step"
            state = "is done" if is_applied(journal) else "goes on"
            self._front.say(f"The run of {journal.started} {state}; done so far: {steps}.")
        for other in entries:
            if other.error is not None:
                self._front.say(f"Left alone: {other.error.message}")
        if entry is None or journal is None:
            return self._store.new_path(fresh), fresh
        # One that was cut off before its first step holds the package list of that time.
        return entry.path, journal if has_begun(journal) else fresh


def job_of(made: InstallPlan, route: Route, here: Here) -> Job:
    """Return what a route is on this host.

    Raises: ClprobeError if the plan is not for this host, or has no commands.
    """
    if made.target.os != here.os or here.os is None:
        raise ClprobeError(
            reference="plan-for-another-host",
            message=f"The plan is for {made.target.os or 'a system not stated'}, this host "
            f"is {here.os or 'of no known distribution'}.",
            hint="Leave out --os, or have it printed with --format sh.",
        )
    if not route.steps:
        raise ClprobeError(
            reference="route-without-commands",
            message=f"The route {route.backend} has no commands here.",
            hint=" ".join((*route.by_hand, *route.caveats)),
        )
    return Job(
        command="install-plan",
        steps=route.steps,
        release=here.release,
        goal=made.goal,
        backend=route.backend,
        stack=route.stack,
        target=made.target,
    )


def _carried_out(work: Work, report: ApplyReport, release: Release) -> ApplyReport:
    problem: ClprobeError | None = None
    try:
        outcome: Outcome = carry_out(work, release)
    except ClprobeError as error:
        outcome, problem = "failed" if has_begun(work.journal) else "not-started", error
    except KeyboardInterrupt:
        outcome = "interrupted"
    report = replace(report, outcome=outcome, **_told_by(work))
    return report if problem is None else _with_error(report, problem)


def _taken_back(work: Work, report: ApplyReport) -> ApplyReport:
    done = take_back(work)
    return replace(
        report,
        action="undo",
        outcome=done.outcome,
        differences=done.differences,
        left=done.left,
        goal=work.journal.goal,
        backend=work.journal.backend,
        stack=work.journal.stack,
        target=work.journal.target,
        **_told_by(work),
    )


def _told_by(work: Work) -> dict[str, object]:
    """Return the parts of a report that a journal holds."""
    problems = [step.problem for step in work.journal.steps if step.problem is not None]
    return {
        "journal": str(work.path),
        "steps": step_results(work.journal),
        "packages": package_totals(work.journal),
        "files": files_of(work.journal),
        "problem": problems[0] if problems else None,
    }


def _environment_of(journal: Journal) -> str | None:
    """Return the virtual environment into which the steps installed; None: they made none."""
    made = [step.action for step in journal.steps]
    paths = [action.path for action in made if isinstance(action, MakeEnvironment)]
    return next((path for path in paths if Path(path, "pyvenv.cfg").is_file()), None)


def _with_error(report: ApplyReport, error: ClprobeError) -> ApplyReport:
    return replace(report, problem=Problem(error.reference, error.message, error.hint))
