# SPDX-License-Identifier: MIT
"""`clprobe install-plan --apply` and `--undo`: asks, and shows what came of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from clprobe.apply.journal import Journal
from clprobe.apply.package_list import leaves_something
from clprobe.apply.questions import would_bring
from clprobe.apply.result import ApplyReport, Seen, SeenDevice
from clprobe.apply.run import Here, Runs
from clprobe.apply.work import Limits
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import gather
from clprobe.cli.output import print_document
from clprobe.cli.plan_options import own_command, undo_command
from clprobe.cli.progress import StepProgress
from clprobe.diagnosis.diagnose import diagnose
from clprobe.model.plan import InstallPlan, Route, Step
from clprobe.report.apply_text import ApplyText
from clprobe.report.as_json import document
from clprobe.report.escaping import safe
from clprobe.report.plan_words import step_line
from clprobe.report.terminal import make_console

_DRIVER_LIMIT_S = 10.0
_FINE = ("applied", "undone", "nothing-to-undo")


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


def apply_route(made: InstallPlan, route: Route, here: Here, asked: Asked) -> int:
    """Carry out the steps of a route on this host, and show how that ended.

    Returns the exit status: 0 applied and proved, 1 applied while doctor finds errors, 3 not
    finished.

    Raises: ClprobeError if the plan is not for this host, or has no commands.
    """
    report = Runs(_Terminal(asked), asked.limits).apply(made, route, here)
    status = _shown(report, asked)
    # What failed and was taken back is not what was asked for.
    return exit_codes.UNDECIDED if report.action == "undo" else status


def undo(backend: str | None, asked: Asked) -> int:
    """Take back the newest run of which something is left, of `backend` if that is stated.

    Returns the exit status: 0 taken back or nothing to do, 3 not finished.
    """
    return _shown(Runs(_Terminal(asked), asked.limits).undo(backend), asked)


def _shown(report: ApplyReport, asked: Asked) -> int:
    if asked.as_json:
        print_document(document("clprobe.apply/1", report))
    else:
        ApplyText(make_console(asked.color)).show(report)
    if report.outcome == "applied" and report.after is not None and report.after.errors:
        return exit_codes.PROBLEMS
    return exit_codes.OK if report.outcome in _FINE else exit_codes.UNDECIDED


class _Terminal(StepProgress):
    """The person at the terminal, unless --yes says that nobody is to be asked."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self._asked = asked
        self.own_command = own_command()
        self.undo_command = undo_command()

    def agrees_to_steps(self, steps: Sequence[Step]) -> bool:
        """Show what each step would bring, and ask."""
        if self._asked.yes:
            return True
        for step in steps:
            brought = would_bring(step)
            more = f", {brought}" if brought is not None else ""
            click.echo(f"  {safe(step_line(step))}{more}", err=True)
        return _agreed("Run these steps?")

    def agrees_to_undo(self, journal: Journal, path: Path) -> bool:
        """Show what was done, and ask."""
        click.echo(f"Run of {journal.started}, {journal.backend} ({path}):", err=True)
        for step in reversed(journal.steps):
            if leaves_something(step):
                names = ", ".join(package.name for package in step.changes.added)
                more = f": purges {names}" if names else ""
                click.echo(f"  {safe(step.title)}{safe(more)}", err=True)
        return self._asked.yes or _agreed("Take these steps back?")

    def wants_undo(self, report: ApplyReport) -> bool:
        """Show how far it came, and ask; nobody who has a document to read is asked."""
        if self._asked.yes or self._asked.as_json:
            return False
        ApplyText(make_console(self._asked.color)).show(report)
        return _agreed("Take back what was done?")

    def seen(self, environment: str | None) -> Seen:
        """Return what doctor finds now."""
        snapshot, knowledge = gather(
            None, None, _DRIVER_LIMIT_S, for_text=False, verbose=False, prefix=environment
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


def _agreed(question: str) -> bool:
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        click.echo("", err=True)
        return False
