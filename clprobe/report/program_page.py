# SPDX-License-Identifier: MIT
"""The page of rules/tables/programs: what each program is, prints, tries and asks of a device."""

from collections.abc import Iterator

from clprobe.explain.lexicon_programs import demand_line, use_of, way_line
from clprobe.knowledge.program_table import Program
from clprobe.knowledge.tables import Tables
from clprobe.report.markdown_text import code, links, plain, row


def program_page(tables: Tables) -> Iterator[str]:
    """Yield the lines below the page's first."""
    yield from ("", "# Programs", "")
    yield from ("| program | what it is | OpenCL | lines | runs |", "|---|---|---|---|---|")
    known = tables.programs()
    for one in known:
        name = f"[{one.program}]({one.program}.yaml)"
        counts = (str(len(one.lines)), str(len(one.runs)))
        yield row((name, plain(one.about), plain(use_of(one.opencl)), *counts))
    yield from ("", "## How they come to a device, in their order, and what they ask of it", "")
    for one in known:
        yield from _ways(one, tables)
    yield from ("", "## What their lines mean that is no fact by itself", "")
    for one in known:
        for line in one.lines:
            if line.note:
                yield f"- {one.program}, {code(line.examples[0])}: {plain(line.note)}"
    yield from ("", "Sources:", "")
    for one in known:
        yield f"- {one.program}: {links(one.sources)}"
    yield ""


def _ways(program: Program, tables: Tables) -> Iterator[str]:
    if program.ways or program.demands:
        yield f"- {program.program}"
        yield from (f"  - {plain(way_line(one, tables))}" for one in program.ways)
        asked = (plain(demand_line(one, tables)) for one in program.demands)
        yield from (f"  - asks of {text}" for text in asked)
