# SPDX-License-Identifier: MIT
"""The options of doctor that act, report or only set the exit status, and what goes with them."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import click
from click.core import ParameterSource

F = TypeVar("F", bound=Callable[..., Any])
Act = Literal["fix", "undo"]
_OPTIONS = (
    click.option(
        "--fix", "fixes", is_flag=True, help="Do what it can about the findings, after asking."
    ),
    click.option("--undo", "undoes", is_flag=True, help="Take back what the last --fix did."),
    click.option("--yes", is_flag=True, help="With --fix or --undo: do not ask."),
    click.option("--check", is_flag=True, help="Print nothing, only set the exit status."),
    click.option(
        "--report",
        "reports",
        is_flag=True,
        help="Print what to paste into an issue: the answer, and the facts, scrubbed.",
    ),
)
_WITH_ACTS = {"fixes", "undoes", "yes", "timeout", "form", "as_json", "output"}
"""Parameters that go with --fix and --undo, which act on this host as it is now."""
_NOT_WITH_CHECK = {
    *("fixes", "undoes", "yes", "form", "as_json", "rule_id", "list_rules", "log_of", "quiet"),
    *("verbose", "output", "reports"),
}
_NOT_WITH_REPORT = {
    *("selectors", "log_of", "baseline", "rule_id", "list_rules", "ignored", "fixes", "undoes"),
    *("yes", "quiet", "as_json"),
}
"""A report is read by others, who ask all of it again: it says all of one host, once."""


def act_options(command: F) -> F:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wanted_act(form: str, *, fixes: bool, undoes: bool, yes: bool, check: bool) -> Act | None:
    """Return what is to be done; None: nothing is changed.

    Raises: click.UsageError for options that do not go together.
    """
    if check:
        _refuse("--check", _stated() & _NOT_WITH_CHECK, "it prints nothing")
    if yes and not (fixes or undoes):
        raise click.UsageError("--yes belongs to --fix or --undo.")
    if not (fixes or undoes):
        return None
    if fixes and undoes:
        raise click.UsageError("--fix and --undo do not go together.")
    name = "--fix" if fixes else "--undo"
    _refuse(name, _stated() - _WITH_ACTS, "it acts on this host as it is now")
    if form not in ("text", "json"):
        raise click.UsageError(f"--format {form} only prints; leave it out.")
    return "fix" if fixes else "undo"


def wanted_form(form: str, *, reports: bool) -> str:
    """Return the format, "report" where --report asks for it.

    Raises: click.UsageError for options that contradict it.
    """
    if not reports:
        return form
    stated = _stated()
    _refuse("--report", stated & _NOT_WITH_REPORT, "it is all of the answer, as Markdown")
    if form != "markdown" and ("form" in stated or form != "text"):
        raise click.UsageError(f"--report is Markdown, not {form}.")
    return "report"


def _stated() -> set[str]:
    """Return the parameters that the command line states."""
    context = click.get_current_context()
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE
    }


def _refuse(option: str, others: set[str], why: str) -> None:
    context = click.get_current_context()
    stated = [one for one in context.command.params if one.name in others]
    names = ["FILE" if isinstance(one, click.Argument) else one.opts[0] for one in stated]
    if names:
        raise click.UsageError(f"{option} does not go with {', '.join(names)}: {why}.")
