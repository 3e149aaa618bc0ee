# SPDX-License-Identifier: MIT
"""Bench reports from JSON, with every mistake named by its place."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

from clprobe.model import plain_json
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import BenchReport

SCHEMA = "clprobe.bench/1"
_HINT = "clprobe bench --output FILE.json writes a valid one."
_SHOWN_CHARACTERS = 60
_PLACE = re.compile(r"^(?P<problem>.*?)(?: - at `\$\.?(?P<field>[^`]*)`)?$", re.DOTALL)


def report_from_text(text: str, *, name: str) -> BenchReport:
    """Return the report written in `text`; `name` is the file, for messages.

    Raises: ClprobeError if it is none; it names file, field or line, value and remedy.
    """
    data = _parsed(text, name)
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        what = "no schema" if schema is None else f"the schema {_shown(schema)}"
        raise ClprobeError(
            reference="bench-report-version",
            message=f"{name}: this document has {what}, where {SCHEMA!r} is compared.",
            hint=_HINT,
        )
    try:
        report = msgspec.convert(data, BenchReport)
    except msgspec.ValidationError as error:
        place = _PLACE.match(str(error))
        field = (place and place["field"]) or ""
        _refuse(name, field, _at(data, field), place["problem"] if place else str(error))
    for field, value, problem in _impossible(report):
        _refuse(name, field, value, problem)
    return report


def _parsed(text: str, name: str) -> Any:
    def no_number(constant: str) -> NoReturn:
        found = re.search(rf"[:\[,\s]{re.escape(constant)}", text)
        line = text[: found.end() if found else 0].count("\n") + 1
        raise ValueError(f"line {line}: {constant} is no number that JSON knows")

    try:
        return plain_json.load(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        found = str(error)
        if isinstance(error, json.JSONDecodeError):
            line = text.split("\n")[error.lineno - 1]
            found = f"line {error.lineno}: {error.msg}, in {_shown(line.strip())}"
        raise ClprobeError(
            reference="bench-report-malformed",
            message=f"{name} is no JSON document: {found}.",
            hint=_HINT,
        ) from error


def _impossible(report: BenchReport) -> Iterator[tuple[str, object, str]]:
    """Yield field, value and problem of figures that no measurement gives."""
    for index, result in enumerate(report.results):
        field = f"results[{index}]"
        if result.median is not None and not 0 < result.median < math.inf:
            yield f"{field}.median", result.median, "a figure is above 0 and finite"
        if result.ci95 is not None and not 0 < result.ci95[0] <= result.ci95[1] < math.inf:
            yield f"{field}.ci95", result.ci95, "an interval goes from low to high, both above 0"
    for index, verdict in enumerate(report.verdicts):
        field = f"verdicts[{index}]"
        if verdict.ratio is not None and not 0 < verdict.ratio < math.inf:
            yield f"{field}.ratio", verdict.ratio, "a ratio is above 0 and finite"
        if verdict.ci95 is not None and not 0 < verdict.ci95[0] <= verdict.ci95[1] < math.inf:
            yield f"{field}.ci95", verdict.ci95, "an interval goes from low to high, both above 0"


def _refuse(name: str, field: str, value: object, problem: str) -> NoReturn:
    where = f"{field} is {_shown(value)}" if field else "the whole document"
    raise ClprobeError(
        reference="bench-report-malformed",
        message=f"{name}: {where}: {problem.removesuffix('.')}.",
        hint=_HINT,
    )


def _at(data: Any, field: str) -> Any:
    """Return what stands at a field such as `results[3].median`; None if nothing does."""
    for step in re.findall(r"[^.\[\]]+", field):
        if isinstance(data, list) and step.isdecimal() and int(step) < len(data):
            data = data[int(step)]
        else:
            data = data.get(step) if isinstance(data, dict) else None
    return data


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=list)
    return repr(text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…")
