# SPDX-License-Identifier: MIT
"""What programs and Linux said, where sentences tell it in words of their own."""

import re
from collections.abc import Iterator
from functools import cache

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.reading import Reading

_FORMS = Forms("told_messages")


def read_quoted(clauses: list[Clause]) -> Iterator[Reading]:
    """Give each sentence that tells of a failed call, a module, a driver removed or a box."""
    given = ""
    for clause in clauses:
        if clause.foreign or clause.sentence == given or clause.sentence.endswith("?"):
            continue
        if any(form.search(clause.sentence) for form in _telling()):
            given = clause.sentence
            facts = Snapshot(messages=(given,))
            yield Reading(lines=clause.lines, facts=facts, context=clause.context)


@cache
def _telling() -> tuple[re.Pattern[str], ...]:
    """Return the forms of what programs and Linux say, and of what follows from it."""
    return (
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
