# SPDX-License-Identifier: MIT
"""The bench report, or the comparison of some, as Markdown: for issues, posts in forums."""

from collections.abc import Iterator

from clprobe.model.comparison import BenchComparison
from clprobe.model.measurement import BenchReport
from clprobe.report.bench import compare_words as words
from clprobe.report.bench.answer import facts_line, tiles_of
from clprobe.report.bench.conditions import condition_facts, notes, warnings_of
from clprobe.report.bench.rows import RATIO_NOTE, Row, Section, method, sections_of
from clprobe.report.markdown_text import plain, row


def bench_markdown(report: BenchReport) -> str:
    """Return the conclusions and one table per device, and the conditions below."""
    parts = list(_answer(report)) if report.headline else ["# clprobe bench"]
    parts += [f"> ⚠ {plain(one)}" for one in warnings_of(report)]
    parts += (_folded(plain(one.device), _section(one)) for one in sections_of(report))
    parts += map(plain, notes(report))
    if not report.verdicts:
        parts.append("Nothing was measured.")
    how = "\n\n".join([f"{plain(method(report))} {RATIO_NOTE}", *_conditions(report)])
    parts.append(_folded("How it was measured", how))
    return "\n\n".join(parts) + "\n"


def _answer(report: BenchReport) -> Iterator[str]:
    yield f"# {plain(report.headline)}"
    facts = facts_line(report)
    if facts:
        yield plain(facts)
    tiles = tiles_of(report)
    if tiles:
        rows = ([plain(one.name), f"**{plain(one.figure)}**", plain(one.said)] for one in tiles)
        yield "\n".join([row(["work", "device", "where"]), "|---|---|---|", *map(row, rows)])


def _folded(heading: str, body: str) -> str:
    return f"<details><summary>{heading}</summary>\n\n{body}\n\n</details>"


def _conditions(report: BenchReport) -> Iterator[str]:
    facts = "; ".join(f"{plain(name)} {plain(value)}" for name, value in condition_facts(report))
    if facts:
        yield f"Host: {facts}"


def _section(section: Section) -> str:
    sentences = [sentence for _, sentence in section.conclusions]
    more = (*section.crossovers, *section.training, *section.transfers)
    items = [f"- {plain(sentence)}" for sentence in (*sentences, *more)]
    table = [
        f"| workload | device | {plain(section.reference)} | ratio | 95 % interval | verdict |",
        "|---|---:|---:|---:|---:|---|",
        *map(_line, section.rows),
    ]
    return "\n".join([f"## {plain(section.device)}", "", *items, "", *table]).rstrip()


def _line(one: Row) -> str:
    cells = (one.workload, one.device, one.cpu, one.ratio, one.interval, one.effect)
    return row(map(plain, cells))


def bench_compare_markdown(comparison: BenchComparison) -> str:
    """Return what changed, and one table per contestant."""
    parts = [
        "# clprobe bench --compare",
        "\n".join(f"- {plain(run)}" for run in words.runs(comparison)),
        *(f"> ⚠ {plain(warning)}" for warning in comparison.warnings),
        "\n".join(f"- {plain(line)}" for line in words.host_changes(comparison)),
        *(_compared(section, words.letters(comparison)) for section in words.sections(comparison)),
        plain(words.METHOD),
    ]
    return "\n\n".join(parts) + "\n"


def _compared(section: words.Section, heads: list[str]) -> str:
    items = [f"- {plain(sentence)}" for _, sentence in section.sentences]
    table = [
        row(["workload", *heads, "unit", "change"]),
        "|---|" + "---:|" * len(heads) + "---|---|",
        *(
            row(map(plain, (one.workload, *one.figures, one.unit, one.change)))
            for one in section.rows
        ),
    ]
    return "\n".join([f"## {plain(section.name)}", "", *items, "", *table])
