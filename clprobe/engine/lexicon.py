# SPDX-License-Identifier: MIT
"""Finds what a name means: a rule, GPU, generation, implementation, distribution or stack."""

import difflib
from collections.abc import Callable, Iterator

import msgspec

from clprobe.engine.diagnose import Knowledge
from clprobe.engine.rule import Rule
from clprobe.engine.stack_table import Stack
from clprobe.engine.table_types import Distribution, Generation, GpuEntry, Implementation
from clprobe.engine.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Source

_MOST_GPUS = 12


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known about one name: labelled facts, and where they come from."""

    kind: str
    title: str
    facts: tuple[tuple[str, str], ...]
    sources: tuple[Source, ...] = ()


def look_up_name(name: str, knowledge: Knowledge) -> tuple[Entry, ...]:
    """Return what `name` stands for; several entries where it stands for several things.

    Raises: ClprobeError if it stands for nothing; the hint names what looks like it.
    """
    tables = knowledge.tables
    found = [entry for find in _FINDERS for entry in find(name.strip(), knowledge)]
    if not found:
        close = difflib.get_close_matches(name.lower(), _names(knowledge), n=3, cutoff=0.6)
        raise ClprobeError(
            reference="nothing-known",
            message=f"Nothing is known of {name!r}.",
            hint=f"Did you mean {' or '.join(close)}?" if close else tables.nearest_gpu_names(name),
        )
    return tuple(found)


def _names(knowledge: Knowledge) -> list[str]:
    tables = knowledge.tables
    return [
        *(rule.id for rule in knowledge.rules),
        *tables.generations(),
        *tables.implementations(),
        *tables.stacks(),
        *(entry.key for entry in tables.distributions()),
    ]


def _rules(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    rule = knowledge.rule(name)
    if rule is not None:
        yield _rule_entry(rule, knowledge)


def _rule_entry(rule: Rule, knowledge: Knowledge) -> Entry:
    causes = [other.id for other in knowledge.rules if rule.id in other.explains]
    facts = [
        ("severity", rule.severity),
        ("chain", rule.link),
        ("because", rule.because),
        ("remedies", "\n".join(_action(kind.kind, kind.arguments) for kind in rule.actions)),
        ("explains", ", ".join(rule.explains)),
        ("caused by", ", ".join(causes)),
        ("since", rule.since),
        ("on this machine", f"clprobe doctor --why {rule.id}"),
    ]
    return Entry(
        kind="rule", title=f"{rule.id}: {rule.title}", facts=_stated(facts), sources=rule.sources
    )


def _action(kind: str, arguments: dict[str, str]) -> str:
    return arguments["text"] if kind == "manual" else f"{kind} {' '.join(arguments.values())}"


def _generations(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    found = knowledge.tables.generation(name)
    if found is not None:
        yield _generation_entry(found)


def _generation_entry(found: Generation) -> Entry:
    driven = [
        f"{key} {support.versions}" + (f", Linux {support.linux}" if support.linux != "*" else "")
        for key, support in found.implementations.items()
    ]
    able = [
        f"{key}: OpenCL {one.opencl_version}, fp16 {_yes(one.fp16)}, fp64 {_yes(one.fp64)}, "
        f"work-groups up to {one.max_work_group_size}"
        for key, one in found.capabilities.items()
    ]
    facts = [
        ("name", found.microarchitecture),
        ("chips", "\n".join(f"{key}: {one.names}" for key, one in found.platforms.items())),
        ("driven by", "\n".join(driven)),
        ("not driven by", "\n".join(f"{k}: {why}" for k, why in found.not_driven_by.items())),
        ("no OpenCL", found.no_opencl_because or ""),
        ("can do", "\n".join(able)),
    ]
    return Entry(
        kind="generation", title=found.generation, facts=_stated(facts), sources=found.sources
    )


def _implementations(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    found = knowledge.tables.implementation(name)
    if found is not None:
        yield _implementation_entry(found, knowledge.tables)


def _implementation_entry(found: Implementation, tables: Tables) -> Entry:
    drives = [
        f"{key} {generation.implementations[found.implementation].versions}"
        for key, generation in tables.generations().items()
        if found.implementation in generation.implementations
    ]
    facts = [
        ("status", found.status),
        ("devices", ", ".join(found.device_types)),
        ("drives", "\n".join(drives)),
        ("kernel drivers", ", ".join(found.kernel_drivers)),
        ("Linux", found.linux if found.linux != "*" else ""),
        ("variables", ", ".join(f"{key}={value}" for key, value in found.enable.items())),
        ("packages", "\n".join(f"{k}: {', '.join(v)}" for k, v in found.packages.items())),
        ("releases", "\n".join(f"{one.versions}: {one.note}" for one in found.releases)),
        ("problems", "\n".join(found.problems)),
    ]
    return Entry(
        kind="driver",
        title=f"{found.implementation}: {found.name}",
        facts=_stated(facts),
        sources=found.sources,
    )


def _distributions(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    lowered = name.lower().replace(" ", "-")
    for found in knowledge.tables.distributions():
        if lowered in (found.key, found.codename, found.id):
            yield _distribution_entry(found)


def _distribution_entry(found: Distribution) -> Entry:
    packages = [
        f"{name} {one.version} ({one.pocket})"
        for name, versions in found.packages.items()
        for one in versions
        if one.implementations or one.role == "loader"
    ]
    facts = [
        ("Linux", found.linux.default if found.linux is not None else ""),
        ("Python", found.python or ""),
        ("OpenCL packages", "\n".join(packages)),
        ("lacks", ", ".join(found.absent)),
    ]
    return Entry(
        kind="distribution",
        title=f"{found.key}: {found.name}",
        facts=_stated(facts),
        sources=found.sources,
    )


def _stacks(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    found = knowledge.tables.stack(name)
    if found is not None:
        yield _stack_entry(found)


def _stack_entry(found: Stack) -> Entry:
    supports = [
        f"{', '.join(one.generations)}: {one.outcome}, {one.because}" for one in found.supports
    ]
    facts = [
        ("status", found.status),
        ("purpose", f"{found.purpose}, through {found.api}"),
        ("builds", "\n".join(f"{one.version} for Python {one.python}" for one in found.builds)),
        ("supports", "\n".join(supports)),
        ("problems", "\n".join(found.problems)),
    ]
    return Entry(
        kind="stack",
        title=f"{found.stack}: {found.name}",
        facts=_stated(facts),
        sources=found.sources,
    )


def _gpus(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    if knowledge.tables.generation(name) is not None:
        return
    for pci_id, found in knowledge.tables.find_gpus(name)[:_MOST_GPUS]:
        yield _gpu_entry(pci_id, found, knowledge.tables)


def _gpu_entry(pci_id: str, found: GpuEntry, tables: Tables) -> Entry:
    generation = tables.generation(found.generation)
    driven = [
        key
        for key in (generation.implementations if generation is not None else {})
        if tables.covers(key, None, pci_id) is not False
    ]
    nothing = "nothing: " + ((generation and generation.no_opencl_because) or "no driver lists it")
    facts = [
        ("generation", found.generation),
        ("chip", f"{found.codename}{f', {found.eus} EUs' if found.eus else ''}"),
        ("kernel drivers", ", ".join(found.kernel_drivers)),
        ("OpenCL by", ", ".join(driven) or nothing),
        ("compute-runtime", found.neo or ""),
        ("plan", f"clprobe install-plan --gpu {pci_id}"),
    ]
    return Entry(
        kind="GPU",
        title=f"{pci_id}: {found.name or found.codename}",
        facts=_stated(facts),
        sources=found.sources,
    )


def _stated(facts: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((label, text) for label, text in facts if text)


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


_FINDERS: tuple[Callable[[str, Knowledge], Iterator[Entry]], ...] = (
    _rules, _implementations, _generations, _distributions, _stacks, _gpus,
)  # fmt: skip
