# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - imports stand where they are needed: drivers are asked before rules load
"""`clprobe doctor`: says what is wrong with OpenCL here, why, and how to fix it."""

import time
from typing import TYPE_CHECKING

import click

from clprobe.cli.completion_words import device_words, rule_ids
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.gathering import diagnose_since, gather
from clprobe.cli.output import print_document
from clprobe.cli.seconds import timeout_option

if TYPE_CHECKING:
    from clprobe.model.finding import Diagnosis


@click.command()
@click.option(
    "--from",
    "source",
    metavar="FILE|-",
    type=click.Path(allow_dash=True),
    help="Diagnose this snapshot or pasted text (4 MiB at most), not this host.",
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
    help="Show these devices; run a kernel on each.",
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
    "--pairs", is_flag=True, help="Load every two drivers together; may take twice as long."
)
@timeout_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "junit", "markdown", "html"]),
    default="text",
    show_default=True,
    help="How to lay it out.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--strict", is_flag=True, help="Let warnings count as errors.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever was found.")
@click.option("-q", "--quiet", is_flag=True, help="Print only the findings.")
@click.option("-v", "--verbose", is_flag=True, help="Show evidence; run a kernel on each device.")
@click.pass_obj
def command(  # noqa: PLR0913, PLR0917 - one parameter per option
    obj: dict[str, str],
    source: str | None,
    asked: str | None,
    selectors: tuple[str, ...],
    baseline: str | None,
    rule_id: str | None,
    list_rules: bool,
    pairs: bool,
    timeout: float,
    form: str,
    as_json: bool,
    strict: bool,
    exit_zero: bool,
    quiet: bool,
    verbose: bool,
) -> int:
    """Say why OpenCL devices are missing, root-only or crashing, and how to fix it."""
    started = time.perf_counter()
    form = "json" if as_json else form
    if list_rules:
        from clprobe.cli.doctor_rules import list_rules_of

        return list_rules_of(obj["color"], as_json=form == "json")
    run_kernels = verbose or bool(selectors)
    snapshot, knowledge = gather(
        *(source, asked, timeout),
        for_text=form == "text",
        verbose=verbose,
        run_kernels=run_kernels,
        pairs=pairs,
        ask_frameworks=verbose,
    )
    if rule_id is not None:
        from clprobe.cli.doctor_rules import why

        return why(rule_id, snapshot, knowledge, obj["color"], as_json=form == "json")
    from clprobe.diagnosis.diagnose import with_devices

    diagnosis, comparison = diagnose_since(baseline, snapshot, knowledge)
    if any(finding.verdict == "present" for finding in diagnosis.findings):
        from clprobe.install.planner import with_routes

        diagnosis = with_routes(diagnosis, snapshot, knowledge.tables, source)
    shown = with_devices(diagnosis, selectors)
    status = _exit_status(diagnosis, strict=strict)
    elapsed_ms = round((time.perf_counter() - started) * 1000)
    if form == "text":
        from clprobe.report.doctor_text import DoctorText
        from clprobe.report.terminal import make_console

        text = DoctorText(make_console(obj["color"]), verbosity=verbose - quiet)
        checks = len(knowledge.rules)
        text.show(
            shown,
            checks=checks,
            elapsed_ms=elapsed_ms,
            comparison=comparison,
            scrubbed=snapshot.scrubbed,
        )
    else:
        from clprobe.cli.doctor_documents import Printed, document_of

        printed = Printed(shown, knowledge, status, elapsed_ms, comparison)
        print_document(document_of(printed, form))
    return exit_codes.OK if exit_zero else status


def _exit_status(diagnosis: "Diagnosis", *, strict: bool) -> int:
    present = {one.severity for one in diagnosis.findings if one.verdict == "present"}
    if "error" in present or (strict and "warning" in present):
        return exit_codes.PROBLEMS
    return exit_codes.UNDECIDED if diagnosis.status == "undetermined" else exit_codes.OK
