# SPDX-License-Identifier: MIT
"""What the lexicon says of distributions' releases, package managers and others' repositories."""

import shlex
from collections.abc import Iterator

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_entry import (
    Entry,
    Fact,
    as_a_whole,
    doubt,
    package_row,
    page,
    sources_of,
    squeezed,
)
from clprobe.knowledge import release_names
from clprobe.knowledge.origin_table import Origin
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.knowledge.table_types import Derived, Distribution


def distributions(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the releases of that name: "Ubuntu 24.04.2", "ubuntu noble", bookworm, fedora."""
    known = knowledge.tables.distributions()
    found = release_names.find(name, known)
    yield from map(distribution_entry, found)
    if found:
        return
    built_on = release_names.find_derived(name, known)
    for built, base in built_on:
        yield _derived_entry(built, base)
    if not built_on:
        yield from _system(knowledge.tables.named_system(name))


def _system(named: release_names.NamedSystem) -> Iterator[Entry]:
    """Yield the page of an edition's release, or of a system without a table."""
    if named.release is not None:
        yield distribution_entry(named.release)
    elif named.other is not None:
        facts = [("known", named.other.because or "no table lists its packages")]
        yield page("system", named.other.name, facts, named.other.sources)


def distribution_entry(found: Distribution) -> Entry:
    """Return the page of a release."""
    rows = [
        package_row(name, one)
        for name, versions in found.packages.items()
        for one in versions
        if one.implementations or one.role in ("loader", "companion", "level-zero")
    ]
    linux = found.linux
    ships = {"default": linux.default, "hardware enablement": linux.hwe,
        "backports": linux.backports} if linux is not None else {}  # fmt: skip
    lacks = [f"{', '.join(one.implementations)}: {one.because}{doubt(one)}" for one in found.lacks]
    lacks += [f"packages {', '.join(found.absent)}"] if found.absent else []
    facts: list[Fact] = [
        ("Linux", ", ".join(f"{text} ({name})" for name, text in ships.items() if text)),
        ("Python", found.python),
        ("glibc", found.glibc),
        ("OpenCL packages", rows),
        ("lacks", lacks),
        ("unknown", (f"{', '.join(one.implementations)}: {one.because}" for one in found.unknown)),
        ("group", f"render nodes belong to {found.node_group}" if found.node_group else ""),
        ("as of", found.index_date),
        ("next", f"clprobe rules matrix --distribution {found.key}"),
        *as_a_whole(found),
    ]
    own = (one for one in found.sources if one not in sources_of(found.derived))
    return page("distribution", f"{found.key}: {found.name}", facts, own)


def _derived_entry(derived: Derived, base: Distribution) -> Entry:
    """Return what is known of a release without a table: what it is built on."""
    facts = (
        ("known", "nothing of its own: no table lists its packages"),
        ("built on", f"{base.key}, whose packages it takes over for the most part"),
        ("next", f"clprobe explain {base.key}"),
    )
    return page("distribution", f"{derived.names[0]}: not in the tables", facts, derived.sources)


def package_managers(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the package manager of that name."""
    for key, found in knowledge.tables.package_managers().items():
        if name.lower() in (key, found.program):
            yield manager_entry(found)


def manager_entry(found: PackageManager) -> Entry:
    """Return the page of a package manager."""
    facts: list[Fact] = [
        ("name", found.name),
        ("for", ", ".join(found.distributions)),
        ("installs with", shlex.join(found.by_hand.install)),
        ("removes with", shlex.join(found.by_hand.remove)),
        ("reinstalls with", shlex.join(found.by_hand.reinstall)),
        ("proves with", shlex.join(found.query)),
        ("lists with", shlex.join(found.listing)),
        ("simulates", "yes" if found.simulate is not None else "no"),
        ("locks", ", ".join((*found.locks, *([found.lock_file] if found.lock_file else [])))),
        *as_a_whole(found),
    ]
    return page("package manager", f"{found.manager}: {found.name}", facts, found.sources)


def origins(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the repository of that name."""
    for key, found in knowledge.tables.origins().items():
        # "Intel Graphics" is no repository: the key counts as it is spelt.
        if name.lower() == key or squeezed(name) == squeezed(found.name):
            yield origin_entry(found)


def origin_entry(found: Origin) -> Entry:
    """Return the page of a repository; each place is written as apt is told it."""
    places = (
        " ".join((f"{release}: {one.uri}", one.suite, *one.components))
        for release, one in found.repositories.items()
    )
    facts: list[Fact] = [
        ("name", found.name),
        ("made by", found.maker),
        ("for", places),
        ("signing key", found.key_url),
        ("its fingerprint", found.fingerprint or "none that a source vouches for: not used"),
        ("other keys in that file", " ".join(found.other_fingerprints)),
        ("note", found.note),
        *as_a_whole(found),
    ]
    return page("origin", f"{found.origin}: {found.name}", facts, found.sources)
