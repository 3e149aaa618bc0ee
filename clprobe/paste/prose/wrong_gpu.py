# SPDX-License-Identifier: MIT
"""What sentences say of programs that compute on another GPU than the one that is wanted."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import View
from clprobe.model.snapshot import Snapshot
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.reading import Reading

_FORMS = Forms("told_views")
_UNNAMED = "application"
_OTHER = "another than the wanted one"


def read_wrong_gpu(clauses: list[Clause]) -> Iterator[Reading]:
    """Give the program that is said to take another GPU, once: where two are told of."""
    if not any(_tells_of_two(clause.sentence) for clause in clauses):
        return
    for clause in clauses:
        if clause.foreign or (told := _taken(clause)) is None:
            continue
        named = _FORMS.viewer.search(clause.sentence)
        name = named["viewer"].lower() if named else _UNNAMED
        view = View(viewer=_FORMS.tables["viewers"].get(name, name), wrong_gpu=told)
        yield Reading(
            lines=clause.lines,
            facts=Snapshot(views=(view,)),
            private=True,
            context=clause.context,
        )
        return


def _tells_of_two(sentence: str) -> bool:
    """Tell whether a sentence is about two GPUs that are there, not about what a program offers."""
    return bool(_FORMS.two_gpus.search(sentence)) and not _FORMS.kinds_offered.search(sentence)


def _taken(clause: Clause) -> str | None:
    """Return the GPU that a clause says is taken against somebody's will; None: it does not."""
    if _FORMS.never_wanted.search(clause.text):
        return _OTHER
    takes = _FORMS.takes_other.search(clause.text)
    if takes is None or clause.trial or clause.doubtful:
        return None
    if _FORMS.opposite.search(clause.text[: takes.start()]):
        return None
    text = clause.sentence
    fails = _FORMS.of_both.search(text) and _FORMS.fails.search(text)
    return takes["gpu"] if fails or _FORMS.contrast.search(text) else None
