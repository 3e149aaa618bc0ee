# SPDX-License-Identifier: MIT
"""What the lexicon says of programs: their ways to a device, what they ask, how they are run."""

from collections.abc import Iterator

from clprobe.compat.interfaces import api_name
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_entry import (
    Entry,
    Fact,
    as_a_whole,
    doubt,
    page,
    split_version,
    squeezed,
)
from clprobe.knowledge.program_table import Demand, Packaging, Program, UseOfOpencl, Way
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words

_USES = {
    "always": "always",
    "some-builds": "in some builds",
    "among-others": "as one way of several",
    "never": "never",
}


def names_of(program: Program) -> tuple[str, ...]:
    """Return all that people call a program."""
    return tuple(dict.fromkeys((program.program, *program.called)))


def find(name: str, tables: Tables) -> Program | None:
    """Return the program of that name, spelt any way."""
    wanted = squeezed(name)
    if not wanted:
        return None
    for one in tables.programs():
        if wanted in map(squeezed, names_of(one)):
            return one
    return None


def programs(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the page of the program of that name; a version behind it is not needed."""
    base, _ = split_version(name)
    found = find(name, knowledge.tables) or find(base, knowledge.tables)
    if found is not None:
        yield program_entry(found, knowledge.tables)


def program_entry(found: Program, tables: Tables) -> Entry:
    """Return the page of a program."""
    facts: list[Fact] = [
        ("called", ", ".join(one for one in names_of(found) if one != found.program)),
        ("OpenCL", use_of(found.opencl)),
        ("reaches by", (way_line(one, tables) for one in found.ways)),
        ("asks", (demand_line(one, tables) for one in found.demands)),
        ("switches", (f"{one.name}: {one.does}{doubt(one)}" for one in found.switches)),
        ("packaged as", map(_packaging, found.packaging)),
        ("services", (f"{one.unit} runs as {one.user}{_and(one.note)}" for one in found.services)),
        ("faults", (f"{in_words(one.versions)}: {one.note}" for one in found.faults)),
        ("with a GPU", f'clprobe explain {found.program} "HD 4600"' if found.ways else ""),
        *as_a_whole(found),
    ]
    return page("program", f"{found.program}: {found.about}", facts, found.sources)


def use_of(opencl: UseOfOpencl) -> str:
    """Return in words whether a program uses OpenCL."""
    dropped = f", dropped in {opencl.before}" if opencl.before else ""
    instead = f"; else {opencl.instead}" if opencl.instead else ""
    return f"{_USES[opencl.uses]}{dropped}{instead}"


def way_line(way: Way, tables: Tables) -> str:
    """Return one way in words: the interface, its libraries, when."""
    more = [", ".join(way.libraries), way.own_copy, way.when]
    said = "; ".join(text for text in more if text)
    return f"{api_name(way.api, tables)}{f': {said}' if said else ''}{doubt(way)}"


def demand_line(demand: Demand, tables: Tables) -> str:
    """Return what is asked of a device, and what makes the program take others too."""
    unless = f", unless {demand.unless}" if demand.unless else ""
    return f"{api_name(demand.api, tables)}: {demand.because}{unless}{doubt(demand)}"


def _packaging(one: Packaging) -> str:
    more = [f"lacks {one.lacks}" if one.lacks else "", f"needs {one.needs}" if one.needs else ""]
    said = "; ".join(text for text in more if text)
    return f"{one.form} {one.name}{f': {said}' if said else ''}{doubt(one)}"


def _and(text: str) -> str:
    return f": {text}" if text else ""
