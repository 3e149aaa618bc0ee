# SPDX-License-Identifier: MIT
"""What a clause tells beside its verb: versions, variables and options, codes of errors."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.statement import Statement
from clprobe.paste.prose.clauses import Clause
from clprobe.paste.statements.predicates import tidy
from clprobe.paste.statements.things import Thing, named_versions, things_in

_FORMS = Forms("statements")
_THINGS = Forms("things")
_PACKAGES = Forms("told_packages")
_ACCESS = Forms("told_access")
_VARIABLES = Forms("variables")
_SETTINGS = ("variable", "option", "parameter")
_LONGEST = 220
_NUMBER = re.compile(r"\d[\w.+~-]*")


def parts_of(
    text: str, things: tuple[Thing, ...], base: Statement, clause: Clause
) -> Iterator[Statement]:
    """Yield what a clause tells of versions, settings and errors."""
    yield from versions_in(text, things, base)
    yield from _settings(text, things, base, clause)
    yield from _codes(text, base)


def versions_in(text: str, things: tuple[Thing, ...], base: Statement) -> Iterator[Statement]:
    """Yield the version of each thing that is named with one."""
    given = set()
    for one in things:
        before = text[: one.start]
        if not one.version or _PACKAGES.bound.search(before) or _FORMS.modal.search(before):
            continue
        is_old = _PACKAGES.from_version.search(before) is not None
        when = "before" if is_old else base.when
        versions = _versions_from(text, one.start, one.version, is_range=not is_old)
        given.update(versions)
        for version in versions:
            yield msgspec.structs.replace(
                base, what="version", who="", subject=one.name, version=version, when=when
            )
    for name, named in named_versions(text):
        at = text.find(named)
        version = _versions_from(text, at, named, is_range=True)[0]
        before = text[: max(0, at - 1 - len(name))]
        is_given = any(named in one for one in given)
        if is_given or _FORMS.modal.search(text[:at]) or _FORMS.taken_from.search(before):
            continue
        if any(one.start <= at < one.end for one in things):
            continue
        yield msgspec.structs.replace(base, what="version", who="", subject=name, version=version)


def _versions_from(text: str, start: int, version: str, *, is_range: bool) -> list[str]:
    """Return a version with those that stand behind it: "0.18 and 0.19", "2.2 to 2.9"."""
    at = text.find(version, start)
    behind = text[at + len(version) :] if at >= 0 else ""
    if is_range and (last := _THINGS.range_end.match(behind)) is not None:
        return [f"{version} to {last['version']}"]
    more = _THINGS.more_versions.match(behind) if "." in version else None
    return [version, *(_NUMBER.findall(more[0]) if more is not None else ())]


def _settings(
    text: str, things: tuple[Thing, ...], base: Statement, clause: Clause
) -> Iterator[Statement]:
    for one in things:
        if one.sort not in _SETTINGS:
            continue
        before = text[: one.start]
        is_known = one.sort != "variable" or _VARIABLES.name.match(one.name)
        is_set = is_known and _ACCESS.is_set.search(clause.sentence)
        is_given = one.sort == "option" and _ACCESS.gives_option.search(before)
        is_told = one.value or is_set or is_given
        if not is_told or _FORMS.modal.search(before):
            continue
        yield msgspec.structs.replace(
            base,
            what="sets",
            subject=one.name,
            says=f"{one.name}={one.value}" if one.value else tidy(text)[:_LONGEST],
            negated=_FORMS.denies.search(before) is not None,
        )


def _codes(text: str, base: Statement) -> Iterator[Statement]:
    for found in _FORMS.error_code.finditer(text):
        before = text[: found.start()]
        if _FORMS.modal.search(before):
            continue
        yield msgspec.structs.replace(
            base,
            what="error",
            subject=tidy(found[0]),
            says=tidy(text)[:_LONGEST],
            negated=_FORMS.no_error_ahead.search(before) is not None,
        )


def version_alone(text: str) -> str:
    """Return the version that a value is, or names once; "" if it names none or several."""
    found = {one.version for one in things_in(text) if one.version}
    found |= {version for _, version in named_versions(text)}
    return found.pop() if len(found) == 1 else ""
