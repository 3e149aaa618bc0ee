# SPDX-License-Identifier: MIT
"""The comparison of bench runs as Markdown."""

from clprobe.model.comparison import BenchComparison
from clprobe.report.bench.compare_words import (
    METHOD,
    Section,
    host_changes,
    letters,
    runs,
    sections,
)
from clprobe.report.markdown_text import plain, row


def bench_compare_markdown(comparison: BenchComparison) -> str:
    """Return what changed, and one table per contestant."""
    parts = [
        "# clprobe bench --compare",
        "\n".join(f"- {plain(run)}" for run in runs(comparison)),
        *(f"> ⚠ {plain(warning)}" for warning in comparison.warnings),
        "\n".join(f"- {plain(line)}" for line in host_changes(comparison)),
        *(_section(section, letters(comparison)) for section in sections(comparison)),
        plain(METHOD),
    ]
    return "\n\n".join(parts) + "\n"


def _section(section: Section, heads: list[str]) -> str:
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
