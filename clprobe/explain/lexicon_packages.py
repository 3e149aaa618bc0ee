# SPDX-License-Identifier: MIT
"""What the lexicon says of packages: those of releases, and those that only plans name."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from clprobe.diagnosis.knowledge import Knowledge
from clprobe.explain.lexicon_entry import (
    Entry,
    Fact,
    doubt,
    package_row,
    page,
    sources_of,
    split_version,
    squeezed,
)
from clprobe.knowledge.checked_yaml import read
from clprobe.knowledge.gpu_spelling import plain
from clprobe.knowledge.table_types import Distribution, Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
from clprobe.model.finding import Source
from clprobe.resources import rules_path

_SHORTEST = 3
"""Letters below which too many packages hold them."""


class Tool(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program or library that steps install beside drivers."""

    packages: tuple[str, ...]
    what: str
    source: Source


class Tools(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of rules/tables/tools.yaml."""

    tools: tuple[Tool, ...]

    @classmethod
    def load(cls, root: Path | None = None) -> "Tools":
        """Return the tools of the tables under `root`, or clprobe's own.

        Raises: ClprobeError if the file does not fit the format.
        """
        return read((root or rules_path() / "tables") / "tools.yaml", cls)


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
    facts: list[Fact] = [("packages", rows), ("next", f"clprobe explain {next(iter(releases))}")]
    sources = sources_of(
        row for key, found in releases.items() for one in found for row in one.packages[key]
    )
    title = f"{name}: {len(rows)} packages are called so or serve as this"
    yield page("package", title, facts, sources)


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
    known_to_have = of_version or "no release that the tables know"
    facts: list[Fact] = [
        ("holds", ", ".join(holds)),
        (f"{version} is in", known_to_have if version else ""),
        ("is in", rows),
        ("is not in", ", ".join(one.key for one in lacking)),
        ("next", f"clprobe explain {holds[0]}{told}" if holds and holds[0] in known else ""),
    ]
    return page("package", name.lower(), facts, sources_of(found or lacking))


def plan_packages(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the page of a package that no release has, and that a plan can install all the same."""
    wanted, version = split_version(name)
    wanted = wanted.lower()
    if package_entry(wanted, version, knowledge.tables) is not None:
        return
    rows = [
        (one, row)
        for one in knowledge.tables.implementations().values()
        for row in _of_plans(one, wanted)
    ]
    tools = [tool for tool in Tools.load().tools if wanted in tool.packages]
    if not rows and not tools:
        return
    facts: list[Fact] = [
        ("is", (tool.what for tool in tools)),
        ("is in", (row for _, row in rows)),
        ("next", f"clprobe explain {rows[0][0].implementation}" if rows else ""),
    ]
    sources = (*(tool.source for tool in tools), *sources_of(one for one, _ in rows))
    yield page("package", wanted, facts, sources)


def _of_plans(one: Implementation, wanted: str) -> Iterator[str]:
    for way in one.elsewhere:
        if wanted in map(str.lower, way.packages):
            version = way.versions.get(wanted, way.version) or ""
            what = "the Python wheels" if way.how == "pip" else f"what {way.origin} has"
            said = f"{what} for {one.name}, {wanted} {version}".rstrip()
            yield f"{said}: {way.note}{doubt(way)}"
    commits = one.recipe.commits if one.recipe is not None else {}
    for url, commit in commits.items():
        if url.rsplit("/", 1)[-1].lower() == wanted:
            yield f"what {one.name} is built from: {url} at {commit}"
