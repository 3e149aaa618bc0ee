# SPDX-License-Identifier: MIT
"""Why a program does not use a GPU, or that it does: one page for a program and a GPU."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.compat.interfaces import Hardware
from clprobe.compat.known_gpu import INTEL, KnownGpu, gpu_of_id
from clprobe.compat.program_reach import Judged, JudgedWay, Judgement, judge
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_entry import Entry, Fact, page
from clprobe.explain.lexicon_programs import find
from clprobe.knowledge.named_gpu import NamedGpu
from clprobe.knowledge.program_table import Demand, Program
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import Source

_KIND = "program and GPU"
_MOST_WORDS_OF_A_PROGRAM = 3
_FILLERS = frozenset((
    *("why", "does", "do", "doesn't", "don't", "can", "can't", "cannot", "will", "won't", "not"),
    *("no", "use", "uses", "using", "used", "see", "sees", "find", "finds", "take", "takes"),
    *("work", "works", "run", "runs", "my", "the", "a", "an", "on", "with", "in", "for"),
    *("and", "under", "+", "at"),
))  # fmt: skip
"""Words that people put around the two names."""


def pairs(asked: str, knowledge: Knowledge) -> tuple[Entry, ...]:
    """Return the pages of a program and a GPU, where the words name one of each."""
    found = _split(asked, knowledge.tables)
    if found is None:
        return ()
    if found.gpu.nothing_because is not None:
        facts: list[Fact] = [("answer", f"{found.said} cannot: {found.gpu.nothing_because}")]
        sources = (*found.program.sources, *found.gpu.sources)
        return (page(_KIND, f"{found.said} on {found.called}", facts, sources),)
    tables = knowledge.tables
    alike: dict[object, list[Hardware]] = {}
    for hardware in _hardware(found, tables):
        judged = judge(found.program, hardware, tables)
        alike.setdefault((hardware.key, judged.outline), []).append(hardware)
    return tuple(_entry(found, one, tables) for one in alike.values())


class _Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A program, as it was `said`, and the GPU that was `called` so."""

    program: Program
    said: str
    gpu: NamedGpu
    called: str


def _split(asked: str, tables: Tables) -> _Pair | None:
    words = [one for one in asked.rstrip("?").split() if one.lower() not in _FILLERS]
    for number in range(min(len(words) - 1, _MOST_WORDS_OF_A_PROGRAM), 0, -1):
        for name, rest in ((words[:number], words[number:]), (words[-number:], words[:-number])):
            said, called = " ".join(name).lower(), " ".join(rest)
            program = find(said, tables)
            if program is None or not re.search("[a-zA-Z:]", called):
                continue
            gpu = tables.named_gpu(called)
            if gpu.is_known and (program.ways or program.opencl.uses != "never"):
                return _Pair(program=program, said=said, gpu=gpu, called=called)
    return None


def _hardware(pair: _Pair, tables: Tables) -> Iterator[Hardware]:
    """Yield the GPUs by their chip, and each family."""
    named, called = pair.gpu, pair.called
    chips: dict[tuple[str, str], list[KnownGpu]] = {}
    for one in named.chips:
        chips.setdefault((one.generation, one.platform), []).append(gpu_of_id(one.pci_id, tables))
    for (_, chip), gpus in chips.items():
        yield Hardware(called=called, gpus=tuple(gpus), chip=chip)
    families = list(named.families)
    if named.chips and named.pci_id is None and INTEL not in called.lower():
        also = tables.gpu_names_known().card(called, set(), whole=True)  # HD 4600 is a Radeon, too
        families += also.families if also is not None else ()
    for family in families:
        gpu = KnownGpu(vendor=family.vendor, pci_id=named.pci_id, family=family)
        yield Hardware(called=called, gpus=(gpu,), chip=named.chip)


def _entry(pair: _Pair, alike: list[Hardware], tables: Tables) -> Entry:
    one, program = alike[0].one, pair.program
    gpus = tuple(gpu for hardware in alike for gpu in hardware.gpus)
    judged = judge(program, msgspec.structs.replace(alike[0], gpus=gpus), tables)
    chips = ", ".join(chip.chip for chip in alike if chip.chip)
    of = (
        one.family.name if one.family is not None else f"{alike[0].key}{f', {chips}' * bool(chips)}"
    )
    facts: list[Fact] = [
        ("answer", answer(program, pair.said, judged)),
        *((way.reached.name, _lines(way)) for way in judged.ways),
        ("services", (f"{one.unit} runs as {one.user}" for one in program.services)),
        ("next", f"clprobe explain {pair.said}"),
    ]
    title = f"{pair.said} on {pair.called} ({of})"
    return page(_KIND, title, facts, _sources(program, judged))


def answer(program: Program, name: str, judged: Judgement) -> str:
    """Return in one sentence whether the program takes the GPU, and how or why not."""
    never = program.opencl.uses == "never"
    lead = f"{name} never asks for OpenCL{_since(program)}; it" if never else name
    if program.ways and not judged.ways:
        return f"{name} computes on no GPU, whichever it is"
    if not judged.ways:
        return f"not known: no table says by which interfaces {name} reaches a GPU"
    way = judged.first("yes")
    if way is not None:
        return f"{lead} {_through(way)}"
    way = judged.first("open")
    if way is not None:
        return f"not known: whether {name} takes it hangs on {way.reached.name}; {_why(way)}"
    names = list(dict.fromkeys(one.reached.name for one in judged.ways))
    how = f"by none of {', '.join(names)}" if len(names) > 1 else f"not by {names[0]}, its only way"
    on_cpu = any(one.api == "processor" for one in program.ways)
    rest = "; it computes on the CPU then" if on_cpu else ""
    return f"{lead} reaches this GPU {how}: {_why(max(judged.ways, key=_how_far))}{rest}"


def _since(program: Program) -> str:
    return f" since {program.opencl.before}" if program.opencl.before else ""


def _through(way: JudgedWay) -> str:
    """Return how the program takes the GPU; it may, where what it asks is told in words alone."""
    best = way.by[0]
    asked = best.of_kind("if")
    takes = "takes" if _is_sure(best) else "may take"
    said = f"{takes} this GPU through {way.reached.name} by {_driver(best)}"
    said += f" ({way.way.when})" if way.way.when else ""
    conditions = "; ".join(one.demand.because for one in asked)
    return f"{said}, as far as this allows: {conditions}" if conditions else said


def _is_sure(one: Judged) -> bool:
    """Whether nothing that is told in words alone is asked of the device."""
    return all(asked.demand.memory_mib is not None for asked in one.of_kind("if"))


def _driver(one: Judged) -> str:
    return " ".join(text for text in (one.reach.name, one.reach.versions) if text)


def _how_far(way: JudgedWay) -> int:
    """Return how far a way came that ended: to a demand, a driver, or not even that."""
    return 3 if any(one.of_kind("no") for one in way.by) else 2 if way.by else 1


def _why(way: JudgedWay) -> str:
    """Return why a way ends, or is open."""
    if way.reached.closed_because or not way.by:
        return way.reached.closed_because or f"no table tells which GPUs have {way.reached.name}"
    refused = [one for one in way.by if one.of_kind("no")]
    one = refused[0] if way.takes == "no" and refused else way.by[0]
    reason = _reason(one)
    return reason if one.of_kind("no") else f"{_driver(one)}: {reason}"


def _reason(one: Judged) -> str:
    """Return why the program does not take the GPU by this driver, or may not."""
    said = [_refusal(asked.demand) for asked in one.of_kind("no")]
    if not said:
        said = [one.reach.because]
        said += [f"whether it has {asked.lacks} no table tells" for asked in one.of_kind("open")]
    return "; ".join(text for text in said if text)


def _refusal(demand: Demand) -> str:
    return f"{demand.because}{f', unless {demand.unless}' if demand.unless else ''}"


def _lines(way: JudgedWay) -> Iterator[str]:
    """Yield what holds by each driver, and what the program asks of it."""
    if not way.by:
        yield f"{'no' if way.reached.closed_because else 'not known'}: {_why(way)}"
    elif way.way.when:
        yield f"when: {way.way.when}"
    for one in way.by:
        surely = "yes" if _is_sure(one) else "perhaps"
        word = {"yes": surely, "open": "not known", "no": "no"}[one.takes]
        more = [one.reach.has, _reason(one)]
        if one.takes != "no":
            more.append(one.reach.note)
            more += [
                f"as far as this allows: {asked.demand.because}" for asked in one.of_kind("if")
            ]
        said = "; ".join(text for text in more if text)
        yield f"{word}, {_driver(one)}{f': {said}' if said else ''}"


def _sources(program: Program, judged: Judgement) -> tuple[Source, ...]:
    """Return the sources of what decides: not of drivers that are out while others are not."""
    found = [source for one in (*program.ways, *program.demands) for source in one.sources]
    for way in judged.ways:
        found += way.reached.sources
        deciding = [one for one in way.by if one.takes == way.takes]
        found += [source for one in deciding for source in one.reach.sources]
    return tuple({one.url: one for one in found}.values())
