# SPDX-License-Identifier: MIT
"""`clprobe install-plan --apply` and `--undo`: asks, runs, shows what came of it."""

import os
from pathlib import Path
from typing import NamedTuple

import click
from msgspec.structs import replace

from clprobe.apply.carry_out import carry_out
from clprobe.apply.journal import Journal, Problem, has_begun, is_applied
from clprobe.apply.package_list import leaves_something
from clprobe.apply.person import find_person
from clprobe.apply.questions import would_bring
from clprobe.apply.result import (
    ApplyReport,
    Outcome,
    Seen,
    SeenDevice,
    files_of,
    package_totals,
    step_results,
)
from clprobe.apply.store import Entry, Store, journal_folder, newest_to_undo, unfinished_or_applied
from clprobe.apply.take_back import take_back
from clprobe.apply.work import Limits, Release, Work, new_journal
from clprobe.cli.apply_progress import StepProgress
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import gather
from clprobe.cli.output import print_document
from clprobe.cli.own_command import own_command, undo_command
from clprobe.diagnosis.diagnose import diagnose
from clprobe.model.action import MakeEnvironment
from clprobe.model.errors import ClprobeError
from clprobe.model.plan import InstallPlan, Route
from clprobe.report.apply_text import ApplyText
from clprobe.report.as_json import document
from clprobe.report.terminal import make_console, safe

SCHEMA = "clprobe.apply/1"
_DRIVER_LIMIT_S = 10.0
_STATUS = {
    "applied": exit_codes.OK,
    "undone": exit_codes.OK,
    "nothing-to-undo": exit_codes.OK,
}


class Asked(NamedTuple):
    """How the person wants it."""

    yes: bool
    as_json: bool
    color: str
    limits: Limits = Limits()


def asked_to_act(form: str, color: str, *, applies: bool, undoes: bool, yes: bool) -> Asked:
    """Return how the person wants it.

    Raises: click.UsageError for options that do not go together.
    """
    if applies and undoes:
        raise click.UsageError("--apply and --undo do not go together.")
    if yes and not (applies or undoes):
        raise click.UsageError("--yes belongs to --apply or --undo.")
    if (applies or undoes) and form not in ("table", "json"):
        raise click.UsageError(f"--format {form} only prints; leave it out.")
    source = click.get_current_context().params.get("source")
    if applies and source == "-" and not yes:
        raise click.UsageError("With --from - nobody can be asked: state a file, or --yes.")
    return Asked(yes, form == "json", color)


class Here(NamedTuple):
    """This host: its distribution and release in the words of plans, and as it names them."""

    os: str | None
    release: Release


def apply_route(made: InstallPlan, route: Route, here: Here, asked: Asked) -> int:
    """Carry out the steps of a route on this host.

    Returns the exit status: 0 applied and proved, 1 applied while doctor finds errors, 3 not
    finished.

    Raises: ClprobeError if the plan is not for this host, or has no commands.
    """
    _check_plan(made, route, here.os)
    report = ApplyReport(
        action="apply",
        outcome="not-started",
        goal=made.goal,
        backend=route.backend,
        stack=route.stack,
        target=made.target,
    )
    try:
        report = _applied(report, made, route, here.release, asked)
        status = _finish(report, asked)
        # What failed and was taken back is not what was asked for.
        return exit_codes.UNDECIDED if report.action == "undo" else status
    except ClprobeError as error:
        return _finish(_with_error(report, error), asked)
    except KeyboardInterrupt:
        # While drivers are asked, before the first step or after the last.
        return _finish(replace(report, outcome="interrupted"), asked)


def undo(backend: str | None, asked: Asked) -> int:
    """Take back the newest run of which something is left, of `backend` if that is stated.

    Returns the exit status: 0 taken back or nothing to do, 3 not finished.
    """
    report = ApplyReport(action="undo", outcome="nothing-to-undo")
    try:
        return _finish(_undone(report, backend, asked), asked)
    except ClprobeError as error:
        return _finish(_with_error(replace(report, outcome="partly-undone"), error), asked)


def _check_plan(made: InstallPlan, route: Route, here: str | None) -> None:
    if made.target.os != here or here is None:
        raise ClprobeError(
            reference="plan-for-another-host",
            message=f"The plan is for {safe(made.target.os or 'a system not stated')}, this host "
            f"is {safe(here or 'of no known distribution')}.",
            hint="Leave out --os, or have it printed with --format sh.",
        )
    if not route.steps:
        raise ClprobeError(
            reference="route-without-commands",
            message=f"The route {route.backend} has no commands here.",
            hint=" ".join(route.caveats),
        )


def _applied(
    report: ApplyReport, made: InstallPlan, route: Route, release: Release, asked: Asked
) -> ApplyReport:
    person, ours = find_person(), _root_is_needed(route)
    if ours:
        return replace(report, outcome="needs-root", command=("sudo", *own_command()))
    store, progress = Store(journal_folder()), StepProgress()
    with store.locked(asked.limits.lock_s, progress.say) as lock:
        fresh = new_journal(made, route, person)
        entries = store.entries()
        entry = unfinished_or_applied(entries, fresh.plan_id)
        _tell_of_earlier(entry, entries, progress)
        path, journal = _journal_of(entry, store, fresh)
        if not asked.yes and not _agreed("Run these steps?", route):
            return replace(report, outcome="declined")
        store.write(path, journal)
        work = Work(store, path, journal, progress, lock=lock, limits=asked.limits, person=person)
        before = _seen()
        report = replace(_carried_out(work, report, release), before=before)
        if report.outcome == "applied":
            return replace(report, after=_seen(_environment_of(work.journal)))
        return _offered_undo(work, report, asked)


def _carried_out(work: Work, report: ApplyReport, release: Release) -> ApplyReport:
    problem: ClprobeError | None = None
    try:
        outcome: Outcome = carry_out(work, release)
    except ClprobeError as error:
        outcome, problem = "failed" if has_begun(work.journal) else "not-started", error
    except KeyboardInterrupt:
        outcome = "interrupted"
    report = replace(report, outcome=outcome, **_told_by(work.journal, work.path))
    return report if problem is None else _with_error(report, problem)


def _undone(report: ApplyReport, backend: str | None, asked: Asked) -> ApplyReport:
    store, progress = Store(journal_folder()), StepProgress()
    if not store.folder.is_dir():
        return report
    with store.locked(asked.limits.lock_s, progress.say) as lock:
        entry = newest_to_undo(store.entries(), backend)
        if entry is None or entry.journal is None:
            return report
        _show_undo(entry.journal, entry.path)
        if not asked.yes and not _agreed("Take these steps back?"):
            return replace(report, outcome="declined")
        work = Work(
            *(store, entry.path, entry.journal, progress),
            lock=lock,
            limits=asked.limits,
            person=find_person(),
        )
        return _taken_back(work, report)


def _taken_back(work: Work, report: ApplyReport) -> ApplyReport:
    done = take_back(work)
    told = _told_by(work.journal, work.path)
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
        **told,
    )


def _offered_undo(work: Work, report: ApplyReport, asked: Asked) -> ApplyReport:
    """Ask whether to undo what was done before a failure, or say how."""
    if all(step.state in ("waiting", "undone") for step in work.journal.steps):
        return report
    if asked.yes or asked.as_json:
        return replace(report, command=undo_command())
    ApplyText(make_console(asked.color)).show(report)
    if _agreed("Take back what was done?"):
        return _taken_back(work, report)
    return replace(report, command=undo_command())


def _told_by(journal: Journal, path: Path) -> dict[str, object]:
    """Return the parts of a report that a journal holds."""
    problems = [step.problem for step in journal.steps if step.problem is not None]
    return {
        "journal": str(path),
        "steps": step_results(journal),
        "packages": package_totals(journal),
        "files": files_of(journal),
        "problem": problems[0] if problems else None,
    }


def _journal_of(entry: Entry | None, store: Store, fresh: Journal) -> tuple[Path, Journal]:
    if entry is None or entry.journal is None:
        return store.new_path(fresh), fresh
    # One that was cut off before its first step holds the package list of that time.
    return entry.path, entry.journal if has_begun(entry.journal) else fresh


def _tell_of_earlier(entry: Entry | None, entries: list[Entry], progress: StepProgress) -> None:
    if entry is not None and entry.journal is not None and has_begun(entry.journal):
        done = [step.title for step in entry.journal.steps if step.state == "done"]
        steps = ", ".join(done) or "no step"
        state = "is done" if is_applied(entry.journal) else "goes on"
        progress.say(f"The run of {entry.journal.started} {state}; done so far: {steps}.")
    for other in entries:
        if other.error is not None:
            progress.say(f"Left alone: {other.error.message}")


def _root_is_needed(route: Route) -> bool:
    return os.geteuid() != 0 and any(step.needs_root for step in route.steps)


def _agreed(question: str, route: Route | None = None) -> bool:
    for step in route.steps if route is not None else ():
        brought = would_bring(step)
        more = f", {brought}" if brought is not None else ""
        click.echo(f"  {safe(step.title)}{' (as root)' if step.needs_root else ''}{more}", err=True)
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        click.echo("", err=True)
        return False


def _show_undo(journal: Journal, path: Path) -> None:
    click.echo(f"Run of {journal.started}, {journal.backend} ({path}):", err=True)
    for step in reversed(journal.steps):
        if leaves_something(step):
            names = ", ".join(package.name for package in step.changes.added)
            more = f": purges {names}" if names else ""
            click.echo(f"  {safe(step.title)}{safe(more)}", err=True)


def _environment_of(journal: Journal) -> str | None:
    """Return the virtual environment into which the steps installed; None: they made none."""
    made = [step.action for step in journal.steps]
    paths = [action.path for action in made if isinstance(action, MakeEnvironment)]
    return next((path for path in paths if Path(path, "pyvenv.cfg").is_file()), None)


def _seen(prefix: str | None = None) -> Seen:
    """Return what doctor finds now, with the drivers in the virtual environment `prefix`."""
    snapshot, knowledge = gather(
        None, None, _DRIVER_LIMIT_S, for_text=False, verbose=False, prefix=prefix
    )
    diagnosis = diagnose(snapshot, knowledge)
    return Seen(
        devices=tuple(
            SeenDevice(one.icd or "", one.platform or "unknown", one.name or "unknown")
            for one in diagnosis.devices
        ),
        errors=tuple(
            f"{one.id}: {one.title}"
            for one in diagnosis.findings
            if one.verdict == "present" and one.severity == "error"
        ),
    )


def _with_error(report: ApplyReport, error: ClprobeError) -> ApplyReport:
    return replace(report, problem=Problem(error.reference, error.message, error.hint))


def _finish(report: ApplyReport, asked: Asked) -> int:
    if asked.as_json:
        print_document(document(SCHEMA, report))
    else:
        ApplyText(make_console(asked.color)).show(report)
    if report.outcome == "applied" and report.after is not None and report.after.errors:
        return exit_codes.PROBLEMS
    return _STATUS.get(report.outcome, exit_codes.UNDECIDED)
