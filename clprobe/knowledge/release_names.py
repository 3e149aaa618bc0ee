# SPDX-License-Identifier: MIT
"""Finds systems by what people call them: noble, "Linux Mint 22", RHEL 9.4, wsl2, macOS.

`resolve` gives the one answer for all commands.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from clprobe.knowledge.system_table import Edition, OtherSystem, Systems
from clprobe.knowledge.table_types import Derived, Distribution

_NOISE = {"linux", "gnu", "os", "edition", "workstation", "server", "desktop", "lts", "release"}
_WSL = re.compile(
    r"\b(?:(?:on|in|under|inside)\s+)?(?:wsl\s?[12]?|windows subsystem for linux)\b", re.I
)
_ON_WSL = "ubuntu lts"
"""What `wsl --install` installs."""


class NamedSystem(msgspec.Struct, frozen=True, kw_only=True):
    """What a name stands for; nothing at all where no table knows it.

    `release` is the one to plan for, `of_several` whether it is the newest of those called so.
    `built_on_it` is what is named and built on it, `note` what is to be known of that or of an
    edition. `other` is a system without a table. `wsl`: it runs under WSL2.
    """

    release: Distribution | None = None
    of_several: bool = False
    built_on_it: str | None = None
    note: str | None = None
    other: OtherSystem | None = None
    wsl: bool = False

    def notes(self, name: str) -> Iterator[str]:
        """Yield in sentences how the name was read, where that does not go without saying."""
        if self.release is None:
            return
        plain = self.release.short_name
        if self.built_on_it is not None:
            yield f"{self.built_on_it} is built on {plain}, whose packages are planned."
        elif self.of_several:
            yield f"{name}: planned for {plain}, the newest of that name."
        if self.note is not None:
            yield self.note


def resolve(name: str, known: Sequence[Distribution], systems: Sequence[Systems]) -> NamedSystem:
    """Return what the name stands for."""
    rest = " ".join(_WSL.sub(" ", name).split())
    wsl = rest != " ".join(name.split())
    if wsl and (not _words(rest) or re.match(r"win", rest, re.IGNORECASE)):
        rest = _ON_WSL
    found = _release(rest, known, systems)
    if found is None:
        return NamedSystem(other=None if wsl else _other(rest, systems))
    return msgspec.structs.replace(found, wsl=wsl)


def _release(
    name: str, known: Sequence[Distribution], systems: Sequence[Systems]
) -> NamedSystem | None:
    whole = _called(name, known)
    if whole:
        return NamedSystem(release=_newest(whole), of_several=len(whole) > 1)
    pairs = [] if _is_id(name, known) else find_derived(name, known)
    if pairs:
        derived, base = max(pairs, key=lambda pair: known.index(pair[1]))
        return NamedSystem(
            release=_changed(base, derived), built_on_it=_nearest(name, derived), note=derived.note
        )
    edition, readings = _edition(name, (one for table in systems for one in table.editions))
    found = next(filter(None, (find(reading, known) for reading in readings)), [])
    if not found:
        return None
    release, note = _newest(found), None
    if edition is not None:
        release, note = msgspec.structs.replace(release, manager=edition.manager), edition.note
    return NamedSystem(release=release, of_several=len(found) > 1, note=note)


def with_linux(release: Distribution, linux: str | None) -> NamedSystem:
    """Return the release, or what is built on it and has a Linux whose release ends so."""
    for derived in release.derived:
        if derived.linux_ends is not None and (linux or "").endswith(derived.linux_ends):
            changed = _changed(release, derived)
            return NamedSystem(release=changed, built_on_it=derived.names[0], note=derived.note)
    return NamedSystem(release=release)


def _changed(base: Distribution, derived: Derived) -> Distribution:
    """Return the release with what is another one in what is built on it."""
    return msgspec.structs.replace(
        base,
        ended=derived.ended or base.ended,
        linux=derived.linux or base.linux,
        headers=derived.headers or base.headers,
        firmware=derived.firmware or base.firmware,
    )


def _nearest(name: str, derived: Derived) -> str:
    """Return the one of its names that has most in common with what was typed."""
    wanted = _words(name)
    return max(derived.names, key=lambda one: (len(wanted & _words(one)), -len(_words(one))))


def _is_id(name: str, known: Sequence[Distribution]) -> bool:
    """Whether it is a distribution's own name without a release: Debian is not Mint's edition."""
    return any(_squeezed(name) in map(_squeezed, (one.id, *one.also)) for one in known)


def find(name: str, known: Sequence[Distribution]) -> list[Distribution]:
    """Return the releases of that name, from old to new: all of them for a distribution's name.

    The best kind of match wins: the whole name, then a part of it. What is built on a release
    (Linux Mint 22) has no table of its own and is found by `find_derived`.
    """
    for reading in _readings(name):
        wanted = _words(reading)
        found = _called(reading, known) or [
            one for one in known if _tells(wanted) and wanted <= _all_words(one)
        ]
        if found:
            return found
    return []


def find_derived(name: str, known: Sequence[Distribution]) -> list[tuple[Derived, Distribution]]:
    """Return what of that name is built on a release, with that release.

    Of several, the whole name wins: Armbian is Debian's, Armbian noble Ubuntu's.
    """
    for reading in _readings(name):
        wanted = _words(reading)
        found = [
            ((len(words & wanted), words <= wanted), derived, base)
            for base in known
            for derived in base.derived
            for words in map(_words, derived.names)
            if wanted <= words or words <= wanted
        ]
        if found and _tells(wanted):
            best = max(count for count, *_ in found)
            return [(derived, base) for count, derived, base in found if count == best]
    return []


def _edition(name: str, editions: Iterable[Edition]) -> tuple[Edition | None, tuple[str, ...]]:
    """Return the edition that the name holds, and readings with its distribution in its place."""
    wanted = _words(name)
    fit = [
        (len(words), one, words)
        for one in editions
        for words in map(_words, one.names)
        if words and words <= wanted
    ]
    if not fit:
        return None, (name,)
    _, edition, words = max(fit, key=lambda found: found[0])
    service_pack = re.sub(r"(\d)\s*sp(\d)", r"\1.\2", name.lower())
    rest = [word for word in re.findall(r"[a-z0-9.]+", service_pack) if word not in words]
    versions = [word for word in rest if re.match(r"\d", word)]
    return edition, (" ".join((edition.of, *rest)), " ".join((edition.of, *versions)))


def _other(name: str, systems: Sequence[Systems]) -> OtherSystem | None:
    """Return the system without a table whose name the text holds, the longest name first."""
    wanted = re.findall(r"[a-z]+|\d+", name.lower())
    fit = [
        (len(words), one)
        for table in systems
        for one in table.systems
        for text in (one.name, one.key, *one.called)
        if (words := re.findall(r"[a-z]+|\d+", text.lower())) and _holds(wanted, words)
    ]
    return max(fit, key=lambda found: found[0])[1] if fit else None


def _holds(words: list[str], row: list[str]) -> bool:
    starts = range(len(words) - len(row) + 1)
    return any(words[start : start + len(row)] == row for start in starts)


def _called(name: str, known: Sequence[Distribution]) -> list[Distribution]:
    return [one for one in known if _squeezed(name) in map(_squeezed, _names(one))]


def _newest(found: list[Distribution]) -> Distribution:
    """Return the newest of several that is no development branch."""
    stable = [one for one in found if one.released and re.fullmatch(r"[\d.]+", one.release)]
    return (stable or found)[-1]


def _readings(name: str) -> tuple[str, ...]:
    """Return the name, without what stands in parentheses, and without a point release."""
    bare = re.sub(r"\([^()]*\)", " ", name).strip() or name
    return name, bare, re.sub(r"(\d)\.\d+$", r"\1", bare), re.sub(r"(\d\.\d+)\.\d+.*$", r"\1", bare)


def _names(release: Distribution) -> tuple[str, ...]:
    rebuilds = (f"{one}-{release.release}" for one in release.also)
    return (release.key, *release.called, release.codename or release.key, *rebuilds)


def _all_words(release: Distribution) -> frozenset[str]:
    ids = " ".join((release.id, *release.also))
    return _words(f"{ids} {release.release} {release.codename or ''}")


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", text.lower())


@functools.lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    apart = re.sub(r"[!_]", "", text.lower())  # Pop!_OS
    return frozenset(re.findall(r"[a-z0-9.]+", re.sub(r"\bpopos\b", "pop os", apart))) - _NOISE


def _tells(words: frozenset[str]) -> bool:
    """Whether the words tell releases apart, which a small number alone does not."""
    return any(re.search(r"[a-z]|\d\d\.\d", word) for word in words)
