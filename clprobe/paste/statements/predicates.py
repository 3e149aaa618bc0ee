# SPDX-License-Identifier: MIT
"""What a clause says of its subject: the verb by its kind, what stands before and behind it."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.often import Often
from clprobe.knowledge.printed import Forms
from clprobe.paste.statements.things import Thing

_FORMS = Forms("statements")
_OUTCOMES = ("fails", "works", "shows", "absent", "symptom")
_ACTS = (
    "tried",
    "removed",
    "not-installed",
    "changed",
    "installed",
    "did",
    "wants",
    "uses",
    "has",
    "is",
)
_OPPOSITE = {"works": "fails", "fails": "works", "installed": "not-installed"}
_ACTORS = ("program", "driver", "toolkit", "package")
_LONGEST_SUBJECT = 70
_LONGEST = 220


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a clause says: its kind, whom it is about, and the words from the verb on."""

    what: str
    subject: str
    says: str
    start: int
    negated: bool = False


def said_in(text: str, things: tuple[Thing, ...]) -> Iterator[Said]:
    """Yield what a clause says: what happens, and what somebody did; each at most once."""
    outcome = _first(_OUTCOMES, _FORMS.often["outcomes"], text)
    act = _first(_ACTS, _FORMS.often["acts"], text)
    first = act
    if outcome is not None and act is not None:
        outcome, act = _one_of(text, outcome, act)
    told = [one for found in (outcome, act) if found and (one := _said(text, things, *found))]
    if not told and first is not None:
        # What looked like an outcome is none: "I have a card and spent hours to get it to work".
        told = [one for one in (_said(text, things, *first),) if one is not None]
    yield from told


_Found = tuple[str, re.Match[str]]


def _first(order: tuple[str, ...], forms: dict[str, Often], text: str) -> _Found | None:
    """Return the first verb of a group; of those that begin together, by the order."""
    best: tuple[int, int, _Found] | None = None
    for rank, what in enumerate(order):
        found = forms[what].search(text)
        while found is not None and order is _ACTS and _is_circumstance(text, found):
            found = forms[what].search(text, found.end())
        if found is not None and (best is None or (found.start(), rank) < best[:2]):
            best = found.start(), rank, (what, found)
    return None if best is None else best[2]


def _is_circumstance(text: str, found: re.Match[str]) -> bool:
    """Tell whether a verb only tells when, or of what, a noun is: "the issue after installing"."""
    is_gerund = found[0].rstrip().endswith("ing")
    return is_gerund and _FORMS.circumstance_ahead.match(text[: found.start()]) is not None


def _one_of(text: str, outcome: _Found, act: _Found) -> tuple[_Found | None, _Found | None]:
    """Return the two verbs of a clause, or the one of which the other is a part."""
    if act[0] in ("tried", "wants") and act[1].start() <= outcome[1].start():
        return None, act
    if act[1].start() < outcome[1].start() and _FORMS.relative_ahead.search(
        text[: outcome[1].start()]
    ):
        return None, act
    is_noun = _FORMS.deed_noun.match(text[act[1].start() :]) is not None
    if act[0] in ("has", "uses", "is") or is_noun or _FORMS.gerund_ahead.match(text):
        return outcome, None
    if _FORMS.since_ahead.match(text[: act[1].start() + 1]):
        return outcome, None
    overlap = outcome[1].start() < act[1].end() and act[1].start() < outcome[1].end()
    if overlap or act[1].start() > outcome[1].start():
        return outcome, None
    # "I installed it and it works" is cut before; what is left is one thing said of another.
    return None, act


def _said(text: str, things: tuple[Thing, ...], what: str, found: re.Match[str]) -> Said | None:
    before = text[: found.start()]
    negated = _FORMS.denies.search(before) is not None
    if _is_of_another(text, what, found):
        return None
    is_denied = found[0].rstrip().endswith(("n't", "n\u2019t", "nt"))
    if what == "is" and (is_denied or _FORMS.denied_behind.match(text[found.end() :])):
        negated = True
    kind = what
    if (
        what == "fails"
        and found[0][:2].lower() in ("di", "do")
        and _FORMS.person_before.search(before)
        and not _FORMS.perceives.search(found[0])
    ):
        kind, negated = "did", True  # "I didn't update it"
    elif what == "works" and _FORMS.to_ahead.search(before):
        if not _FORMS.trouble_ahead.search(before):
            return None  # "to get it to work"
        kind, negated = "fails", False
    elif what == "works" and _is_one_of_several(before, found[0]):
        kind = "is"  # "only the CPU is available"
    elif negated and what in _OPPOSITE:
        kind, negated = _OPPOSITE[what], False
    elif negated and what == "not-installed":
        kind, negated = "installed", False
    lead = _FORMS.lead.match(before)
    start = lead.end() if lead is not None else 0
    if lead is not None and (since := _FORMS.since_word.search(lead[0])) is not None:
        start = since.start()
    is_seen_ahead = what == "shows" and _FORMS.seen_ahead.search(before) is not None
    return Said(
        what=kind,
        subject="" if is_seen_ahead else subject_of(before, things, found.start()),
        says=tidy(text[start:])[:_LONGEST],
        start=found.start(),
        negated=negated,
    )


def _is_of_another(text: str, what: str, found: re.Match[str]) -> bool:
    """Tell whether a verb says nothing by itself, or only what might be done."""
    if what == "installed" and _FORMS.neither.match(text):
        return True  # goes on with the clause before: "neither installed nor from a stick"
    is_possible = _FORMS.can_verb.match(found[0]) is not None
    return is_possible and _FORMS.can_in_general.search(text[: found.start()]) is not None


def _is_one_of_several(before: str, verb: str) -> bool:
    """Tell whether only one thing is said to be there, which works or not."""
    only = _FORMS.only_ahead.search(before)
    is_just = only is not None and only[0].lower().startswith("just")
    return only is not None and (is_just or _FORMS.is_there.match(verb) is not None)


def says_nothing(what: str, says: str) -> bool:
    """Tell whether words end with the verb of showing, so that nothing is told of what is shown."""
    if what not in ("shows", "has"):
        return False
    is_shown = what == "shows"
    forms = _FORMS.patterns["outcomes"] if is_shown else _FORMS.patterns["acts"]
    found = forms[what].search(says)
    rest = says[found.end() :] if found is not None else says
    is_seen = found is not None and _FORMS.detects.search(found[0]) is not None
    ahead = says[: found.start()] if found is not None else ""
    if is_seen and (rest.strip(" .:") or _FORMS.seen_ahead.search(ahead)):
        return False  # "rocminfo does detect it", "the other one it does detect"
    is_bare = _FORMS.says_nothing.match(rest) is not None if is_shown else not rest.strip(" .:")
    return found is not None and is_bare


def subject_of(before: str, things: tuple[Thing, ...], end: int) -> str:
    """Return what stands before the verb: by our name of it, else in its own words."""
    named = [one for one in things if one.end <= end and one.sort not in ("place", "part")]
    around = _FORMS.circumstance.match(before.lstrip(" ,"))
    words = before.lstrip(" ,") if around is not None else _FORMS.lead.sub("", before)
    around = around or _FORMS.circumstance.match(words)
    if around is not None:
        # What stands in the circumstance is not what the verb is about.
        ahead = before.find(words) + around.end()
        named = [one for one in named if one.start >= ahead] or named[:0]
    words = tidy(words[around.end() :] if around is not None else words)
    words = _FORMS.auxiliary_end.sub("", words)
    words = words if any(map(str.isalnum, words)) else ""
    if _FORMS.no_subject.match(words):
        return named[-1].name if named and named[-1].sort in _ACTORS else ""
    if _FORMS.pronoun.match(words) or _FORMS.person_ahead.match(words):
        return ""
    if named and len(words.split()) <= 5 and not _FORMS.and_another.search(words):
        return named[-1].name
    return words if len(words) <= _LONGEST_SUBJECT else named[-1].name if named else ""


def tidy(text: str) -> str:
    """Return the words without marks around them."""
    words = " ".join(text.split()).strip(" ,;:*_\u2013\u2014'\"`([").removesuffix(".")
    words = words.removeprefix("- ").removesuffix(" -")
    is_tagged = text.lstrip()[:1] == "[" and words.count("]") > words.count("[")
    return f"[{words}" if is_tagged else words
