# SPDX-License-Identifier: MIT
"""Reads what package managers complain about, where packages come from, and apt-cache policy."""

import re
from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Context, Paste, Reading

_FORMS = Forms("package_trouble")
_MOST = 60


def read_package_trouble(paste: Paste) -> Iterator[Reading]:
    """Give everything that a package manager complained about as one text."""
    lines: list[int] = []
    said: list[str] = []
    opened = -1
    likely = paste.may_hold(_FORMS.trouble, _FORMS.chatter)
    for index, line in paste.free():
        raw = paste.lines[index]
        if _FORMS.removes.match(paste.contexts[index].command):
            yield from _removal(index, line)
            continue
        is_continued = opened >= 0 and index - opened == 1 and _FORMS.continues.match(raw)
        if is_continued or (index in likely and _FORMS.trouble.search(line[:400])):
            lines.append(index)
            said.append(line)
            opened = index if is_continued or _FORMS.opens.search(line[:400]) else -1
        elif index in likely and _FORMS.chatter.match(line):
            yield Reading(lines=(index,), facts=Snapshot())
    if lines:
        trouble = "\n".join(dict.fromkeys(said[:_MOST]))
        yield Reading(lines=tuple(lines), facts=Snapshot(package_trouble=trouble))


def _removal(index: int, line: str) -> Iterator[Reading]:
    """Give what apt prints while somebody removes packages: that they go is no trouble then."""
    if (
        _FORMS.chatter.match(line)
        or re.search(r"will be REMOVED|to remove", line)
        or _FORMS.names.fullmatch(line)
    ):
        yield Reading(lines=(index,), facts=Snapshot())


def read_policies(paste: Paste) -> Iterator[Reading]:
    """Give the packages of `apt-cache policy` with the repository that they come from."""
    lists: dict[Context, tuple[list[int], list[Package]]] = {}
    for name, lines, told in _policies(paste):
        if told and re.match(r"Inst", told[0]):
            indexes, packages = lists.setdefault(paste.contexts[lines[0]], ([], []))
            indexes += lines
            packages += _policy(name, told)
    for indexes, packages in lists.values():
        facts = Snapshot(packages=tuple(packages) or NOT_STATED)
        yield Reading(lines=tuple(indexes), facts=facts)


def _policies(paste: Paste) -> Iterator[tuple[str, list[int], list[str]]]:
    """Give name and lines of each package's paragraph, and what those below its name say."""
    name = ""
    lines: list[int] = []
    told: list[str] = []
    for index, line in paste.free():
        head = _FORMS.policy.match(line) if paste.lines[index][:1] != " " else None
        if head is not None:
            yield name, lines, told
            name, lines, told = head["name"], [index], []
        elif name and index - lines[-1] <= 2 and _FORMS.policy_line.match(line) and len(lines) < 60:
            lines.append(index)
            told.append(line)
    yield name, lines, told


def _policy(name: str, told: list[str]) -> Iterator[Package]:
    """Give the package if a version of it is installed."""
    version = told[0].partition(":")[2].strip()
    if not version[:1].isdigit():
        return
    current = next((place for place, line in enumerate(told) if line.startswith("***")), None)
    below = told[current + 1] if current is not None and current + 1 < len(told) else ""
    package, _, architecture = name.partition(":")
    place = re.search(r"https?://([\w./+~-]+)", below)
    by_hand = "by hand" if "/var/lib/dpkg" in below else NOT_STATED
    yield Package(
        name=package,
        version=version,
        manager="dpkg",
        state="installed",
        architecture=architecture or NOT_STATED,
        origin=place[1] if place else by_hand,
    )


def forms_of_source() -> tuple[re.Pattern[str], ...]:
    """Return forms of which one is found in each line that names a repository."""
    return _FORMS.ppa, _FORMS.copr, _FORMS.source


def package_source(line: str, _: Context) -> Snapshot | None:
    """Return the repository beyond the distribution's own that a line of apt or dnf names."""
    named = _FORMS.ppa.search(line) or _FORMS.copr.search(line)
    if named is not None:
        parts = named.groupdict()
        owned = f"{parts.get('owner')}/{parts.get('archive')}"
        kind = "copr" if "copr" in named[0] else "ppa"
        place = f"{kind}:{parts['place'] or parts['other'] or owned}"
    elif (found := _FORMS.source.match(line)) is not None:
        place = found["place"]
    else:
        return None
    is_own = _FORMS.own.search(place.partition("/")[0])
    return Snapshot() if is_own else Snapshot(package_sources=(place,))
