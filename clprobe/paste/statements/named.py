# SPDX-License-Identifier: MIT
"""Systems, processors and GPUs that stand within what is said of something else, each once."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.certainty import is_hearsay
from clprobe.paste.statements.page import Page
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import Thing, things_in

_FORMS = Forms("statements")
_CLAUSES = Forms("clauses")
_GPUS = Forms("told_gpus")
_THINGS = Forms("things")
_PACKAGES = Forms("told_packages")
_SORTS = (
    "gpu", "processor", "distribution", "image", "machine", "container image", "memory", "source",
    "architecture",
)  # fmt: skip
_USED = ("distribution", "image", "container image", "source", "architecture")
_IN_FIELDS = ("container image", "source", "architecture")
"""What a field may name beside its value."""
_RELEASED = ("distribution",)
_TOLD = ("has", "uses", "field", "version")
_MOST = 30


def named_in(
    clauses: Iterable[Clause], page: Page, told: Sequence[Statement]
) -> Iterator[Statement]:
    """Yield what the clauses name of systems and hardware, with its number and kind.

    Nothing of what somebody asks for, wants or denies, and nothing that is `told` already.
    """
    known = {
        (_key(one.subject), one.where) for one in told if one.what in _TOLD and one.version == ""
    }
    known |= {(_key(one.subject), one.version) for one in told if one.version}
    phrases: list[tuple[str, str]] = []
    given = 0
    for clause in clauses:
        if clause.lines[0] not in page.texts:
            continue
        is_field = clause.lines[0] in page.fields
        for thing in _things(clause):
            if (is_field and thing.sort not in _IN_FIELDS) or not _is_here(clause, thing, page):
                continue
            one = _statement(clause, thing, page)
            if any(one.subject in phrase and one.subject != name for name, phrase in phrases):
                continue
            phrases.append((one.subject, one.says))
            keys = {(_key(one.subject), one.version or one.where), (_key(thing.name), one.where)}
            if keys & known:
                continue
            known |= keys
            yield from _changed_to(clause, thing, one)
            given += 1
            if given > _MOST:
                return
            yield one


def _things(clause: Clause) -> Iterator[Thing]:
    things = [one for one in things_in(clause.text) if one.sort in _SORTS]
    yield from things
    for form in (_GPUS.vendor, _GPUS.cpu_maker, _THINGS.driver_gpu):
        for found in form.finditer(clause.text):
            start, end = found.span()
            if not any(one.start < end and start < one.end for one in things):
                sort = "processor" if form is _GPUS.cpu_maker else "gpu"
                yield Thing(sort=sort, name=found[0], start=start, end=end)


def _is_here(clause: Clause, thing: Thing, page: Page) -> bool:
    """Tell whether the thing is there, by what is said around it; an owner leaves no doubt."""
    before = clause.text[: thing.start]
    if _FORMS.taken_from.search(before):
        return False
    if _GPUS.not_here.search(before) or _GPUS.not_vendor.search(before):
        return False
    if _FORMS.owned_ahead.search(before) or _FORMS.owned_behind.match(clause.text[thing.end :]):
        return True
    is_open = clause.sentence.endswith("?") or _CLAUSES.unsure.search(clause.sentence)
    if is_open and not clause.is_title and not _asks_how(clause, before):
        return False
    is_general = _FORMS.no_own_ahead.search(before) or _FORMS.general_talk.search(clause.text)
    if is_general or _FORMS.no_own_behind.match(clause.text[thing.end :]):
        return False
    is_elsewhere = clause.foreign and _CLAUSES.other_machine.search(clause.sentence) is None
    is_wanted = page.above(clause).kind == "wants" or _FORMS.modal.search(before) is not None
    return not (is_elsewhere or is_wanted or is_hearsay(clause))


def _changed_to(clause: Clause, thing: Thing, one: Statement) -> Iterator[Statement]:
    """Yield the release to which a system was changed: "from Ubuntu 20.04 to 22.04"."""
    found = _FORMS.changed_to.match(clause.text[thing.end :])
    if found is not None and one.version and one.when == "before":
        yield msgspec.structs.replace(one, version=found["version"], says="", when="")


def _asks_how(clause: Clause, before: str) -> bool:
    """Tell whether somebody asks how to do something on what is named, which is there then."""
    is_question = clause.sentence.endswith("?") and _CLAUSES.unsure.search(clause.sentence) is None
    own = _FORMS.asks_own.search(clause.sentence)
    return is_question and own is not None and _FORMS.on_it.search(before) is not None


def _statement(clause: Clause, thing: Thing, page: Page) -> Statement:
    base = msgspec.structs.replace(page.base(clause), who="")
    says = _phrase(clause, thing)
    if thing.sort not in _USED:
        return msgspec.structs.replace(base, what="has", subject=thing.name, says=says)
    found = _FORMS.release_in.search(thing.name) if thing.sort in _RELEASED else None
    if found is None:
        return msgspec.structs.replace(base, what="uses", subject=thing.name, says=says)
    name = tidy(thing.name[: found.start()])
    behind = clause.text[thing.end :]
    rest = _FORMS.point_release.match(behind) or _FORMS.other_release.match(behind)
    version = found["version"] + (rest[0] if rest is not None else "")
    says = says if version in says else f"{name} {version}"
    is_old = _PACKAGES.from_version.search(clause.text[: thing.start])
    is_old = is_old and _FORMS.changed_to.match(behind)
    when = "before" if is_old else base.when
    return msgspec.structs.replace(
        base, what="version", subject=name, says=says, version=version, when=when
    )


def _phrase(clause: Clause, thing: Thing) -> str:
    """Return the name with the number before it and the kind behind it, as the sentence has it."""
    sentence = clause.sentence
    at = sentence.find(clause.text)
    start = max(at, 0) + thing.start
    if sentence[start : start + len(thing.name)] != thing.name:
        start = sentence.find(thing.name)
    if start < 0:
        return thing.name
    end = start + len(thing.name)
    ahead = _FORMS.counted_ahead.search(sentence[:start])
    behind = _FORMS.kind_behind.match(sentence[end:])
    first = ahead.start() if ahead is not None else start
    last = end + (behind.end() if behind is not None else 0)
    return tidy(sentence[first:last])


def _key(name: str) -> str:
    bare = re.sub(r"[^a-z0-9]", "", name.lower())
    return re.sub(r"(?:repository|repo|gnulinux|linux)$", "", bare) or bare
