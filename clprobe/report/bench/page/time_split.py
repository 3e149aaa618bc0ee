# SPDX-License-Identifier: MIT
"""Where the time goes: compiling, bringing operands, starting kernels, computing."""

from collections.abc import Sequence

from clprobe.model.measurement import BenchReport, Result
from clprobe.report.bench.page.figure import figure, table
from clprobe.report.bench.page.markup import element, number, text
from clprobe.report.bench.page.plot import WIDTH, picture, row_label
from clprobe.report.bench.words import significant

_ROW = 34
_BAR = 12
_EDGE = 4

PARTS = ("compile", "transfer", "launch", "kernel")
_ONCE = ("compile", "transfer")


def time_split(report: BenchReport, device: str, name: str) -> list[str]:
    """Return a figure of the first run and one of every further run; none if nothing is known."""
    results = [result for result in report.results if result.device == device]
    first = [(one, _known(one, PARTS)) for one in results]
    further = [(one, _known(one, PARTS[len(_ONCE) :])) for one in results]
    figures = []
    if any(set(parts) & set(_ONCE) for _, parts in first):
        figures.append(_figure(f"{name}-first", "Time of the first run", first))
    if any(parts for _, parts in further):
        figures.append(_figure(f"{name}-further", "Time of every further run", further))
    return figures


def _known(result: Result, parts: Sequence[str]) -> dict[str, float]:
    """Return the milliseconds of the parts that are known."""
    times: dict[str, float | None] = {part: getattr(result, f"{part}_ms") for part in parts}
    return {part: time for part, time in times.items() if time is not None and time >= 0}


def _figure(name: str, title: str, split: Sequence[tuple[Result, dict[str, float]]]) -> str:
    shown = [(result, parts) for result, parts in split if sum(parts.values()) > 0]
    marks = [_patterns(name)]
    for place, (result, parts) in enumerate(shown):
        marks += _bar(name, result.workload, parts, place * _ROW)
    used = [part for part in PARTS if any(part in parts for _, parts in shown)]
    described = " ".join(
        f"{result.workload}: {_told(parts)}, of {significant(sum(parts.values()))} ms."
        for result, parts in shown
    )
    headings = ("workload", *(f"{part} ms" for part in used), "together ms")
    rows = [
        (
            result.workload,
            *(significant(parts.get(part)) for part in used),
            significant(sum(parts.values())),
        )
        for result, parts in shown
    ]
    drawn = picture(name, title, described, marks, len(shown) * _ROW + _EDGE)
    legend = [_sample(name, part) + part for part in used]
    caption = f"{title}: each bar is the whole of its time"
    return figure(drawn, caption, legend, table(title, headings, rows))


def _bar(name: str, workload: str, parts: dict[str, float], top: float) -> list[str]:
    """Return a line of text and the bar below it."""
    total = sum(parts.values())
    room = WIDTH - 2 * _EDGE
    marks = row_label(workload, f"{significant(total)} ms", _EDGE, top)
    left = float(_EDGE)
    for part, time in parts.items():
        width = room * time / total
        title = element("title", text(f"{part}: {significant(time)} ms, {time / total:.0%}"))
        marks += _box(name, part, left, top + 17, width, title)
        left += width
    return marks


def _box(  # noqa: PLR0913, PLR0917 - a place and its size
    name: str, part: str, left: float, top: float, width: float, title: str = ""
) -> list[str]:
    """Return a rectangle in the part's colour and one in its pattern over it."""
    where = {"x": number(left), "y": number(top), "width": number(width), "height": number(_BAR)}
    return [
        element("rect", title, class_=f"p{PARTS.index(part)}", **where),
        element("rect", title, fill=f"url(#{name}-{part})", class_="edge", **where),
    ]


def _sample(name: str, part: str) -> str:
    box = _box(name, part, 1, 2, 32)
    return element("svg", *box, viewBox="0 0 34 16", class_="sample", aria_hidden="true")


def _patterns(name: str) -> str:
    """Return the patterns that tell the parts apart without their colours."""
    drawn = {
        "compile": "M0,0L6,6M-1,5L1,7M5,-1L7,1",
        "transfer": "M3,0V6",
        "launch": "M1,3h2",
        "kernel": "",
    }
    return element(
        "defs",
        *(
            element(
                "pattern",
                element("path", d=path, class_="hatch"),
                id=f"{name}-{part}",
                width=6,
                height=6,
                patternUnits="userSpaceOnUse",
            )
            for part, path in drawn.items()
        ),
    )


def _told(parts: dict[str, float]) -> str:
    total = sum(parts.values())
    return ", ".join(f"{part} {time / total:.0%}" for part, time in parts.items())
