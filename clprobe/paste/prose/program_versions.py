# SPDX-License-Identifier: MIT
"""Which version of a program sentences and headings name."""

from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import View
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.prose.outcome import is_good
from clprobe.paste.reading import Reading

_FORMS = Forms("told_views")


def read_program_versions(clauses: list[Clause]) -> Iterator[Reading]:
    """Give each program's version; the first one where several are told of."""
    told: set[str] = set()
    for clause in clauses:
        if clause.foreign or clause.trial or clause.doubtful:
            continue
        for found in _FORMS.with_version.finditer(clause.sentence):
            viewer = found["viewer"].lower()
            if viewer in told or is_good(clause) or clause.context.when:
                continue
            told.add(viewer)
            view = View(viewer=viewer, version=found["version"])
            context = msgspec.structs.replace(clause.context, who="")
            facts = Snapshot(views=(view,))
            yield Reading(lines=clause.lines, facts=facts, private=True, context=context)
