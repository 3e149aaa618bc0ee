# SPDX-License-Identifier: MIT
"""What the lexicon says of packages."""

from collections.abc import Callable, Iterator

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.explain.lexicon_entry import (
    Entry,
    package_row,
    sources_of,
    split_version,
    squeezed,
    stated,
)
from clprobe.explain.lexicon_spelling import plain
from clprobe.knowledge.table_types import Distribution
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream

_SHORTEST = 3
"""Letters below which too many packages hold them."""


def packages(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the page of a package that some release has, or verifiably lacks."""
    file_name = name if " " in name else plain(name)  # ..._amd64.deb
    for base, version in ((name, None), split_version(file_name)):
        found = package_entry(base.replace(" ", "-"), version, knowledge.tables)
        if found is not None:
            yield found
            return


def of_role(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield one page of the packages of that role: loader, level zero, tool."""
    wanted = squeezed(name)
    yield from _page(name, knowledge, lambda _, roles: wanted in roles)


def packages_like(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield one page of the packages whose name holds the word, for names that nothing else has."""
    base, _ = split_version(name)
    wanted = squeezed(base)
    if len(wanted) >= _SHORTEST:
        yield from _page(base, knowledge, lambda package, _: wanted in package)


def _page(
    name: str, knowledge: Knowledge, fits: Callable[[str, frozenset[str]], bool]
) -> Iterator[Entry]:
    releases: dict[str, list[Distribution]] = {}
    for release in knowledge.tables.distributions():
        for package, versions in release.packages.items():
            roles = frozenset(squeezed(one.role) for one in versions if one.role)
            if fits(squeezed(package), roles):
                releases.setdefault(package, []).append(release)
    if not releases:
        return
    rows = [f"{key}: {', '.join(one.key for one in found)}" for key, found in releases.items()]
    sources = sources_of(
        row for key, found in releases.items() for one in found for row in one.packages[key]
    )
    yield Entry(
        kind="package",
        title=f"{name}: {len(rows)} packages are called so or serve as this",
        facts=(("packages", "\n".join(rows)), ("next", f"clprobe explain {next(iter(releases))}")),
        sources=sources,
    )


def package_entry(name: str, version: str | None, tables: Tables) -> Entry | None:
    """Return the page of a package, of one version if it is given; None if no release has it."""
    rows, holds, found, lacking, of_version = [], [], [], [], []
    for release in tables.distributions():
        if name.lower() in map(str.lower, release.absent):
            lacking.append(release)
        for key, versions in release.packages.items():
            for one in versions if key.lower() == name.lower() else ():
                row = package_row(release.key, one)
                rows.append(row)
                holds += [*one.implementations, *([one.role] if one.role else [])]
                found.append(one)
                if version is not None and version in (one.version, upstream(one.version)):
                    of_version.append(row)
    if not rows and not lacking:
        return None
    known = tables.implementations()
    holds = list(dict.fromkeys(holds))
    told = f" {version}" if version and holds and holds[0] in known else ""
    facts = [
        ("holds", ", ".join(holds)),
        (f"{version} is in", "\n".join(of_version) or "no release that the tables know")
            if version else ("", ""),
        ("is in", "\n".join(rows)),
        ("is not in", ", ".join(one.key for one in lacking)),
        ("next", f"clprobe explain {holds[0]}{told}" if holds and holds[0] in known else ""),
    ]  # fmt: skip
    sources = sources_of(found or lacking)
    return Entry(kind="package", title=name.lower(), facts=stated(facts), sources=sources)
