# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - a prolog waits for this: rules, probes and pastes load where they are needed
"""`clprobe check`: says whether a host has what a program needs, as needs.yaml tells it."""

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.folder import files_of, holds_several
from clprobe.cli.options import file_argument, from_option, only_source, timeout_option
from clprobe.cli.output import print_document
from clprobe.cli.output_option import output_option

if TYPE_CHECKING:
    from clprobe.diagnosis.knowledge import Knowledge
    from clprobe.knowledge.tables import Tables
    from clprobe.model.finding import Diagnosis
    from clprobe.model.snapshot import Snapshot
    from clprobe.needs.answer import CheckReport, HostAnswer
    from clprobe.needs.written import Needs
    from clprobe.ruleset.rule import Rule

_MOST_HOSTS = 20_000
_STATUS = {
    "yes": exit_codes.OK,
    "no": exit_codes.PROBLEMS,
    "not-known": exit_codes.UNDECIDED,
}
_FOLDER = Path(__file__).resolve().parent.parent / "needs"
_EXAMPLE, _NAMED = _FOLDER / "example.yaml", _FOLDER / "named"


@click.command()
@file_argument
@click.option(
    "--needs",
    "given",
    metavar="FILE",
    type=click.Path(),
    help="What is needed, in YAML; or cpu-device: a CPU on which kernels run.",
)
@from_option("Answer for this snapshot or pasted text, or each of a FOLDER, not this host.")
@timeout_option()
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "nfd", "prometheus"]),
    default="text",
    show_default=True,
    help="How to lay it out; nfd, prometheus: what those read.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@output_option
@click.option("-q", "--quiet", is_flag=True, help="Print one line a host and nothing else.")
@click.option("--example", is_flag=True, help="Print needs to begin with.")
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    file: str | None,
    given: str | None,
    source: str | None,
    timeout: float,
    form: str,
    as_json: bool,
    quiet: bool,
    example: bool,
) -> int:
    """Say whether this host has what a program needs: yes, no with the cause, or not known.

    Exit status 0: yes, 1: no, 3: not known, 2: the needs cannot be read. Each file of a FOLDER is
    a host of its own.
    """
    if example:
        click.echo(_EXAMPLE.read_text("utf-8"), nl=False)
        return exit_codes.OK
    if given is None:
        raise click.UsageError("Name the needs: --needs FILE; --example prints some.")
    source, form = only_source(file, source), "json" if as_json else form
    is_several = source is not None and holds_several(source)
    if form == "nfd" and is_several:
        raise click.UsageError("--format nfd is about one host, not about a folder of them.")
    path = _file_of(given)
    host = None if source is not None else _live(path, timeout, quiet=quiet)
    needs, tables = _read(path) if host is None else (host.needs, host.tables)
    answers: list[HostAnswer] = []
    for answer in _answers(needs, tables, source, host):
        answers.append(answer)
        if form == "text":
            _show(answer, brief=quiet or is_several)
    from clprobe.needs.check import report_of

    report = report_of(path.name, answers)
    _finish(report, form, needs.label or path.stem, is_summed_up=is_several)
    return _STATUS[report.answer]


def _file_of(given: str) -> Path:
    """Return the file that is named, or else the one of that name that clprobe brings along."""
    named = {path.stem: path for path in _NAMED.glob("*.yaml")}
    return Path(given) if Path(given).exists() else named.get(given, Path(given))


def _read(path: Path) -> "tuple[Needs, Tables]":
    from clprobe.knowledge.tables import Tables
    from clprobe.needs.reading import read_needs

    tables = Tables.load()
    return read_needs(path, tables), tables


def _answers(
    needs: "Needs", tables: "Tables", source: str | None, host: "_Live | None"
) -> "Iterator[HostAnswer]":
    from clprobe.needs.check import check_host, not_read

    doctor = _doctor(tables, None if host is None else host.rules)
    if host is not None:
        yield check_host(needs, host.snapshot, tables, doctor)
    if source is None:
        return
    from clprobe.cli.sources import read_snapshot
    from clprobe.model.errors import ClprobeError

    if not holds_several(source):
        yield check_host(needs, read_snapshot(source), tables, doctor, host=source)
        return
    for path in files_of(source, most=_MOST_HOSTS):
        name = str(path.relative_to(source) if Path(source).is_dir() else path)
        try:
            snapshot = read_snapshot(str(path))
            answer = check_host(needs, snapshot, tables, doctor, host=name)
        except ClprobeError as error:
            answer = not_read(name, error.message)
        yield answer


class _Live(NamedTuple):
    """What is asked of this host, what it is like, and the rules by which that is judged."""

    needs: "Needs"
    tables: "Tables"
    snapshot: "Snapshot"
    rules: "tuple[Rule, ...]"


def _live(path: Path, timeout: float, *, quiet: bool) -> _Live:
    """Return what a file asks of this host, and its facts; it is read while loaders are asked.

    Raises: ClprobeError if it cannot be read.
    """
    from clprobe.probe.forking import fork_server

    fork_server(os.environ)  # it gets ready while everything else is imported
    from clprobe.cli.gathering import Background, scrubbed_facts
    from clprobe.probe.live_host import LiveHost

    read: list[tuple[Needs, Tables]] = []

    def computes() -> bool:
        read.append(_read(path))
        from clprobe.needs.written import asks_to_compute

        return asks_to_compute(read[0][0])

    loading = Background(lambda: _load_while_waiting(read[0][1]))
    snapshot = scrubbed_facts(
        LiveHost(), timeout, silent=quiet, run_kernels=computes, once_asked=loading.begin
    )
    return _Live(*read[0], snapshot, loading.result())


def _load_while_waiting(tables: "Tables") -> "tuple[Rule, ...]":
    """Read what judges the facts; the rules, too, which say what is wrong where there is no yes."""
    import clprobe.diagnosis.diagnose
    import clprobe.needs.check  # noqa: F401
    from clprobe.model.snapshot import Snapshot
    from clprobe.ruleset.rules import load_rules
    from clprobe.scrub import Known, scrub, scrub_text

    scrub_text("", Known())  # the first text has all patterns compiled
    scrub(Snapshot())
    tables.programs()
    tables.implementations()
    return load_rules()


def _doctor(
    tables: "Tables", rules: "tuple[Rule, ...] | None"
) -> "Callable[[Snapshot], Diagnosis]":
    """Return what says what is wrong with a host; rules are read once, and only if it is asked."""

    @functools.cache
    def knowledge() -> "Knowledge":
        from clprobe.diagnosis.knowledge import Knowledge
        from clprobe.ruleset.rules import load_rules

        return Knowledge(load_rules() if rules is None else rules, tables)

    def doctor(snapshot: "Snapshot") -> "Diagnosis":
        from clprobe.diagnosis.diagnose import diagnose

        # Of solved reports, which take most of the time, nothing is shown.
        return diagnose(snapshot, knowledge(), resembling=False)

    return doctor


def _show(answer: "HostAnswer", *, brief: bool) -> None:
    from clprobe.report.check_text import line_of, lines_of

    for line in [line_of(answer)] if brief else lines_of(answer):
        click.echo(line)


def _finish(report: "CheckReport", form: str, label: str, *, is_summed_up: bool) -> None:
    if form == "json":
        from clprobe.report.as_json import document

        print_document(document("clprobe.check/1", report))
    elif form == "text":
        from clprobe.report.check_text import summary_of

        if is_summed_up:
            click.echo(summary_of(report), err=True)
    else:
        from clprobe.report.check_exports import nfd_lines, prometheus_lines

        lines = nfd_lines if form == "nfd" else prometheus_lines
        print_document("".join(f"{line}\n" for line in lines(report, label)))
