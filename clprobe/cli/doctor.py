# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - imports stand where they are needed: drivers are asked before rules load
"""`clprobe doctor`: says what is wrong with OpenCL here, why, and how to fix it."""

import time
from typing import TYPE_CHECKING, NamedTuple

import click

from clprobe.cli.act_options import Act, act_options, wanted_act, wanted_form
from clprobe.cli.completion import device_words, rule_ids
from clprobe.cli.config import check_rules, read_config
from clprobe.cli.doctor_program import (
    WithProgram,
    program_options,
    unit_name,
    wanted_program,
    watch,
)
from clprobe.cli.doctor_rules import show_rules, show_why
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.fleet.command import fleet_status
from clprobe.cli.gathering import diagnose_since, gather
from clprobe.cli.options import file_argument, from_option, only_source, timeout_option
from clprobe.cli.output import print_document
from clprobe.cli.output_option import output_option

if TYPE_CHECKING:
    from clprobe.diagnosis.knowledge import Knowledge
    from clprobe.model.comparison import Comparison
    from clprobe.model.finding import Diagnosis
    from clprobe.model.snapshot import Snapshot


_WITH_LOG = ("text", "json", "markdown")


class _Answer(NamedTuple):
    """What is printed, in whatever format."""

    diagnosis: "Diagnosis"
    comparison: "Comparison | None"
    knowledge: "Knowledge"
    exit_status: int
    elapsed_ms: int
    snapshot: "Snapshot"


@click.command("doctor", cls=WithProgram)
@file_argument
@from_option(
    "Diagnose this snapshot or pasted text (4 MiB at most), not this host; 'PATTERN*' takes many."
)
@click.option(
    "--as",
    "asked",
    metavar="USER",
    help="Answer for another user or service: NAME, UID, UID:GID,GID or NAME.service.",
)
@click.option(
    "--device",
    "selectors",
    multiple=True,
    metavar="SEL",
    shell_complete=device_words,
    help="Show these devices only.",
)
@click.option(
    "--log",
    "log_of",
    metavar="DEVICE",
    shell_complete=device_words,
    help="Show each step from the bus to programs for a device, GPU or driver.",
)
@click.option(
    "--baseline",
    metavar="FILE",
    type=click.Path(),
    help="Say what changed since this snapshot, and what that broke.",
)
@click.option(
    "--why",
    "rule_id",
    metavar="RULE",
    shell_complete=rule_ids,
    help="Say why this rule holds or does not.",
)
@click.option("--list", "list_rules", is_flag=True, help="List what is checked.")
@click.option(
    "--no-kernel", is_flag=True, help="Do not build and run a small kernel on each device."
)
@click.option(
    "--pairs", is_flag=True, help="Load every two drivers together; may take twice as long."
)
@program_options
@timeout_option()
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "junit", "markdown", "html"]),
    default="text",
    show_default=True,
    help="How to lay it out.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@output_option
@act_options
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="RULE",
    shell_complete=rule_ids,
    help="Leave out this finding and what follows from it; repeatable.",
)
@click.option("--strict", is_flag=True, help="Let warnings count as errors.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever was found.")
@click.option("-q", "--quiet", is_flag=True, help="Print a line per finding, and the verdict.")
@click.option("-v", "--verbose", is_flag=True, help="Show evidence; have frameworks compute.")
@click.pass_obj
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    obj: dict[str, str],
    /,
    file: str | None,
    source: str | None,
    asked: str | None,
    selectors: tuple[str, ...],
    log_of: str | None,
    baseline: str | None,
    rule_id: str | None,
    list_rules: bool,
    no_kernel: bool,
    pairs: bool,
    pid: int | None,
    service: str | None,
    container: str | None,
    flatpak: str | None,
    snap: str | None,
    timeout: float,
    form: str,
    as_json: bool,
    ignored: tuple[str, ...],
    strict: bool,
    exit_zero: bool,
    quiet: bool,
    verbose: bool,
    reports: bool,
    **acts: bool,
) -> int:
    """Say why OpenCL devices are missing, root-only or crashing, and how to fix it.

    With a FILE or FOLDER it reads what is in there, like --from: a snapshot, or whatever people
    paste. Snapshots of many machines, in a FOLDER or by 'snapshots/*.json', are summed up in one
    table. With -- PROGRAM ARGUMENT… it runs that program as if you had, and says why it does not
    use a device, or on which device it ran. ~/.config/clprobe/config.toml may say
    ignore = ["RULE", …] and strict = true.
    """
    started = time.perf_counter()
    form = wanted_form("json" if as_json else form, reports=reports)
    source = only_source(file, source)
    target = wanted_program(
        pid=pid,
        service=service,
        outside={"container": container, "flatpak": flatpak, "snap": snap},
        others=source is not None or asked is not None,
        alone=_given({"--fix": acts["fixes"], "--undo": acts["undoes"], "--list": list_rules}),
    )
    if (act := wanted_act(form, **acts)) is not None:
        return _act(act, obj["color"], timeout, yes=acts["yes"], as_json=form == "json")
    if list_rules:
        show_rules(obj["color"], as_json=form == "json")
        return exit_codes.OK
    check_rules(ignored)
    if log_of is not None and form not in _WITH_LOG:
        raise click.UsageError(f"--log goes with --format {', '.join(_WITH_LOG)}, not with {form}.")
    config = read_config()
    strict |= config.strict
    known = {*ignored, *config.ignore} if form != "report" else set()
    summed_up = fleet_status(source, ignored=known, strict=strict, form=form)
    if summed_up is not None:
        return _ended(summed_up, exit_zero=exit_zero)
    if target.service is not None:
        asked = unit_name(target.service)
    watched = watch(target, to_stderr=form != "text")
    snapshot, knowledge = gather(
        *(source, asked, timeout),
        watched=watched,
        outside=target.outside,
        for_text=form == "text" and not acts["check"],
        verbose=verbose,
        silent=acts["check"],
        run_kernels=not no_kernel,
        compile_anew=verbose or bool(selectors),
        pairs=pairs,
        ask_frameworks=verbose,
    )
    if rule_id is not None:
        show_why(rule_id, snapshot, knowledge, obj["color"], as_json=form == "json")
        return exit_codes.OK
    from clprobe.diagnosis.diagnose import with_devices

    diagnosis, comparison = diagnose_since(
        baseline, snapshot, knowledge, ignored=known, log_of=log_of
    )
    if acts["check"]:
        status = _exit_status(with_devices(diagnosis, selectors), strict=strict)
        return _ended(status, exit_zero=exit_zero)
    if _sends_to_a_plan(diagnosis):
        from clprobe.cli.plan_options import our_python
        from clprobe.install.advised import with_routes

        python = our_python() if source is None else None
        diagnosis = with_routes(diagnosis, snapshot, knowledge.tables, source, python=python)
    shown = with_devices(diagnosis, selectors)
    status = _exit_status(diagnosis, strict=strict)
    elapsed_ms = round((time.perf_counter() - started) * 1000)
    answer = _Answer(shown, comparison, knowledge, status, elapsed_ms, snapshot)
    if form == "text":
        _show_text(answer, obj["color"], verbosity=verbose - quiet)
    else:
        print_document(_document(answer, form))
    return _ended(status, exit_zero=exit_zero)


def _sends_to_a_plan(diagnosis: "Diagnosis") -> bool:
    """Tell whether a problem's remedy names no route yet; all that plans is imported for these."""
    from clprobe.model.action import SeePlan

    is_problem = any(finding.verdict == "present" for finding in diagnosis.findings)
    remedies = (remedy for finding in diagnosis.findings for remedy in finding.remedies)
    return is_problem and any(
        isinstance(one.action, SeePlan) and one.action.backend is None for one in remedies
    )


def _ended(status: int, *, exit_zero: bool) -> int:
    return exit_codes.OK if exit_zero else status


def _given(options: dict[str, bool]) -> str | None:
    return next((name for name, is_given in options.items() if is_given), None)


def _act(act: Act, color: str, timeout: float, *, yes: bool, as_json: bool) -> int:
    from clprobe.cli.acting import Asked, undo
    from clprobe.cli.doctor_fix import fix

    asked = Asked(yes, as_json, color)
    return fix(asked, timeout) if act == "fix" else undo("doctor", asked)


def _show_text(answer: _Answer, color: str, *, verbosity: int) -> None:
    from clprobe.report.doctor_text import DoctorText
    from clprobe.report.terminal import make_console

    DoctorText(make_console(color), verbosity=verbosity).show(
        answer.diagnosis,
        checks=len(answer.knowledge.rules),
        elapsed_ms=answer.elapsed_ms,
        comparison=answer.comparison,
        scrubbed=answer.snapshot.scrubbed,
    )


def _report(answer: _Answer) -> str:
    """Return what to paste into an issue, and tell on stderr what its reporter should know."""
    from clprobe.report.doctor_words import scrubbed_line
    from clprobe.report.escaping import safe_line
    from clprobe.report.issue_report import MOST_CHARACTERS, issue_report

    text = issue_report(answer.diagnosis, answer.snapshot, answer.comparison)
    click.echo(f"clprobe: {safe_line(scrubbed_line(answer.snapshot.scrubbed))}", err=True)
    if len(text) > MOST_CHARACTERS:
        click.echo(
            f"clprobe: {len(text):,} characters are more than an issue may have; attach them as a "
            "file: --output report.md",
            err=True,
        )
    return text


def _document(answer: _Answer, form: str) -> str:
    """Return the document of `form`: report, json, sarif, junit, markdown or html."""
    if form == "report":
        return _report(answer)
    diagnosis, comparison, knowledge, exit_status, elapsed_ms, _ = answer
    if form == "markdown":
        from clprobe.report.markdown import diagnosis_as_markdown

        return diagnosis_as_markdown(diagnosis, comparison)
    if form == "html":
        from clprobe.report.doctor_html import diagnosis_as_html

        checks = len(knowledge.rules)
        return diagnosis_as_html(
            diagnosis, checks=checks, elapsed_ms=elapsed_ms, comparison=comparison
        )
    if form == "sarif":
        from clprobe.report.sarif import diagnosis_as_sarif

        return diagnosis_as_sarif(diagnosis, knowledge.rules, exit_status=exit_status)
    if form == "junit":
        from clprobe.report.junit import diagnosis_as_junit

        return diagnosis_as_junit(diagnosis, knowledge.rules, elapsed_ms=elapsed_ms)
    import msgspec

    from clprobe.report.as_json import document

    since = msgspec.to_builtins(comparison) if comparison else {}
    return document("clprobe.doctor/1", diagnosis, elapsed_ms=elapsed_ms, **since)


def _exit_status(diagnosis: "Diagnosis", *, strict: bool) -> int:
    present = {one.severity for one in diagnosis.findings if one.verdict == "present"}
    if "error" in present or (strict and "warning" in present):
        return exit_codes.PROBLEMS
    return exit_codes.UNDECIDED if diagnosis.status == "undetermined" else exit_codes.OK
