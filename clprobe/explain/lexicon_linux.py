# SPDX-License-Identifier: MIT
"""What the lexicon says of Linux: its GPU drivers, and its versions."""

from collections.abc import Iterator

from clprobe.compat.linux_choice import is_in_range
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_entry import Entry, Fact, page, sources_of, split_version
from clprobe.explain.lexicon_software import release_line
from clprobe.knowledge.table_types import Entry as TableEntry
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words

_MODULES = ("i915", "xe", "amdgpu", "nvidia", "panfrost", "panthor", "msm", "kgsl", "v3d", "vc4")


def linux(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the page of a kernel driver, or of a version of Linux."""
    tables = knowledge.tables
    base, version = split_version(name)
    if base.lower() in _MODULES:
        yield _module(base.lower(), tables)
    if base.lower() in ("linux", "kernel") and version is not None:
        yield _linux_version(version, tables)
    if base.lower() == "python" and version is not None:
        yield _python_version(".".join(version.split(".")[:2]), tables)


def _python_version(version: str, tables: Tables) -> Entry:
    """Return the page of a version of Python: who ships it, which stacks have builds for it."""
    shipped = [one for one in tables.distributions() if one.python == version]
    builds = [
        (stack, f"{stack.stack} {one.version}")
        for stack in tables.stacks().values()
        for one in stack.builds
        if is_in_range(version, one.python, "pep440") is True
    ]
    facts: list[Fact] = [
        ("shipped by", ", ".join(one.key for one in shipped)),
        ("builds for it", (text for _, text in builds)),
        ("next", f"clprobe install-plan --goal pytorch --python {version}"),
    ]
    sources = sources_of([*shipped, *(stack for stack, _ in builds)])
    return page("Python", f"Python {version}", facts, sources)


def _module(name: str, tables: Tables) -> Entry:
    binds: list[str] = []
    forced: list[str] = []
    used: list[TableEntry] = []
    for generation in tables.generations().values():
        for chip in generation.platforms.values():
            label = f"{generation.generation}, {chip.names.partition(':')[0]}"
            for ending, into in (("", binds), ("_force_probe", forced)):
                text = getattr(chip.linux, f"{name}{ending}", None)
                if text is not None:
                    into.append(f"{label}: Linux {in_words(text)}")
                    used.append(generation)
    taken = [one for one in tables.implementations().values() if name in one.kernel_drivers]
    facts: list[Fact] = [
        ("binds", binds),
        ("only when forced", forced),
        ("accepted by", ", ".join(one.implementation for one in taken)),
        ("next", "lspci -nnk shows which driver a GPU has"),
    ]
    sources = sources_of([*used, *taken])
    return page("kernel driver", f"{name}: a driver in Linux", facts, sources)


def _linux_version(version: str, tables: Tables) -> Entry:
    chips: dict[str, list[str]] = {"binds": [], "when forced": [], "does not bind": []}
    for generation in tables.generations().values():
        for chip in generation.platforms.values():
            ranges = chip.linux
            binds = _any(version, ranges.i915, ranges.xe)
            forced = _any(version, ranges.i915_force_probe, ranges.xe_force_probe)
            how = "binds" if binds else "when forced" if forced else "does not bind"
            chips[how].append(chip.names.partition(":")[0])
    entries = tables.implementations().values()
    bad = [
        (entry, f"{entry.implementation} {release_line(one)}")
        for entry in entries
        for one in entry.releases
        if one.linux != "*" and is_in_range(version, one.linux, "linux") is True
    ]
    shipped = [
        one.key
        for one in tables.distributions()
        if one.linux is not None
        and any(
            text is not None and (text + ".").startswith(version + ".")
            for text in (one.linux.default, one.linux.hwe, one.linux.backports)
        )
    ]
    facts: list[Fact] = [
        *((how, ", ".join(names)) for how, names in chips.items()),
        ("known problems", (text for _, text in bad)),
        ("shipped by", ", ".join(shipped)),
        ("next", f"clprobe install-plan --linux {version}"),
    ]
    sources = sources_of([*tables.generations().values(), *(entry for entry, _ in bad)])
    return page("Linux", f"Linux {version}", facts, sources)


def _any(version: str, *ranges: str | None) -> bool:
    return any(text is not None and is_in_range(version, text, "linux") is True for text in ranges)
