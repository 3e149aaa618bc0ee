# SPDX-License-Identifier: MIT
"""What the lexicon says of implementations, packages, releases and stacks."""

from collections.abc import Iterator

from clprobe.engine.diagnose import Knowledge
from clprobe.engine.lexicon_entry import Entry, sources_of, split_version, squeezed, stated, words
from clprobe.engine.linux_support import is_in_range
from clprobe.engine.stack_table import Stack
from clprobe.engine.table_types import Distribution, Implementation
from clprobe.engine.tables import Tables
from clprobe.engine.versions import in_words, upstream


def implementations(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the implementations of that name; with a version, what is known of it."""
    known = knowledge.tables.implementations()
    base, version = split_version(name)
    exact = [one for key, one in known.items() if squeezed(base) == squeezed(key)]
    wanted = words(base)
    loose = [one for key, one in known.items() if wanted <= words(f"{key} {one.name}")]
    for found in exact or loose:
        yield implementation_entry(found, knowledge.tables, version)


def implementation_entry(
    found: Implementation, tables: Tables, version: str | None = None
) -> Entry:
    """Return the page of an implementation, of one version if it is given."""
    key = found.implementation
    ranges = {
        name: one.implementations[key].versions
        for name, one in tables.generations().items()
        if key in one.implementations
    }
    ranges |= {
        name: one.implementations[key].versions
        for name, one in tables.families().items()
        if key in one.implementations
    }
    never = [
        f"{name}: {one.not_driven_by[key]}"
        for name, one in tables.generations().items()
        if key in one.not_driven_by
    ]
    drives = [f"{name} {in_words(text)}" for name, text in ranges.items()]
    facts = [
        ("status", found.status),
        ("devices", ", ".join(found.device_types)),
        *_of_version(found, ranges, version),
        ("drives", "\n".join(drives)),
        ("does not drive", "\n".join(never)),
        ("packaged in", "\n".join(_packaged(key, tables))),
        ("elsewhere", "\n".join(
            f"{', '.join(w.packages)} {w.version or ''} from {w.origin}: {w.note}"
            for w in found.elsewhere)),
        ("kernel drivers", ", ".join(found.kernel_drivers)),
        ("Linux", found.linux if found.linux != "*" else ""),
        ("variables", ", ".join(f"{name}={value}" for name, value in found.enable.items())),
        ("packages", "\n".join(f"{k}: {', '.join(v)}" for k, v in found.packages.items())),
        ("companions", ", ".join(found.companions)),
        ("releases", "\n".join(f"{one.versions}: {one.note}" for one in found.releases)),
        ("problems", "\n".join(found.problems)),
        ("next", f"clprobe rules matrix --implementation {key}"),
    ]  # fmt: skip
    title = f"{key}{f' {version}' if version else ''}: {found.name}"
    return Entry(kind="driver", title=title, facts=stated(facts), sources=found.sources)


def _of_version(
    found: Implementation, ranges: dict[str, str], version: str | None
) -> Iterator[tuple[str, str]]:
    if version is None:
        return
    number = version if found.version_scheme == "debian" else upstream(version)
    said = {name: is_in_range(number, text, found.version_scheme) for name, text in ranges.items()}
    drives = [name for name, verdict in said.items() if verdict is True]
    lost = [name for name, verdict in said.items() if verdict is False]
    notes = [
        one.note
        for one in found.releases
        if is_in_range(number, one.versions, found.version_scheme) is True
    ]
    yield f"{version} drives", ", ".join(drives) or "nothing that the tables know"
    yield f"{version} lacks", ", ".join(lost)
    yield f"{version} has", "\n".join(notes)


def _packaged(key: str, tables: Tables) -> Iterator[str]:
    for release in tables.distributions():
        rows = [
            f"{name} {one.version} ({one.pocket})"
            for name, versions in release.packages.items()
            for one in versions
            if key in one.implementations
        ]
        if rows:
            yield f"{release.key}: {', '.join(rows)}"


def packages(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the page of a package that some release has, or verifiably lacks."""
    tables = knowledge.tables
    wanted = name.lower().replace(" ", "-")
    rows, holds, found = [], [], []
    for release in tables.distributions():
        for one in release.packages.get(wanted, ()):
            rows.append(f"{release.key} {one.version} ({one.pocket})")
            holds += [*one.implementations, *([one.role] if one.role else [])]
            found.append(release)
    lacking = [one for one in tables.distributions() if wanted in one.absent]
    if not rows and not lacking:
        return
    facts = [
        ("holds", ", ".join(dict.fromkeys(holds))),
        ("is in", "\n".join(rows)),
        ("is not in", ", ".join(one.key for one in lacking)),
        ("next", f"clprobe explain {holds[0]}" if holds and holds[0] in tables.implementations()
            else ""),
    ]  # fmt: skip
    sources = sources_of([row for one in found for row in one.packages[wanted]] or lacking)
    yield Entry(kind="package", title=wanted, facts=stated(facts), sources=sources)


def distributions(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the releases of that name: "Ubuntu 24.04", "ubuntu noble", bookworm, fedora."""
    wanted = words(name)
    key = squeezed(name)
    known = knowledge.tables.distributions()
    exact = [one for one in known if key in (squeezed(one.key), one.codename)]
    loose = [
        one
        for one in known
        if wanted <= words(f"{one.id} {one.release} {one.codename or ''} {' '.join(one.also)}")
    ]
    for found in exact or loose:
        yield distribution_entry(found)


def distribution_entry(found: Distribution) -> Entry:
    """Return the page of a release."""
    rows = [
        f"{name} {one.version} ({one.pocket})"
        for name, versions in found.packages.items()
        for one in versions
        if one.implementations or one.role in ("loader", "companion", "level-zero")
    ]
    linux = found.linux
    ships = {"default": linux.default, "hardware enablement": linux.hwe,
        "backports": linux.backports} if linux is not None else {}  # fmt: skip
    facts = [
        ("Linux", ", ".join(f"{text} ({name})" for name, text in ships.items() if text)),
        ("Python", found.python or ""),
        ("glibc", found.glibc or ""),
        ("OpenCL packages", "\n".join(rows)),
        ("lacks", "\n".join(
            [f"{', '.join(one.implementations)}: {one.because}" for one in found.lacks]
            + ([f"packages {', '.join(found.absent)}"] if found.absent else []))),
        ("unknown", "\n".join(
            f"{', '.join(one.implementations)}: {one.because}" for one in found.unknown)),
        ("group", f"render nodes belong to {found.node_group}" if found.node_group else ""),
        ("as of", found.index_date or ""),
        ("next", f"clprobe rules matrix --distribution {found.key}"),
    ]  # fmt: skip
    return Entry(
        kind="distribution",
        title=f"{found.key}: {found.name}",
        facts=stated(facts),
        sources=found.sources,
    )


def stacks(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the stacks of that name; with a version, the page names the builds of it."""
    known = knowledge.tables.stacks()
    base, version = split_version(name)
    wanted = words(base)
    exact = [one for key, one in known.items() if squeezed(base) == squeezed(key)]
    loose = [
        one
        for key, one in known.items()
        if wanted <= words(f"{key} {one.name} {' '.join(one.packages)}")
        or squeezed(base) in map(squeezed, one.packages)
    ]
    for found in exact or loose:
        yield stack_entry(found, version)


def stack_entry(found: Stack, version: str | None = None) -> Entry:
    """Return the page of a stack."""
    supports = [
        f"{', '.join(one.generations)}: {one.outcome}, {one.because}" for one in found.supports
    ]
    builds = [
        f"{one.version} for Python {one.python}"
        + (f", torch {one.torch}" if one.torch else "")
        + (", unverified" if one.unverified else "")
        for one in found.builds
        if version is None or version in (one.version, one.torch) or one.version.startswith(version)
    ]
    none = f"no build {version} is known" if version and not builds else ""
    facts = [
        ("summary", found.summary or ""),
        ("status", found.status),
        ("purpose", f"{found.purpose}, through {found.api}"),
        ("systems", ", ".join(found.systems)),
        ("device", found.device or ""),
        ("builds", "\n".join(builds) or none),
        ("supports", "\n".join(supports)),
        ("without a GPU", found.cpu),
        ("problems", "\n".join(found.problems)),
        ("check", found.check or ""),
        ("next", "clprobe install-plan --goal pytorch" if found.purpose == "training" else ""),
    ]
    return Entry(
        kind="stack",
        title=f"{found.stack}: {found.name}",
        facts=stated(facts),
        sources=found.sources,
    )
