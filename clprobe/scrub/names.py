# SPDX-License-Identifier: MIT
"""Replaces names of people and hosts, each by the same stand-in throughout a snapshot."""

import re
from collections import Counter
from collections.abc import Iterable

from clprobe.knowledge.printed import Forms
from clprobe.scrub.known import Known, Person
from clprobe.scrub.replacing import has_stand_in

USER, HOST, DOMAIN = "user", "host", "domain"
_STAND_IN = re.compile(r"user\d*")
_SHORTEST = 3
_HOMES = ("/home/", "/var/home/", "/Users/")
_FORMS = Forms("private_names")


class Names:
    """Who becomes what; `taken` are stand-ins that the snapshot already holds."""

    def __init__(self, known: Known, taken: Iterable[str], counts: Counter[str]) -> None:
        self._counts = counts
        self._people: dict[str, str] = {}
        self._taken = set(taken)
        words: dict[str, str] = {}
        homes: dict[str, str] = {}
        for person in known.people:
            stand_in = self._introduce(person.name)
            homes |= _home_of(person, stand_in)
            for word in _spoken(person):
                words.setdefault(word.lower(), stand_in)
        for name in known.host_names:
            for word, stand_in in _parts_of_host(name).items():
                words.setdefault(word.lower(), stand_in)
        self._words = words
        self._bare = any_of(words, r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])", re.IGNORECASE)
        self._homes = homes
        self._home = any_of(homes, r"(?<![\w.~-])", r"(?![\w.-])")
        # Names that are words too, or short: only where what stands before tells a name.
        told = [name for name in self._people if name.lower() not in words]
        before = r"(?:(?<=/media/)|(?<=\buser[ =])|(?<=\buser: )|(?<=\bname=)|(?<=/user/))"
        self._told = any_of(told, before, r"(?![\w.-])")

    def account(self, name: str) -> str:
        """Return what an account, owner or group of that very name is called."""
        return self._counted(name, self._people.get(name, name), "user-name")

    def in_list(self, entry: str) -> str:
        """Return an entry of an access list such as `user:alice:rw-`."""
        kind, colon, rest = entry.partition(":")
        name, second, rights = rest.partition(":")
        return f"{kind}{colon}{self.account(name)}{second}{rights}"

    def in_paths(self, text: str) -> str:
        """Return the text with home folders and log-ins at hosts renamed."""
        if "/" not in text and "\\" not in text and "@" not in text:
            return text
        if self._home is not None:
            text = self._home.sub(lambda match: self._home_for(match[0]), text)
        if "home" in text or "Users" in text:
            text = _FORMS.home.sub(self._home_match, text)
        return _FORMS.at.sub(self._at_match, text) if "@" in text else text

    def in_words(self, text: str) -> str:
        """Return the text with every name replaced that stands in it as a word."""
        if self._bare is not None:
            text = self._bare.sub(lambda match: self._word_for(match[0]), text)
        if self._told is not None:
            text = self._told.sub(lambda match: self.account(match[0]), text)
        return text

    def _introduce(self, name: str) -> str:
        if name not in self._people:
            stand_in, number = USER, 1
            while stand_in in self._taken:
                number += 1
                stand_in = f"{USER}{number}"
            if _STAND_IN.fullmatch(name):
                stand_in = name
            self._taken.add(stand_in)
            self._people[name] = stand_in
        return self._people[name]

    def _home_for(self, home: str) -> str:
        return self._counted(home, self._homes[home], "home-folder")

    def _home_match(self, match: re.Match[str]) -> str:
        name = self._people.get(match["name"], match["name"])
        return self._counted(match[0], f"{match['folder']}{match['slash']}{name}", "home-folder")

    def _at_match(self, match: re.Match[str]) -> str:
        if _FORMS.no_host.fullmatch(match["host"]) or has_stand_in(match[0]):
            return match[0]
        name = self._people.get(match["name"], match["name"])
        self._counted(match["name"], name, "user-name")
        is_local = match["host"] == "localhost"
        host = match["host"] if is_local else self._counted(match["host"], HOST, "host-name")
        return f"{name}@{host}"

    def _word_for(self, word: str) -> str:
        stand_in = self._words[word.lower()]
        is_host = stand_in in {HOST, DOMAIN}
        return self._counted(word, stand_in, "host-name" if is_host else "user-name")

    def _counted(self, old: str, new: str, kind: str) -> str:
        self._counts[kind] += old != new
        return new


def stand_ins_in(text: str) -> set[str]:
    """Return the stand-ins for people that a snapshot holds already."""
    return set(re.findall(r"(?:/home/|\"(?:name|owner)\": ?\"|user:)(user\d*)(?![\w.-])", text))


def any_of(
    words: Iterable[str], before: str = "", after: str = "", flags: int = 0
) -> re.Pattern[str] | None:
    """Return what finds any of the words, the longest first; None if there are none."""
    longest_first = sorted(words, key=len, reverse=True)
    if not longest_first:
        return None
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest_first))}){after}", flags)


def _home_of(person: Person, stand_in: str) -> dict[str, str]:
    """Return the home folder and what it becomes; those below /home are told by their form."""
    home = (person.home or "").rstrip("/")
    is_told = home.startswith(_HOMES) and home.endswith(f"/{person.name}")
    if is_told or home in _FORMS.words["no_homes"]:
        return {}
    return {home: f"/home/{stand_in}"} if home.startswith("/") else {}


def _spoken(person: Person) -> list[str]:
    """Return the words that name the person by themselves, as UTF-8 and as .icd texts hold it."""
    names = [person.name] if person.spoken else []
    parts = person.real_name.split()
    if person.spoken and parts:
        # "van" and "der" tell nobody.
        names += [" ".join(parts), *(part for part in parts if len(part) > _SHORTEST)]
    kept = [name for name in names if _tells_somebody(name)]
    return [*kept, *(name.encode().decode("latin-1") for name in kept if not name.isascii())]


def _parts_of_host(name: str) -> dict[str, str]:
    """Return the host's whole name, its first part and its domain; LVM doubles the dashes."""
    first, _, domain = name.partition(".")
    parts = {name: HOST, name.replace("-", "--"): HOST, first: HOST, first.replace("-", "--"): HOST}
    if domain not in _FORMS.words["public_domains"] and "." in domain:
        parts[domain] = DOMAIN
    return {part: stand_in for part, stand_in in parts.items() if _tells_somebody(part)}


def _tells_somebody(word: str) -> bool:
    is_common = word.lower() in _FORMS.words["common"] or word in _FORMS.words["system_accounts"]
    is_known = is_common or _STAND_IN.fullmatch(word) or word.isdecimal()
    return len(word) >= _SHORTEST and not is_known
