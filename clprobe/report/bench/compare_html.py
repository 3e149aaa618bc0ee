# SPDX-License-Identifier: MIT
"""The comparison of bench runs as one page that needs nothing else."""

from collections.abc import Iterator

from clprobe.model.comparison import BenchComparison, Difference, Effect
from clprobe.report.bench.compare_words import (
    KINDS,
    METHOD,
    Section,
    host_changes,
    letters,
    runs,
    sections,
)
from clprobe.report.bench.page.figure import figure, table
from clprobe.report.bench.page.forest import Factor, forest, style_sample
from clprobe.report.bench.page.shell import page, sentences, warnings
from clprobe.report.bench.page.svg import element, text
from clprobe.report.bench.page.words import significant, span
from clprobe.report.terminal import safe

_SIGNS = {"error": "✗", "warning": "!", "note": "·", "fine": "✓", "undetermined": "?"}
_STYLES: dict[Effect, int] = {"faster": 0, "slower": 1, "same": 2, "unsure": 3}


def bench_compare_html(comparison: BenchComparison) -> str:
    """Return the page; every text from outside is escaped."""
    listed = "".join(element("li", text(run)) for run in runs(comparison))
    changed = "".join(element("li", text(line)) for line in host_changes(comparison))
    shown = sections(comparison)
    return page(
        "clprobe bench --compare",
        "<h1>What changed?</h1>\n"
        + warnings(list(comparison.warnings))
        + ("".join(map(_sentences, shown)) or "<p>No run has a result.</p>\n")
        + "<h2>Runs</h2>\n"
        + element("ul", listed)
        + "\n<h3>How they differ</h3>\n"
        + element("ul", changed)
        + "\n"
        + _pictures(comparison)
        + "<h2>All figures</h2>\n"
        + "\n".join(_table(section, comparison) for section in shown)
        + f"\n<footer>{text(METHOD)}</footer>\n",
    )


def _sentences(section: Section) -> str:
    said = [(_SIGNS[KINDS[effect]], sentence) for effect, sentence in section.sentences]
    return f"<section>\n<h2>{text(section.name)}</h2>\n{sentences(said)}</section>\n"


def _pictures(comparison: BenchComparison) -> str:
    drawn = "\n".join(_figures(comparison))
    if not drawn:
        return ""
    return "<h2>Pictures</h2>\n" + element("div", drawn, class_="pictures") + "\n"


def _figures(comparison: BenchComparison) -> Iterator[str]:
    devices = dict.fromkeys(one.device for one in comparison.differences)
    for index, device in enumerate(devices):
        shown = [
            (one, Factor(one.workload, one.ratio, one.ci95, _STYLES[one.effect]))
            for one in comparison.differences
            if one.device == device and one.ratio is not None and one.ci95 is not None
        ]
        if shown:
            yield _figure(device, f"change-{index}", shown)


def _figure(device: str, name: str, shown: list[tuple[Difference, Factor]]) -> str:
    title = f"Speed of the last run over that of the first: {device}"
    drawn = forest(name, title, [factor for _, factor in shown])
    effects = [one for one in _STYLES if any(found.effect == one for found, _ in shown)]
    legend = [style_sample(_STYLES[one]) + text(_said(one)) for one in effects]
    rows = [
        (factor.name, significant(factor.ratio), span(factor.ci95), _said(found.effect))
        for found, factor in shown
    ]
    headings = ("workload", "ratio", "interval", "change")
    return figure(drawn, title, legend, table(title, headings, rows))


def _said(effect: Effect) -> str:
    return "no change" if effect == "same" else effect


def _table(section: Section, comparison: BenchComparison) -> str:
    headings = ("workload", *letters(comparison), "unit", "change")
    rows = [(one.workload, *one.figures, one.unit, one.change) for one in section.rows]
    return table(safe(section.name), headings, rows)
