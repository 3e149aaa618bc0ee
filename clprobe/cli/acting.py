# SPDX-License-Identifier: MIT
"""What `install-plan --apply`, `doctor --fix` and their `--undo` share: who is asked, and shown."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
from click.core import ParameterSource

from clprobe.apply.journal import Command, Journal, StepRecord
from clprobe.apply.package_list import leaves_something
from clprobe.apply.questions import would_bring
from clprobe.apply.result import ApplyReport, Seen, SeenDevice
from clprobe.apply.run import Runs
from clprobe.apply.work import Limits
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.output import print_document
from clprobe.cli.progress import StepProgress
from clprobe.model.finding import Diagnosis, Severity
from clprobe.report.apply_text import ApplyText
from clprobe.report.as_json import document
from clprobe.report.escaping import safe
from clprobe.report.terminal import make_console
from clprobe.resources import is_single_file

_FINE = ("applied", "undone", "nothing-to-undo", "nothing-to-do")


class Asked(NamedTuple):
    """How the person wants it."""

    yes: bool
    as_json: bool
    color: str
    limits: Limits = Limits()


class Terminal(StepProgress):
    """The person at the terminal, unless --yes says that nobody is to be asked."""

    def __init__(self, command: Command, asked: Asked) -> None:
        super().__init__()
        self.asked = asked
        self.own_command = own_command()
        sudo = () if os.geteuid() == 0 and not os.environ.get("SUDO_USER") else ("sudo",)
        self.undo_command = (*sudo, *_own_program(), command, "--undo")

    def agrees_to_steps(self, steps: Sequence[StepRecord]) -> bool:
        """Show what each step would bring, and ask."""
        if self.asked.yes:
            return True
        for step in steps:
            click.echo(f"  {safe(in_one_line(step))}", err=True)
        return self.agrees("Run these steps?")

    def agrees_to_undo(self, journal: Journal, path: Path) -> bool:
        """Show what was done, and ask."""
        whose = journal.backend or journal.command
        click.echo(f"Run of {journal.started}, {whose} ({path}):", err=True)
        for step in reversed(journal.steps):
            if leaves_something(step):
                names = ", ".join(package.name for package in step.changes.added)
                more = f": purges {names}" if names else ""
                click.echo(f"  {safe(step.title)}{safe(more)}", err=True)
        return self.asked.yes or self.agrees("Take these steps back?")

    def wants_undo(self, report: ApplyReport) -> bool:
        """Show how far it came, and ask; nobody who has a document to read is asked."""
        if self.asked.yes or self.asked.as_json:
            return False
        ApplyText(make_console(self.asked.color)).show(report)
        return self.agrees("Take back what was done?")

    @staticmethod
    def agrees(question: str) -> bool:
        """Ask; who is not there to answer does not agree."""
        try:
            return click.confirm(question, err=True)
        except click.Abort:
            click.echo("", err=True)
            return False

    def seen(self, environment: str | None) -> Seen:
        """Return what doctor finds now; those who only take back need not look."""
        raise NotImplementedError


def in_one_line(step: StepRecord) -> str:
    """Return what a step does, whether it needs root, and how much it would bring."""
    brought = would_bring(step)
    more = f", {brought}" if brought is not None else ""
    return f"{step.title}{' (as root)' if step.needs_root else ''}{more}"


def seen_in(diagnosis: Diagnosis) -> Seen:
    """Return what a report says of a diagnosis: all errors, and warnings that nothing explains."""

    def found(severity: Severity) -> tuple[str, ...]:
        return tuple(
            f"{one.id}: {one.title}"
            for one in diagnosis.findings
            if one.verdict == "present" and one.severity == severity
            if severity == "error" or one.caused_by is None
        )

    return Seen(
        devices=tuple(
            SeenDevice(one.icd or "", one.platform or "unknown", one.name or "unknown")
            for one in diagnosis.devices
        ),
        errors=found("error"),
        warnings=found("warning"),
    )


def undo(command: Command, asked: Asked, backend: str | None = None) -> int:
    """Take back the command's newest run of which something is left, of `backend` if stated.

    Returns the exit status: 0 taken back or nothing to do, 3 not finished.
    """
    return shown(Runs(Terminal(command, asked), asked.limits).undo(command, backend), asked)


def shown(report: ApplyReport, asked: Asked) -> int:
    """Show how a run ended.

    Returns the exit status: 0 done and proved, 1 done while doctor finds errors, 3 not finished.
    """
    if asked.as_json:
        print_document(document("clprobe.apply/1", report))
    else:
        ApplyText(make_console(asked.color)).show(report)
    if report.outcome == "applied" and report.after is not None and report.after.errors:
        return exit_codes.PROBLEMS
    return exit_codes.OK if report.outcome in _FINE else exit_codes.UNDECIDED


def own_command() -> tuple[str, ...]:
    """Return the command line that runs this very command again, with full paths."""
    context = click.get_current_context()
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            given = context.params[name]
            for value in given if isinstance(given, tuple) else (given,):
                flag = value is True
                words += [parameter.opts[-1]] if flag else [parameter.opts[0], str(value)]
    return (*_own_program(), context.command.name or "", *words)


def _own_program() -> tuple[str, ...]:
    called = Path(sys.argv[0])
    if is_single_file() and called.is_file():
        return (sys.executable, str(called.absolute()))
    if called.name == "clprobe" and called.is_file():
        return (str(called.absolute()),)
    return (sys.executable, "-m", "clprobe")
