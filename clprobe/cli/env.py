# SPDX-License-Identifier: MIT
"""`clprobe env`: prints shell lines that hide broken drivers for this user, without root."""

import os
from collections.abc import Mapping, Sequence

import click

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.options import json_option, timeout_option
from clprobe.cli.output import print_document
from clprobe.cli.output_option import output_option
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.facts.hiding import Choice, choose, dies_unexplained
from clprobe.knowledge.tables import Tables
from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost
from clprobe.probe.private_folder import private_folder
from clprobe.report.as_json import document
from clprobe.report.env_lines import (
    FOLDER,
    SAVED,
    SHELLS,
    EnvReport,
    comment_lines,
    hiding_lines,
    undoing_lines,
)


@click.command()
@click.option("--undo", is_flag=True, help="Print lines that take it back.")
@click.option("--only", multiple=True, metavar="ICD", help="Keep just this driver.")
@click.option("--without", multiple=True, metavar="ICD", help="Hide this driver as well.")
@click.option(
    "--shell", type=click.Choice(SHELLS), default="sh", show_default=True, help="Shell syntax."
)
@json_option
@output_option
@timeout_option()
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    undo: bool,
    only: tuple[str, ...],
    without: tuple[str, ...],
    shell: str,
    as_json: bool,
    timeout: float,
) -> int:
    """Print shell lines that hide broken drivers: eval "$(clprobe env)".

    They make a folder of your own with an .icd file per healthy driver and let OCL_ICD_VENDORS
    name it, which every ICD loader obeys; nothing of the system is changed.
    """
    if undo:
        choice, lines, status = Choice(kept=(), hidden=()), undoing_lines(shell), exit_codes.OK
    else:
        choice = _choose(only, without, timeout)
        lines, status = _lines(choice, shell)
    if as_json:
        report = EnvReport(shell=shell, kept=choice.kept, hidden=choice.hidden, lines=lines)
        print_document(document("clprobe.env/1", report))
    else:
        click.echo("\n".join(lines).encode("utf-8", "surrogateescape"))
    return status


def _choose(only: Sequence[str], without: Sequence[str], timeout: float) -> Choice:
    host, tables = LiveHost(_former(os.environ)), Tables.load()

    def asked(*, pairs: bool) -> Facts:
        # clinfo compiles a kernel, so a driver that dies of one must be known too.
        snapshot = collect(
            host, timeout_s=timeout, run_kernels=True, compile_anew=True, pairs=pairs
        )
        return derive(snapshot, tables)

    facts = asked(pairs=False)
    choice = choose(facts, only, without)
    if not choice.hidden and dies_unexplained(facts):
        choice = choose(asked(pairs=True), only, without)
    return choice


def _former(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment as it was before lines of ours, which would hide what to judge."""
    former = dict(environment)
    if FOLDER not in former or former.get("OCL_ICD_VENDORS") != former[FOLDER]:
        return former
    for name, saved in SAVED.items():
        former.pop(name, None)
        if saved in former:
            former[name] = former[saved]
    return former


def _lines(choice: Choice, shell: str) -> tuple[tuple[str, ...], int]:
    """Return what to print and the exit status; whoever evaluates it sees the reason on stderr."""
    if not choice.hidden:
        undoing = undoing_lines(shell) if FOLDER in os.environ else ()
        return (
            *comment_lines("no driver is broken, so nothing is hidden"),
            *undoing,
        ), exit_codes.OK
    for one in choice.hidden:
        click.echo(
            f"clprobe env: {'; '.join(comment_lines(f'{one.icd}: {one.why}'))[2:]}", err=True
        )
    if not choice.kept:
        text = _nothing_left(choice)
        click.echo(f"clprobe env: {text}", err=True)
        return comment_lines(text), exit_codes.PROBLEMS
    return hiding_lines(choice, private_folder(LiveHost()), shell), exit_codes.OK


def _nothing_left(choice: Choice) -> str:
    text = "no driver is left: every registered one is broken or left out"
    if not choice.apart:
        return text
    named = ", ".join(choice.apart)
    return f"{text}; untouched, and working: {named}, which PyOpenCL's own loader reads"
