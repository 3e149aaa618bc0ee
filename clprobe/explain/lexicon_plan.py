# SPDX-License-Identifier: MIT
"""What the lexicon says of packages that only plans name: wheels, files, sources, and tools."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from clprobe.diagnosis.diagnose import Knowledge
from clprobe.explain.lexicon_entry import Entry, doubt, sources_of, split_version, stated
from clprobe.explain.lexicon_packages import package_entry
from clprobe.knowledge.checked_yaml import read
from clprobe.knowledge.table_types import Entry as TableEntry
from clprobe.knowledge.table_types import Implementation
from clprobe.model.finding import Source
from clprobe.resources import rules_path


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


def plan_packages(name: str, knowledge: Knowledge) -> Iterator[Entry]:
    """Yield the page of a package that no release has, and that a plan can install all the same."""
    wanted, version = split_version(name)
    wanted = wanted.lower()
    if package_entry(wanted, version, knowledge.tables) is not None:
        return
    rows: list[str] = []
    holders: list[TableEntry] = []
    for one in knowledge.tables.implementations().values():
        for row in _of(one, wanted):
            rows.append(row)
            holders.append(one)
    tools = [tool for tool in Tools.load().tools if wanted in tool.packages]
    if not rows and not tools:
        return
    known = [one.implementation for one in holders if isinstance(one, Implementation)]
    facts = [
        ("is", "\n".join(tool.what for tool in tools)),
        ("is in", "\n".join(rows)),
        ("next", f"clprobe explain {known[0]}" if known else ""),
    ]
    sources = (*(tool.source for tool in tools), *sources_of(holders))
    yield Entry(kind="package", title=wanted, facts=stated(facts), sources=sources)


def _of(one: Implementation, wanted: str) -> Iterator[str]:
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
