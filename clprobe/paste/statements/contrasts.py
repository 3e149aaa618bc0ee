# SPDX-License-Identifier: MIT
"""What is told to differ, or not, in two places or programs, where the second has no own verb."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.circumstances import circumstances_in
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.predicates import said_in, subject_of, tidy
from clprobe.paste.statements.things import things_in

_FORMS = Forms("statements")
_CONTRASTS = Forms("contrasts")
_CLAUSES = Forms("clauses")
_LONGEST = 220
_LONGEST_SUBJECT = 60
_ACTORS = ("program", "driver", "toolkit", "package", "gpu", "place")
_OPPOSITE = {"works": "fails", "fails": "works"}


def contrasted(
    clause: Clause, before: Statement | None, scenes: tuple[str, ...], page: Page
) -> Iterator[Statement]:
    """Yield what a clause says by its contrast to another one, `before` it in its sentence.

    `scenes` are the circumstances that the clauses before it tell.
    """
    if clause.sentence.endswith("?") or clause.doubtful:
        return
    one = _by_itself(clause, page) or (_beside(clause, before, page) if before else None)
    if one is not None:
        yield one if one.under else msgspec.structs.replace(one, under=scenes)


def _by_itself(clause: Clause, page: Page) -> Statement | None:
    """Return what needs no other clause: "in the container no", "it does not need root"."""
    text, base = clause.text, page.base(clause)
    if (found := _CONTRASTS.without_root.search(text)) is not None:
        subject = _named(text[: found.start()])
        told = _told(base, "works", subject, text)
        return msgspec.structs.replace(told, who="user", under=("without root",))
    if (found := _CONTRASTS.with_root.search(text)) is not None:
        told = _told(base, "works", _named(text[: found.start()]), text)
        return msgspec.structs.replace(told, who="root", under=("as root",))
    found = _CONTRASTS.same_there.match(text) or _CONTRASTS.only_there.match(text)
    found = found or _CONTRASTS.same_after.match(text)
    if found is not None:
        return _under(_told(base, "fails", "", text), found)
    if _CONTRASTS.counted.match(text) and not any(said_in(text, things_in(text))):
        return _told(base, "shows", "", text)
    found = _CONTRASTS.answered.match(text)
    is_two = len(_CONTRASTS.answer.findall(clause.sentence)) > 1
    if found is not None and is_two:
        return _under(_told(base, "works" if found["yes"] else "fails", "", text), found)
    return None


def _beside(clause: Clause, before: Statement, page: Page) -> Statement | None:
    """Return what a clause says with the verb of the one before: "not as me", "the deb does"."""
    if before.what not in ("works", "fails", "shows"):
        return None
    return _elsewhere(clause, before, page) or _of_another(clause, before, page)


def _elsewhere(clause: Clause, before: Statement, page: Page) -> Statement | None:
    """Return that the same does, or does not, under other circumstances what is told before."""
    text, what = clause.text, before.what
    base = page.base(clause)
    denied = msgspec.structs.replace(
        base, negated=what == "shows" and not before.negated, what=_OPPOSITE.get(what, what)
    )
    is_denied = what == "fails" and _CLAUSES.negated.search(before.says)
    found = None if is_denied else _CONTRASTS.not_so.match(text)
    # "It is not found, only as root" tells where it works; "it crashes, only with 6.8" where not.
    is_lifted = what == "shows" or bool(is_denied)
    found = found or (_CONTRASTS.only_so.match(text) if is_lifted else None)
    if found is not None:
        return _under(_told(denied, denied.what, before.subject, text), found)
    if (found := _CONTRASTS.answered.match(text)) is None:
        return None
    is_good = found["yes"] is not None
    kind = "shows" if what == "shows" else "works" if is_good else "fails"
    told = _under(_told(base, kind, before.subject, text), found)
    return msgspec.structs.replace(told, negated=kind == "shows" and not is_good)


def _of_another(clause: Clause, before: Statement, page: Page) -> Statement | None:
    """Return that another one does, or does not, what is told before."""
    text, what, base = clause.text, before.what, page.base(clause)
    if what == "works" and (found := _CONTRASTS.apart_from.match(text)) is not None:
        return _told(base, "fails", _named(found["subject"]) or tidy(found["subject"]), text)
    if what in ("works", "shows") and (found := _CONTRASTS.gapped.match(text)) is not None:
        named = things_in(found["subject"])
        is_actor = named and named[0].sort in _ACTORS and not before.negated
        return _told(base, "shows", named[0].name, text) if is_actor else None
    if what in ("fails", "shows") and (found := _CONTRASTS.affirmed.match(text)) is not None:
        about = found["subject"]
        subject = _named(about) or tidy(about)[:_LONGEST_SUBJECT]
        return _told(base, "works" if what == "fails" else "shows", subject, text)
    return None


def _told(base: Statement, what: str, subject: str, text: str) -> Statement:
    return msgspec.structs.replace(base, what=what, subject=subject, says=tidy(text)[:_LONGEST])


def _under(one: Statement, found: re.Match[str]) -> Statement:
    around = tidy(found["around"])
    told = circumstances_in(around) or (around[:1].lower() + around[1:],)
    return msgspec.structs.replace(one, under=told)


def _named(text: str) -> str:
    return subject_of(text, things_in(text), len(text))
