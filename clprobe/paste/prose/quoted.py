# SPDX-License-Identifier: MIT
"""What programs and Linux said, where sentences tell it in words of their own."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.reading import Reading

_FORMS = Forms("told_messages")
_TELLING = (
    "call_fails", "not_built", "no_headers", "no_module", "driver_removed", "sycl_alone",
    "level_zero_alone", "sycl_lies", "on_thunderbolt", "pro_removed",
)  # fmt: skip
"""The forms of what programs and Linux say, and of what follows from it."""


def read_quoted(clauses: list[Clause]) -> Iterator[Reading]:
    """Give each sentence that tells of a failed call, a module, a driver removed or a box."""
    given = ""
    for clause in clauses:
        if clause.foreign or clause.sentence == given or clause.sentence.endswith("?"):
            continue
        if any(getattr(_FORMS, form).search(clause.sentence) for form in _TELLING):
            given = clause.sentence
            facts = Snapshot(messages=(given,))
            yield Reading(lines=clause.lines, facts=facts, context=clause.context)
