# SPDX-License-Identifier: MIT
"""Checks of rules/tables/questions.yaml: its facts exist, and no two questions ask for one."""

from pathlib import Path

import msgspec

from clprobe.facts.facts import Facts
from clprobe.facts.paths import fields_of
from clprobe.ruleset.questions import Questions
from clprobe.validation.checks.place import Mistakes, Place


def questions(path: Path) -> Mistakes:
    """Yield what is wrong in the file.

    Raises: ClprobeError if it does not fit its type.
    """
    top, ids, facts = Place(path), set[str](), set[str]()
    for number, question in enumerate(Questions.load(path.parent).questions):
        here = top.at("questions", number)
        if question.id in ids:
            yield here.at("id").mistake(f"{question.id} is there twice", "Ids are used once.")
        ids.add(question.id)
        for fact in question.facts:
            if fact in facts:
                yield here.at("facts", fact).mistake(f"{fact} is asked twice", "Ask it once.")
            elif not _is_fact(fact):
                yield here.at("facts", fact).mistake(f"there is no fact {fact}")
            facts.add(fact)


def _is_fact(path: str) -> bool:
    """Whether the path leads to a fact; unlike a rule's, it goes through lists."""
    struct: type[msgspec.Struct] | None = Facts
    for name in path.split("."):
        if struct is None or name not in fields_of(struct):
            return False
        struct = fields_of(struct)[name].struct
    return True
