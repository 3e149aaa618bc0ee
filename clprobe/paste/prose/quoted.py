# SPDX-License-Identifier: MIT
"""What programs and Linux said, where sentences tell it in words of their own."""

from collections.abc import Iterator
from functools import cache

from clprobe.knowledge.often import Often
from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.reading import Reading

_FORMS = Forms("told_messages")


def read_quoted(clauses: list[Clause]) -> Iterator[Reading]:
    """Give each sentence that tells of a failed call, a module, a driver removed or a box."""
    seen = ""
    for clause in clauses:
        if clause.foreign or clause.sentence == seen or clause.sentence.endswith("?"):
            continue
        seen = clause.sentence
        if any(form.search(seen) for form in _telling()):
            facts = Snapshot(messages=(seen,))
            yield Reading(lines=clause.lines, facts=facts, context=clause.context)


@cache
def _telling() -> tuple[Often, ...]:
    """Return the forms of what programs and Linux say, and of what follows from it."""
    forms = (
        _FORMS.call_fails,
        _FORMS.not_built,
        _FORMS.no_headers,
        _FORMS.no_module,
        _FORMS.driver_removed,
        _FORMS.sycl_alone,
        _FORMS.level_zero_alone,
        _FORMS.sycl_lies,
        _FORMS.on_thunderbolt,
        _FORMS.pro_removed,
    )
    return tuple(map(Often, forms))
