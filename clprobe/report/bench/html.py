# SPDX-License-Identifier: MIT
"""The bench report as one page that needs nothing else: verdicts, pictures, all figures."""

from collections.abc import Iterator

from clprobe.model.measurement import BenchReport, Decision
from clprobe.report.bench.conditions import condition_facts, notes, warnings_of
from clprobe.report.bench.page.batch_curves import batch_curves
from clprobe.report.bench.page.loss_curves import loss_curves
from clprobe.report.bench.page.ratios import ratios
from clprobe.report.bench.page.roofline import roofline
from clprobe.report.bench.page.shell import page, sentences, warnings
from clprobe.report.bench.page.svg import element, text
from clprobe.report.bench.page.tables import tables
from clprobe.report.bench.page.time_split import time_split
from clprobe.report.bench.rows import RATIO_NOTE, Section, method, sections_of

_SIGNS: dict[Decision, str] = {
    "device": "✓",
    "cpu": "!",
    "no-difference": "=",
    "unclear": "?",
    "refused": "✗",
}


def bench_html(report: BenchReport) -> str:
    """Return the page; every text from outside is escaped."""
    sections = sections_of(report)
    devices = dict.fromkeys(verdict.device for verdict in report.verdicts)
    return page(
        "clprobe bench",
        "<h1>Is the device worth it?</h1>\n"
        + warnings(warnings_of(report))
        + ("".join(map(_verdict, sections)) or "<p>Nothing was measured.</p>\n")
        + sentences([("·", note) for note in notes(report)])
        + _pictures("Training at each batch size", batch_curves(report))
        + "".join(
            _pictures(f"Pictures of {device}", _device_pictures(report, device, f"device-{index}"))
            for index, device in enumerate(devices)
        )
        + f"<h2>Conditions</h2>\n{_facts(report)}"
        + f"<h2>All figures</h2>\n{tables(report)}\n"
        + f"<footer>{text(method(report))} {RATIO_NOTE}</footer>\n",
    )


def _verdict(section: Section) -> str:
    said = [(_SIGNS[decision], sentence) for decision, sentence in section.conclusions]
    said += [("→", crossover) for crossover in section.crossovers]
    said += [("✓", lesson) for lesson in section.training]
    return f"<section>\n<h2>{text(section.device)}</h2>\n{sentences(said)}</section>\n"


def _pictures(heading: str, figures: Iterator[str]) -> str:
    drawn = "\n".join(figures)
    if not drawn:
        return ""
    return f"<h2>{text(heading)}</h2>\n" + element("div", drawn, class_="pictures") + "\n"


def _device_pictures(report: BenchReport, device: str, name: str) -> Iterator[str]:
    for figure in (
        ratios(report, device, f"{name}-ratios"),
        roofline(report, device, f"{name}-roofline"),
    ):
        if figure is not None:
            yield figure
    yield from time_split(report, device, f"{name}-split")
    yield from loss_curves(report, device)


def _facts(report: BenchReport) -> str:
    facts = "".join(
        element("dt", text(name)) + element("dd", text(value))
        for name, value in condition_facts(report)
    )
    return element("dl", facts) + "\n" if facts else "<p>Nothing is known of them.</p>\n"
