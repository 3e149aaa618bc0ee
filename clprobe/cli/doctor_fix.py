# SPDX-License-Identifier: MIT
"""`clprobe doctor --fix`: does what a machine can about what doctor finds here."""

import os
from collections.abc import Sequence

import click
from msgspec.structs import replace

from clprobe.apply.journal import Problem, StepRecord
from clprobe.apply.kinds import can_be_taken_back
from clprobe.apply.paths import as_it_is_here
from clprobe.apply.person import Person, find_person
from clprobe.apply.questions import ask
from clprobe.apply.result import ApplyReport, Seen
from clprobe.apply.run import Runs
from clprobe.apply.store import Store, journal_folder, tried_before
from clprobe.apply.work import Job, Release
from clprobe.cli.acting import Asked, Terminal, in_one_line, seen_in, shown
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import facts_here
from clprobe.cli.plan_options import our_python
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.permissions.as_user import as_user
from clprobe.install.advised import best_route
from clprobe.install.fixes import Fix, fixes
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis
from clprobe.model.plan import Step
from clprobe.model.shell_words import command_line
from clprobe.model.snapshot import Snapshot
from clprobe.probe.accounts import find_account
from clprobe.probe.live_host import LiveHost
from clprobe.report.escaping import safe


def fix(asked: Asked, timeout: float) -> int:
    """Do what a machine can about doctor's findings, after asking, and show how that ended.

    Returns the exit status: 0 fixed and healthy, 1 an error remains, 3 not finished.
    """
    try:
        host = _Here(timeout)
        snapshot, diagnosis = host.look(None)
    except ClprobeError as error:
        problem = Problem(error.reference, error.message, error.hint)
        return shown(ApplyReport(action="apply", outcome="not-started", problem=problem), asked)
    made = fixes(
        diagnosis,
        lambda action: best_route(snapshot, host.knowledge.tables, action, python=our_python()),
        lambda step: as_it_is_here(step, host.person),
        host.is_done,
    )
    _show(made)
    distribution = snapshot.system.distribution
    name, version = distribution.id, distribution.version
    job = Job(
        command="doctor",
        steps=tuple(step for one in made for step in one.steps),
        release=Release(
            name if isinstance(name, str) else "", version if isinstance(version, str) else None
        ),
    )
    report = Runs(_Terminal(host, seen_in(diagnosis), asked), asked.limits).apply(job)
    if report.outcome == "nothing-to-do":
        report = replace(report, after=seen_in(diagnosis))
    by_hand = tuple(dict.fromkeys(text for one in made for text in one.by_hand))
    status = shown(replace(report, by_hand=by_hand), asked)
    if report.action == "undo":  # it failed and was taken back, which is not what was asked for
        return exit_codes.UNDECIDED
    if report.outcome == "nothing-to-do" and diagnosis.status not in ("healthy", "cpu-only"):
        is_open = diagnosis.status == "undetermined" and not seen_in(diagnosis).errors
        return exit_codes.UNDECIDED if is_open else exit_codes.PROBLEMS
    return status


class _Here:
    """This host as the person meets it: behind sudo, root would find every door open."""

    def __init__(self, timeout: float) -> None:
        self.person: Person = find_person()
        self.knowledge = Knowledge.load()
        self._timeout = timeout
        self._tried = tried_before(Store(journal_folder()).entries())

    def look(self, environment: str | None) -> tuple[Snapshot, Diagnosis]:
        """Return the facts and what is wrong, with the drivers in that virtual environment."""
        host = LiveHost(prefix=environment)
        snapshot = facts_here(host, self._timeout, run_kernels=True, compile_anew=True)
        if os.geteuid() == 0 and self.person.uid != 0:
            snapshot = as_user(snapshot, *find_account(host, self.person.name))
        return snapshot, diagnose(snapshot, self.knowledge)

    def is_done(self, step: Step) -> bool:
        """Whether an earlier fix ran the step, and its proof holds to this day."""
        if step.argv not in self._tried:
            return False
        asking = None if step.needs_root else self.person
        return step.verify is None or ask(step.verify, person=asking).is_fine


class _Terminal(Terminal):
    def __init__(self, host: _Here, before: Seen, asked: Asked) -> None:
        super().__init__("doctor", asked)
        self._host = host
        self._before: Seen | None = before

    def agrees_to_steps(self, steps: Sequence[StepRecord]) -> bool:
        """List what is left to do with its commands, --yes or not, and what lasts; ask."""
        click.echo("Steps:", err=True)
        left = [step for step in steps if step.state != "done"]
        for number, step in enumerate(left, 1):
            lasts = "" if can_be_taken_back(step.action) else "; cannot be undone"
            click.echo(f"  {number}. {safe(in_one_line(step))}{lasts}", err=True)
            click.echo(f"     {safe(command_line(step.argv))}", err=True)
        return self.asked.yes or self.agrees("Run these steps?")

    def seen(self, environment: str | None) -> Seen:
        """Return what doctor finds now; what it found at first, the first time."""
        before, self._before = self._before, None
        return before or seen_in(self._host.look(environment)[1])


def _show(made: Sequence[Fix]) -> None:
    """Show which findings are fixed, and what is left to the person."""
    for one in made:
        click.echo(safe(f"{one.finding.severity}: {one.finding.title}"), err=True)
        for text in one.by_hand:
            click.echo(f"  by hand: {safe(text)}", err=True)
