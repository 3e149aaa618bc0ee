# SPDX-License-Identifier: MIT
"""The files that bench writes and compares."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from clprobe.cli.output_file import checked_folder
from clprobe.model.bench_codec import SCHEMA, report_from_text
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import BenchReport
from clprobe.plain_file import read_plain

SUFFIXES = (".json", ".html", ".md")
_LARGEST_BYTES = 64 << 20
_HINT = "clprobe bench --output FILE.json writes what can be compared."


def checked_output(
    context: click.Context, option: click.Parameter, path: Path | None
) -> Path | None:
    """Return the path if a report can be written there; click calls this before any work."""
    if path is not None and path.suffix not in SUFFIXES:
        raise click.BadParameter(f"{path} ends in none of {', '.join(SUFFIXES)}.")
    return checked_folder(context, option, path)


def read_reports(paths: Sequence[Path]) -> list[tuple[str, BenchReport]]:
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
