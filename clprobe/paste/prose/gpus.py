# SPDX-License-Identifier: MIT
"""GPUs and processors that sentences name: all that may stand in this machine, each once."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Cpu, System
from clprobe.paste.gpu_words import maker, may_be_one, meaning
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.reading import Reading
from clprobe.paste.systems import cpu_named

_FORMS = Forms("told_gpus")
_MAKERS = {"radeon": "AMD", "geforce": "NVIDIA", "nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}
_ARC = re.compile(r"(?i)(?:intel )?arc(?: gpu| card)?")
_MOST = 6
_VENDORS = {"Intel": "GenuineIntel", "AMD": "AuthenticAMD"}


class Named(msgspec.Struct):
    """A GPU by the name that somebody gave it, and the lines on which it stands."""

    name: str
    lines: tuple[int, ...]


def read_gpus(clauses: list[Clause]) -> Iterator[Reading]:
    """Give the GPUs of all clauses that are about this machine."""
    models: list[Named] = []
    lakes: list[Named] = []
    vendors: list[Named] = []
    for clause in clauses:
        if clause.foreign:
            continue
        lines = clause.lines
        models += [
            Named(name, lines)
            for name in models_in(clause.text)
            if not (clause.doubtful and (_FORMS.general.match(name) or ":" in name))
        ]
        lakes += [Named(name, lines) for name in _lakes_in(clause.text)]
        vendors += [Named(name, lines) for name in _vendors_in(clause)]
    kept = _reduced(models, lakes, vendors)[:_MOST]
    bound = _drivers(clauses)
    for named in kept:
        is_id = re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", named.name)
        gpu = Gpu(pci_id=named.name) if is_id else Gpu(name=named.name)
        alike = [one for one in kept if maker(one.name) == maker(named.name)]
        if len(alike) == 1 and (driver := bound.get(str(maker(named.name)))) is not None:
            gpu = msgspec.structs.replace(gpu, kernel_driver=driver)
        yield Reading(lines=named.lines, facts=Snapshot(gpus=(gpu,)))


def _drivers(clauses: list[Clause]) -> dict[str, str]:
    """Return the kernel drivers that are said to be at work now, by whose GPUs they drive."""
    bound: dict[str, str] = {}
    for clause in clauses:
        found = _FORMS.bound.search(clause.text)
        is_now = clause.is_plain and not clause.negated and not clause.context.when
        if found is not None and is_now:
            driver = next(part for part in found.groups() if part).lower()
            vendor = _FORMS.tables["drives"].get(driver)
            bound.setdefault(vendor or "", driver)
    return bound


def models_in(text: str) -> Iterator[str]:
    """Yield the models, PCI ids and chips that a text names."""
    yield from (found["id"].lower() for found in _FORMS.pci_id.finditer(text))
    taken: list[range] = [range(*found.span()) for found in _FORMS.cpu.finditer(text)]
    for form in (_FORMS.intel, _FORMS.amd, _FORMS.nvidia, _FORMS.other):
        for found in form.finditer(text):
            span = range(*found.span())
            is_here = not _FORMS.not_here.search(text[: found.start()])
            if _overlaps(span, taken) or not is_here or _FORMS.only_tried.match(text[span.stop :]):
                continue
            name = _tidy(found[0])
            if meaning(name).is_known or maker(name) is not None:
                taken.append(span)
                yield _with_maker(name)
    for found in _FORMS.number.finditer(text):
        kind = str(found.lastgroup)
        span = range(*found.span(kind))
        if _overlaps(span, taken) or _FORMS.not_here.search(text[: span.start]):
            continue
        name = _FULL[kind].format(found[kind])
        if meaning(name).is_known:
            yield name


_FULL = {
    "arc": "Intel Arc {}", "arch": "Intel Arc {}", "rtx": "NVIDIA GeForce RTX {}",
    "rx": "AMD Radeon RX {}", "bare": "Intel Arc A{}",
}  # fmt: skip


def _overlaps(span: range, taken: list[range]) -> bool:
    return any(span.start < other.stop and other.start < span.stop for other in taken)


def _tidy(name: str) -> str:
    bare = re.sub(r"(?i)\((?:R|TM)\)|[®™]|\bintegrated\b", "", name)
    bare = re.sub(r"(?i)\b([GR]TX)(?=A\d)", r"\1 ", bare)
    return " ".join(bare.split())


def _with_maker(name: str) -> str:
    if _ARC.fullmatch(name):
        return "Intel Arc-series"  # of which model is not told
    vendor = {"intel": "Intel", "amd": "AMD", "nvidia": "NVIDIA"}.get(maker(name) or "", "")
    return name if not vendor or vendor.lower() in name.lower() else f"{vendor} {name}"


def _lakes_in(text: str) -> Iterator[str]:
    if re.search(r"(?i)\bxeon\b", text):
        return
    for found in _FORMS.lake.finditer(text):
        if not _FORMS.not_here.search(text[: found.start()]):
            yield _with_maker(_tidy(found[0]))


def _vendors_in(clause: Clause) -> Iterator[str]:
    if clause.doubtful and not clause.is_title:
        return
    for form in (_FORMS.vendor, _FORMS.on_vendor):
        for found in form.finditer(clause.text):
            before = clause.text[: found.start()]
            if _FORMS.not_here.search(before) or _FORMS.not_vendor.search(before):
                continue
            name = next(part for part in found.groups() if part)
            ahead = clause.sentence[: max(clause.sentence.find(clause.text), 0)]
            if found.start() == 0 and _FORMS.other_part.search(ahead):
                continue
            yield _MAKERS[name.lower()]


def _reduced(models: list[Named], lakes: list[Named], vendors: list[Named]) -> list[Named]:
    """Return each GPU once: by its fullest name, by its maker's where no model is told."""
    kept: list[Named] = []
    for one in sorted(models, key=lambda named: (_width(named.name), *_rank(named.name))):
        if (same := _known(kept, one.name)) is not None:
            same.lines = tuple(sorted({*same.lines, *one.lines}))
        else:
            kept.append(one)
    for lake in lakes:
        known = [
            one for one in kept if maker(one.name) == "intel" and may_be_one(one.name, lake.name)
        ]
        for one in known:
            one.name = _narrowed(one.name, lake.name)
            one.lines = tuple(sorted({*one.lines, *lake.lines}))
        if not known and not _has_intel_inside(kept):
            kept.append(lake)
    for vendor in vendors:
        if not any(maker(one.name) == maker(vendor.name) for one in kept):
            kept.append(vendor)
    return kept


def _width(name: str) -> int:
    """Return how many GPUs a name may stand for: the telling names come first."""
    known = meaning(name)
    return len(known.chips) + len(known.families) or 1000


def _rank(name: str) -> tuple[bool, int]:
    """Return the order of names for the same: a GPU before its chip, a full one before a short."""
    return _FORMS.soc.match(name) is not None, -len(name)


def _known(kept: Iterable[Named], name: str) -> Named | None:
    return next((one for one in kept if may_be_one(one.name, name)), None)


def _narrowed(name: str, lake: str) -> str:
    """Return the name with the codename, where that leaves fewer chips to it."""
    both = f"{lake} {name.removeprefix('Intel ')}"
    chips = meaning(name).chips
    few = [
        chip for chip in chips if any(chip.platform == one.platform for one in meaning(lake).chips)
    ]
    is_fuller = few and len(few) < len(chips) and meaning(both).chips
    return both if is_fuller and lake.split()[-2:] != name.split()[-2:] else name


def _has_intel_inside(kept: list[Named]) -> bool:
    """Tell whether an integrated GPU of Intel is told already: a codename is the processor's."""
    return any(
        chip.platform not in ("dg1", "dg2", "bmg", "atsm", "pvc")
        for one in kept
        for chip in meaning(one.name).chips
    )


def read_processor(clauses: list[Clause]) -> Iterator[Reading]:
    """Give the processor, or its maker where only that is told."""
    for clause in clauses:
        if clause.foreign:
            continue
        found = _FORMS.cpu.search(clause.text) or _FORMS.cpu_number.search(clause.text)
        if found is not None and not _FORMS.not_here.search(clause.text[: found.start()]):
            cpu = cpu_named(_tidy(found[0]).strip())
            if isinstance(cpu.vendor, str):
                yield _processor(cpu, clause)
            else:
                vendor = (
                    "AMD"
                    if re.search(r"(?i)ryzen|epyc|threadripper|athlon|fx-|\ba\d|^\d{4}x", found[0])
                    else "Intel"
                )
                yield _processor(Cpu(model=cpu.model, vendor=_VENDORS[vendor]), clause)
            return
    for clause in clauses:
        named = _FORMS.cpu_maker.search(clause.text)
        if named is not None and not clause.foreign and not clause.doubtful:
            vendor = {"intel": "Intel", "amd": "AMD"}[named["maker"].lower()]
            yield _processor(Cpu(vendor=_VENDORS[vendor]), clause)
            return


def _processor(cpu: Cpu, clause: Clause) -> Reading:
    return Reading(lines=clause.lines, facts=Snapshot(system=System(cpu=cpu)))
