# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - a format is loaded only where it is wanted
"""Diagnoses each snapshot of a fleet, and prints the sums."""

import time
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.fleet.files import Files
from clprobe.cli.fleet.workers import Workers
from clprobe.cli.output import print_document
from clprobe.cli.progress import CountProgress
from clprobe.cli.sources import read_machine
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.fleet import machine_of, sum_up
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.facts.permissions.as_user import as_stated_user
from clprobe.model.errors import ClprobeError
from clprobe.model.fleet import Fleet, Machine, Skipped


class Wanted(NamedTuple):
    """How to diagnose, and what to print."""

    asked: str | None
    ignored: Collection[str]
    strict: bool
    form: str
    verbosity: int
    silent: bool
    color: str


def show_fleet(files: Files, wanted: Wanted) -> int:
    """Print the sums of the snapshots, and return the exit status: that of the worst machine."""
    started = time.perf_counter()
    fleet = _diagnosed(files, wanted)
    if not wanted.silent:
        elapsed_ms = round((time.perf_counter() - started) * 1000)
        _print(fleet, wanted, elapsed_ms)
    return exit_status(fleet, strict=wanted.strict)


def exit_status(fleet: Fleet, *, strict: bool) -> int:
    """Return that of the worst machine; a damaged snapshot is one that nobody could decide."""
    present = {one.worst for one in fleet.hosts}
    if "error" in present or (strict and "warning" in present):
        return exit_codes.PROBLEMS
    undecided = any(one.status == "undetermined" for one in fleet.hosts)
    damaged = any(one.damaged for one in fleet.skipped)
    return exit_codes.UNDECIDED if undecided or damaged else exit_codes.OK


def _diagnosed(files: Files, wanted: Wanted) -> Fleet:
    knowledge = Knowledge.load()
    summaries = {rule.id: rule.summary for rule in knowledge.rules}

    def damaged(path: Path, why: str) -> Skipped:
        name = str(path.relative_to(files.folder))
        return Skipped(name=name, why=why.rstrip("."), damaged=True)

    def work(path: Path) -> Machine | Skipped:
        try:
            snapshot = read_machine(path)
            if wanted.asked is not None:
                snapshot = as_stated_user(snapshot, wanted.asked)
            diagnosis = diagnose(snapshot, knowledge, ignored=wanted.ignored, resembling=False)
            return machine_of(str(path.relative_to(files.folder)), diagnosis, summaries)
        except ClprobeError as error:
            return damaged(path, _without(str(path), error.message))
        except Exception as error:  # noqa: BLE001 - one machine must not end the others' run
            return damaged(path, f"clprobe failed on it: {type(error).__name__}: {error}")

    workers = Workers(work, lambda path: damaged(path, "the process that read it died"))
    progress = CountProgress(len(files.snapshots), silent=wanted.silent)
    results = list(progress.of(workers.results(files.snapshots)))
    machines = (one for one in results if isinstance(one, Machine))
    skipped = (one for one in results if isinstance(one, Skipped))
    return sum_up(str(files.folder), machines, (*files.skipped, *skipped))


def _without(name: str, message: str) -> str:
    """Return what is wrong without the file's name, which stands before it."""
    told = message.removeprefix(name)
    return f"it{told}" if told.startswith(" ") else told.lstrip(": ")


def _print(fleet: Fleet, wanted: Wanted, elapsed_ms: int) -> None:
    if wanted.form == "text":
        from clprobe.report.fleet.text import show
        from clprobe.report.terminal import make_console

        show(make_console(wanted.color), fleet, elapsed_ms=elapsed_ms, verbosity=wanted.verbosity)
        return
    print_document(_document(fleet, wanted, elapsed_ms))


def _document(fleet: Fleet, wanted: Wanted, elapsed_ms: int) -> str:
    if wanted.form == "html":
        from clprobe.report.fleet.html import fleet_as_html

        return fleet_as_html(fleet, elapsed_ms=elapsed_ms)
    if wanted.form == "markdown":
        from clprobe.report.fleet.markdown import fleet_as_markdown

        return fleet_as_markdown(fleet, elapsed_ms=elapsed_ms)
    if wanted.form == "junit":
        from clprobe.report.fleet.junit import fleet_as_junit

        return fleet_as_junit(fleet, elapsed_ms=elapsed_ms)
    if wanted.form == "sarif":
        from clprobe.report.fleet.sarif import fleet_as_sarif

        status = exit_status(fleet, strict=wanted.strict)
        return fleet_as_sarif(fleet, Knowledge.load().rules, exit_status=status)
    from clprobe.report.as_json import document

    return document("clprobe.fleet/1", fleet, elapsed_ms=elapsed_ms)
