# SPDX-License-Identifier: MIT
"""A value in a file of the database, and what may be wrong with one."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import msgspec

from clprobe.knowledge.checked_yaml import document, line_at, nearest, table_error
from clprobe.knowledge.versions import Scheme, compare, in_range, is_empty, overlap
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Source

Mistakes = Iterator[ClprobeError]


class Place(msgspec.Struct, frozen=True):
    """Where a value stands: its file, and the keys that lead to it."""

    path: Path
    keys: tuple[str | int, ...] = ()

    def at(self, *keys: str | int) -> "Place":
        """Return the place that is these keys further in."""
        return Place(self.path, (*self.keys, *keys))

    def mistake(self, message: str, hint: str = "") -> ClprobeError:
        """Return the error that what stands here is wrong, with file and line."""
        said = f"{'.'.join(str(key) for key in self.keys)}: " if self.keys else ""
        return table_error(self.path, line_at(self.path, self.keys), f"{said}{message}.", hint)


def names(place: Place, named: Iterable[str], known: Iterable[str], what: str) -> Mistakes:
    """Yield a mistake for each name that is not known; `place` holds them as keys or items."""
    known = list(known)
    for name in sorted(set(named) - set(known)):
        yield place.at(name).mistake(f"there is no {what} {name}", nearest(name, known))


def versions(place: Place, text: str, scheme: Scheme) -> Mistakes:
    """Yield a mistake if the range cannot be read, or if no version can lie in it."""
    try:
        in_range("1", text, scheme)
        if is_empty(text, scheme):
            yield place.mistake(f"no version is {text!r}", "Its lower bound is above its upper.")
    except ClprobeError as error:
        yield place.mistake(error.message.rstrip("."), error.hint)


def version(place: Place, text: str, scheme: Scheme) -> Mistakes:
    """Yield a mistake if the version is none of its scheme."""
    try:
        compare(text, text, scheme)
    except ClprobeError as error:
        yield place.mistake(error.message.rstrip("."), error.hint)


def apart(place: Place, first: str, second: str, scheme: Scheme) -> Mistakes:
    """Yield a mistake if a version lies in both ranges, of which only one can be true."""
    if overlap(first, second, scheme):
        yield place.mistake(f"{second!r} overlaps with {first!r}", "Let one end where one starts.")


def pattern(place: Place, text: str) -> Mistakes:
    """Yield a mistake if the regular expression is none."""
    try:
        re.compile(text)
    except re.error as error:
        yield place.mistake(f"{text!r} is no pattern: {error}")


def sources(place: Place, given: Iterable[Source]) -> Mistakes:
    """Yield a mistake if there is no source."""
    if not list(given):
        yield place.mistake("it names no source", "Say where it was read, and when.")


def legend(place: Place, entries: Iterable[tuple[str | int, Source]]) -> Mistakes:
    """Yield a mistake for each source that leads nowhere or has no date; `place` holds them."""
    nothing = True
    for key, source in entries:
        nothing = False
        if not re.match(r"https://[^/\s]+\.[^/\s]+|pkg:[a-z]+/", source.url):
            yield place.at(key).mistake(
                f"{source.url!r} is no source", "Give an https or pkg address."
            )
        if not _is_date(source.checked):
            yield place.at(key).mistake(
                f"{source.checked!r} is no date", "Give the day of the look, such as 2026-11-20."
            )
    if nothing:
        yield place.mistake("it names no source", "Say where it was read, and when.")


def table_legend(path: Path) -> Mistakes:
    """Yield what is wrong with the sources at the top of a table, which its entries name."""
    entries = document(path).get("sources", {})
    found = ((key, msgspec.convert(entry, Source)) for key, entry in entries.items())
    return legend(Place(path, ("sources",)), found)


def is_named(place: Place, key: str) -> Mistakes:
    """Yield a mistake if the file is not named after the thing that it describes."""
    expected = key.lower().replace("/", "-")
    if place.path.stem != expected:
        yield place.mistake(
            f"the file is called {place.path.stem}", f"Call it {expected}{place.path.suffix}."
        )


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
