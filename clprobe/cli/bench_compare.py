# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - each form of the report loads only where it is asked for
"""`clprobe bench --compare`: what changed between runs, beyond the noise."""

from collections.abc import Sequence
from pathlib import Path

import click

from clprobe.bench.compare.comparison import compare
from clprobe.cli.bench_files import read_reports
from clprobe.cli.exit import codes as exit_codes
from clprobe.cli.output import print_document
from clprobe.cli.output_file import write_file
from clprobe.knowledge.tables import Tables
from clprobe.model.comparison import BenchComparison
from clprobe.report.as_json import document

_SCHEMA = "clprobe.bench-compare/1"


def compare_files(
    ctx: click.Context, paths: Sequence[Path], *, as_json: bool, output: Path | None
) -> int:
    """Show how the reports in these files or folders differ; status 1 if one became wrong."""
    comparison = compare(read_reports(paths), Tables.load())
    if as_json:
        print_document(document(_SCHEMA, comparison))
    else:
        from clprobe.report.bench.compare_text import bench_compare_text
        from clprobe.report.terminal import make_console, speaks_utf8

        console = make_console(ctx.obj["color"])
        console.print(bench_compare_text(comparison, plain=not speaks_utf8(console)))
    if output is not None:
        write_file(output, _rendered(comparison, output.suffix))
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


def _rendered(comparison: BenchComparison, suffix: str) -> str:
    if suffix == ".json":
        return document(_SCHEMA, comparison)
    if suffix == ".html":
        from clprobe.report.bench.compare_html import bench_compare_html

        return bench_compare_html(comparison)
    from clprobe.report.bench.compare_markdown import bench_compare_markdown

    return bench_compare_markdown(comparison)
