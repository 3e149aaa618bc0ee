# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - each form of the report loads only where it is asked for
"""How bench shows and writes what it found, and `--compare`, which reads that again."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from clprobe.bench.compare.comparison import compare
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.output import print_document
from clprobe.cli.output_file import STDOUT, checked_folder, write_file
from clprobe.knowledge.tables import Tables
from clprobe.model.bench_codec import SCHEMA, report_from_text
from clprobe.model.comparison import BenchComparison
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import BenchReport
from clprobe.plain_file import read_plain
from clprobe.report.as_json import document

_SUFFIXES = (".json", ".html", ".md")
_SCHEMAS = {BenchReport: SCHEMA, BenchComparison: "clprobe.bench-compare/1"}
_LARGEST_BYTES = 64 << 20
_HINT = "clprobe bench --output FILE.json writes what can be compared."


def checked_output(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    """Return the path if a report can be written there; click calls this before any work."""
    if path is not None and str(path) != STDOUT and path.suffix not in _SUFFIXES:
        raise click.BadParameter(f"{path} ends in none of {', '.join(_SUFFIXES)}.")
    return checked_folder(context, option, path)


def show(found: BenchReport | BenchComparison, ctx: click.Context, *, as_json: bool) -> None:
    """Print it as a document or as text."""
    if as_json:
        print_document(document(_SCHEMAS[type(found)], found))
        return
    # rich is slow to import and only text needs it.
    from clprobe.report.bench.text import bench_compare_text, bench_text
    from clprobe.report.terminal import make_console, speaks_utf8

    console = make_console(ctx.obj["color"])
    plain = not speaks_utf8(console)
    if isinstance(found, BenchReport):
        console.print(bench_text(found, plain=plain))
    else:
        console.print(bench_compare_text(found, plain=plain))


def write(found: BenchReport | BenchComparison, output: Path | None) -> None:
    """Write it in the form that the file's suffix names; None: nowhere."""
    if output is None:
        return
    from clprobe.report.bench.html import bench_compare_html, bench_html
    from clprobe.report.bench.markdown import bench_compare_markdown, bench_markdown

    if output.suffix == ".json":
        text = document(_SCHEMAS[type(found)], found)
    elif isinstance(found, BenchReport):
        text = bench_html(found) if output.suffix == ".html" else bench_markdown(found)
    elif output.suffix == ".html":
        text = bench_compare_html(found)
    else:
        text = bench_compare_markdown(found)
    write_file(output, text)


def compare_files(
    ctx: click.Context, paths: Sequence[Path], *, as_json: bool, output: Path | None
) -> int:
    """Show how the reports in these files or folders differ; status 1 if one became wrong."""
    comparison = compare(_read_reports(paths), Tables.load())
    show(comparison, ctx, as_json=as_json)
    write(comparison, output)
    is_wrong = any(one.effect == "became-wrong" for one in comparison.differences)
    return exit_codes.PROBLEMS if is_wrong else exit_codes.OK


def refuse_other_options(*, compares: bool, paths: Sequence[Path], measuring: bool) -> None:
    """Raise a usage error if files are named without --compare, or it with what to measure."""
    if paths and not compares:
        raise click.UsageError(
            f"{paths[0]} is read only by --compare: clprobe bench --compare BEFORE.json AFTER.json."
        )
    if compares and not paths:
        raise click.UsageError("--compare needs files: BEFORE.json AFTER.json, or a folder.")
    if compares and measuring:
        raise click.UsageError(
            "--compare measures nothing: leave out --device, --workload, --quick, --full and "
            "--baseline."
        )


def _read_reports(paths: Sequence[Path]) -> list[tuple[str, BenchReport]]:
    """Return every report with the name of its file; a folder gives all that lie in it.

    Raises: ClprobeError if a file is no report, or there are fewer than two.
    """
    reports = [one for path in paths for one in _reports(path)]
    if len(reports) < 2:
        found = ", ".join(name for name, _ in reports) or "none"
        raise ClprobeError(
            reference="too-few-bench-reports",
            message=f"--compare needs two reports or more, there is: {found}.",
            hint="clprobe bench --compare BEFORE.json AFTER.json, or name a folder of them.",
        )
    return reports


def _reports(path: Path) -> Iterator[tuple[str, BenchReport]]:
    if not path.is_dir():
        yield str(path), report_from_text(_text(path), name=str(path))
        return
    for file in sorted(path.glob("*.json")):
        text = _text(file)
        # Snapshots and diagnoses may lie beside them; a damaged file is told.
        if not _is_other_document(text):
            yield str(file), report_from_text(text, name=str(file))


def _is_other_document(text: str) -> bool:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return not isinstance(data, dict) or data.get("schema") != SCHEMA


def _text(path: Path) -> str:
    try:
        data = read_plain(path, _LARGEST_BYTES)
    except OSError as error:
        raise ClprobeError(
            reference="bench-report-unreadable",
            message=f"{path}: {error.strerror or error}.",
            hint=_HINT,
        ) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ClprobeError(
            reference="bench-report-malformed",
            message=f"{path}: line {line} holds the byte {data[error.start]:#04x}, no UTF-8.",
            hint=_HINT,
        ) from error
