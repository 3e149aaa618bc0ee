# SPDX-License-Identifier: MIT
"""The lines that people wrote, with what holds for all statements of a line."""

from collections.abc import Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause, Line
from clprobe.paste.reading import Context, Paste
from clprobe.paste.statements.headings import Announced, announced_by_line, is_contrary
from clprobe.paste.statements.predicates import tidy

_CLAUSES = Forms("clauses")
_LONGEST = 220


class Page(msgspec.Struct, frozen=True):
    """The lines that people wrote, what headings announce of them, and which are fields."""

    texts: dict[int, str]
    announced: dict[int, Announced]
    fields: frozenset[int]

    def above(self, clause: Clause) -> Announced:
        """Return what the heading above a clause announces of it."""
        above = self.announced.get(clause.lines[0], Announced())
        is_elsewhere = above.own and tidy(above.title) not in clause.sentence
        is_elsewhere = is_elsewhere or (above.kind == "wants" and is_contrary(clause))
        return Announced() if is_elsewhere else above

    def base(self, clause: Clause) -> Statement:
        """Return the statement with what the clause tells of line, person, place and time."""
        begin = clause.text[:25]
        line = next(
            (one for one in clause.lines if begin in self.texts.get(one, "")), clause.lines[0]
        )
        base = placed(line, clause.context)
        is_other = clause.foreign and _CLAUSES.other_machine.search(clause.sentence) is not None
        return msgspec.structs.replace(base, where="another machine") if is_other else base


def placed(index: int, context: Context, what: str = "", says: str = "") -> Statement:
    """Return a statement of a line, with the person, place and time that its context tells."""
    return Statement(
        line=index + 1,
        what=what,
        says=says,
        who=context.who,
        where=context.where,
        when=context.when,
    )


def labelled(paste: Paste, index: int, what: str, subject: str, says: str) -> Statement:
    """Return a statement of a line on its subject, in the circumstances of the line."""
    told = placed(index, paste.contexts[index], what, says[:_LONGEST])
    return msgspec.structs.replace(told, subject=subject)


def page_of(
    lines: Sequence[Line], fields: Sequence[Statement], headed: Sequence[Line] = ()
) -> Page:
    """Return the page of these lines, of which some are fields.

    `headed` are all lines with the headings above them, which say nothing themselves.
    """
    return Page(
        {line.index: line.text for line in lines},
        announced_by_line(headed or lines),
        frozenset(one.line - 1 for one in fields),
    )
