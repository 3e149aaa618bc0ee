# SPDX-License-Identifier: MIT
"""The bench report, or the comparison of some, as one page that needs nothing else."""

from collections.abc import Iterator, Sequence

from clprobe.model.comparison import BenchComparison, Effect
from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench import compare_words as words
from clprobe.report.bench.answer import facts_line, tiles_of
from clprobe.report.bench.conditions import condition_facts, notes, warnings_of
from clprobe.report.bench.page.batch_curves import batch_curves
from clprobe.report.bench.page.figure import table
from clprobe.report.bench.page.forest import Factor, forest, ratios
from clprobe.report.bench.page.loss_curves import loss_curves
from clprobe.report.bench.page.markup import element, page, sentences, text, warnings
from clprobe.report.bench.page.roofline import roofline
from clprobe.report.bench.page.tables import tables
from clprobe.report.bench.page.time_split import time_split
from clprobe.report.bench.rows import RATIO_NOTE, Section, method, sections_of
from clprobe.report.terminal import mark, safe

_SIGNS: dict[Decision, str] = {
    "device": "✓",
    "cpu": "!",
    "no-difference": "=",
    "unclear": "?",
    "refused": "✗",
}
_EFFECTS: dict[Effect, tuple[int, str]] = {
    "faster": (0, "faster"),
    "slower": (1, "slower"),
    "same": (2, "no change"),
    "unsure": (3, "unsure"),
}
"""Style and meaning of those that have a ratio."""


def bench_html(report: BenchReport) -> str:
    """Return the page; every text from outside is escaped."""
    sections = sections_of(report)
    devices = dict.fromkeys(verdict.device for verdict in report.verdicts)
    answer = report.headline or "Is the device worth it?"
    return page(
        answer,
        f"<h1>{text(answer)}</h1>\n"
        + _answer(report)
        + warnings(warnings_of(report))
        + ("".join(map(_verdict, sections)) or "<p>Nothing was measured.</p>\n")
        + _seen(report, sections)
        + _folded("Notes", sentences([("·", note) for note in notes(report)]))
        + "".join(
            _folded(
                f"More pictures of {one.short}",
                _grid(_device_pictures(report, device, f"device-{index}")),
            )
            for index, (device, one) in enumerate(zip(devices, sections, strict=True))
        )
        + _folded("Conditions", _facts(report))
        + _folded("All figures", tables(report))
        + f"<footer>{text(method(report))} {RATIO_NOTE}</footer>\n",
    )


def _answer(report: BenchReport) -> str:
    facts = facts_line(report)
    tiles = "".join(
        element(
            "li",
            element("span", text(one.name), class_="faint"),
            element("strong", text(f"{_SIGNS[one.decision]} {one.figure}")),
            element("span", text(one.said)),
        )
        for one in tiles_of(report)
    )
    return (element("p", text(facts), class_="faint") + "\n" if facts else "") + (
        element("ul", tiles, class_="tiles") + "\n" if tiles else ""
    )


def _seen(report: BenchReport, sections: Sequence[Section]) -> str:
    """Return the pictures that everybody sees: ratios of the device in question, and curves."""
    devices = list(dict.fromkeys(verdict.device for verdict in report.verdicts))
    best = report.best or next(iter(devices), "")
    seen, others = [], []
    for index, (device, section) in enumerate(zip(devices, sections, strict=True)):
        figure = ratios(report, device, f"device-{index}-ratios")
        if figure is not None and device == best:
            seen.append(figure)
        elif figure is not None:
            heading = f"Speed of {section.short} over that of the CPU"
            others.append(_folded(heading, _grid(iter([figure]))))
    return _grid(iter([*seen, *batch_curves(report)])) + "".join(others)


def _folded(heading: str, inside: str, *, is_open: bool = False) -> str:
    """Return what is looked at on demand; nothing if there is nothing inside."""
    if not inside:
        return ""
    summary = element("summary", element("h2", text(heading)))
    more = {"open": "open"} if is_open else {}
    return element("details", summary, "\n", inside, class_="part", **more) + "\n"


def _verdict(section: Section) -> str:
    said = [(_SIGNS[decision], sentence) for decision, sentence in section.conclusions]
    said += [("→", crossover) for crossover in section.crossovers]
    said += [("✓", lesson) for lesson in section.training]
    said += [("→", sentence) for sentence in section.transfers]
    is_wrong = any(decision == "refused" for decision, _ in section.conclusions)
    heading = f"{section.short} in words"
    full = "" if section.short == section.device else element("p", text(section.device))
    return _folded(heading, full + sentences(said), is_open=is_wrong)


def _pictures(heading: str, figures: Iterator[str]) -> str:
    drawn = _grid(figures)
    return f"<h2>{text(heading)}</h2>\n{drawn}" if drawn else ""


def _grid(figures: Iterator[str]) -> str:
    drawn = "\n".join(figures)
    return element("div", drawn, class_="pictures") + "\n" if drawn else ""


def _device_pictures(report: BenchReport, device: str, name: str) -> Iterator[str]:
    figure = roofline(report, device, f"{name}-roofline")
    if figure is not None:
        yield figure
    yield from time_split(report, device, f"{name}-split")
    yield from loss_curves(report, device)


def _facts(report: BenchReport) -> str:
    facts = "".join(
        element("dt", text(name)) + element("dd", text(value))
        for name, value in condition_facts(report)
    )
    return element("dl", facts) + "\n" if facts else ""


def bench_compare_html(comparison: BenchComparison) -> str:
    """Return the page; every text from outside is escaped."""
    listed = "".join(element("li", text(run)) for run in words.runs(comparison))
    changed = "".join(element("li", text(line)) for line in words.host_changes(comparison))
    shown = words.sections(comparison)
    answer = words.headline(comparison)
    return page(
        answer,
        f"<h1>{text(answer)}</h1>\n"
        + warnings(list(comparison.warnings))
        + "".join(map(_compared, shown))
        + "<h2>Runs</h2>\n"
        + element("ul", listed)
        + "\n<h3>How they differ</h3>\n"
        + element("ul", changed)
        + "\n"
        + _pictures("Pictures", _changes(comparison))
        + "<h2>All figures</h2>\n"
        + "\n".join(_table(section, comparison) for section in shown)
        + f"\n<footer>{text(words.METHOD)}</footer>\n",
    )


def _compared(section: words.Section) -> str:
    said = [(mark(kind, plain=False), sentence) for kind, sentence in section.sentences]
    return f"<section>\n<h2>{text(section.name)}</h2>\n{sentences(said)}</section>\n"


def _changes(comparison: BenchComparison) -> Iterator[str]:
    devices = dict.fromkeys(one.device for one in comparison.differences)
    for index, device in enumerate(devices):
        factors = [
            Factor(one.workload, one.ratio, one.ci95, *_EFFECTS[one.effect])
            for one in comparison.differences
            if one.device == device and one.ratio is not None and one.ci95 is not None
        ]
        if factors:
            title = f"Speed of the last run over that of the first: {device}"
            headings = ("workload", "ratio", "interval", "change")
            yield forest(f"change-{index}", title, factors, headings)


def _table(section: words.Section, comparison: BenchComparison) -> str:
    headings = ("workload", *words.letters(comparison), "unit", "change")
    rows = [(one.workload, *one.figures, one.unit, one.change) for one in section.rows]
    return table(safe(section.name), headings, rows)
