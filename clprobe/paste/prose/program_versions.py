# SPDX-License-Identifier: MIT
"""Which version of a program sentences and headings name."""

from collections.abc import Iterator
from functools import cache, lru_cache

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import View
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.prose.outcome import is_good
from clprobe.paste.reading import Reading
from clprobe.paste.statements.things import things_in

_FORMS = Forms("told_views")
_PACKAGES = Forms("told_packages")


def read_program_versions(clauses: list[Clause]) -> Iterator[Reading]:
    """Give each program's version; the first one where several are told of."""
    told: set[str] = set()
    for clause in clauses:
        if clause.foreign or clause.trial or clause.doubtful:
            continue
        for viewer, version in _versions_in(clause):
            if viewer in told or is_good(clause) or clause.context.when:
                continue
            told.add(viewer)
            view = View(viewer=viewer, version=version)
            context = msgspec.structs.replace(clause.context, who="")
            facts = Snapshot(views=(view,))
            yield Reading(lines=clause.lines, facts=facts, private=True, context=context)


def _versions_in(clause: Clause) -> Iterator[tuple[str, str]]:
    """Yield the programs of a clause with their versions, those of the table as well."""
    yield from _behind_names(clause.sentence)
    for one in things_in(clause.text):
        before = clause.text[: one.start]
        is_bound = _PACKAGES.bound.search(before) or _PACKAGES.from_version.search(before)
        if one.sort == "program" and one.version and one.name in _asked() and not is_bound:
            yield one.name, one.version


@lru_cache(maxsize=8)
def _behind_names(sentence: str) -> tuple[tuple[str, str], ...]:
    """Return the programs of a sentence with the versions behind them; its clauses ask for them."""
    found = _FORMS.with_version.finditer(sentence)
    return tuple((one["viewer"].lower(), one["version"]) for one in found)


@cache
def _asked() -> frozenset[str]:
    """Return the programs of the table that compute by OpenCL, and so have a view of it."""
    programs = Tables.load().programs()
    return frozenset(one.program for one in programs if one.opencl.uses != "never")
