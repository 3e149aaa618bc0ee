# SPDX-License-Identifier: MIT
"""Ids, addresses, keys and tokens, told by their form; versions and PCI addresses look alike."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TypeAlias

from clprobe.knowledge.printed import Forms
from clprobe.scrub.replacing import Removed, is_stand_in

_FORMS = Forms("identifiers")
_SHORTEST = 24
_DIGIT = re.compile(r"[0-9]")
_SEPARATORS = re.compile(r"[+/_-]")
_LONGEST_WORD = 12  # of lists such as gfx1100-gfx1101-gfx1102
_MANY_DIGITS = 3
FEWEST_KINDS = 6  # different characters; masks and padding have fewer
# Of random base64, every second character or so is of another class than the one before it;
# of CamelCase and mangled C++ names with their lengths, not even every third.
_CHANGES_OF_MIXED, _CHANGES_OF_LOWER = 0.4, 0.28
_LEAST_OF_ADDRESSES = 10
Replace: TypeAlias = Callable[[re.Match[str], Removed], str]
"""Returns the text of a match as it shall be."""


def without_identifiers(text: str, removed: Removed, *, lookalike: bool = False) -> str:
    """Return the text without what can only be an id, or, if `lookalike`, what looks like one.

    The latter is left alone where versions, hashes of releases and names from lists stand.
    """
    forms = _FORMS.patterns["lookalike"] if lookalike else _FORMS.patterns["unmistakable"]
    return replaced(text, forms, _JUDGES, removed)


def replaced(
    text: str,
    forms: Mapping[str, re.Pattern[str]],
    judges: Mapping[str, Replace],
    removed: Removed,
) -> str:
    """Return the text with the matches of each form replaced, by the judge of it or of its kind."""
    likely = removed.likely(text, forms)
    for name, pattern in forms.items():
        if name not in likely or pattern.search(text) is None:  # as in nearly every text
            continue
        kind = name.partition(" ")[0]
        replace = judges.get(name) or judges.get(kind) or value_of(kind)
        text = pattern.sub(lambda match, replace=replace: replace(match, removed), text)  # type: ignore[misc]
        likely = removed.likely(text, forms)
    return text


def is_secret(name: str) -> bool:
    """Tell whether a variable says of itself that its value is a secret."""
    return _FORMS.secret_name.fullmatch(name) is not None


def value_of(kind: str) -> Replace:
    """Return what replaces the group `value` alone; without one, the whole match."""

    def replace(match: re.Match[str], removed: Removed) -> str:
        if "value" not in match.re.groupindex:
            return removed.stand_in(kind, match[0])
        value = match["value"]
        if is_stand_in(value):
            return match[0]
        start, end = match.span("value")
        start, end = start - match.start(), end - match.start()
        return match[0][:start] + removed.stand_in(kind, value) + match[0][end:]

    return replace


def _mac(match: re.Match[str], removed: Removed) -> str:
    is_date = match["dash"] == "-" and match[0].replace("-", "").isdecimal()
    return match[0] if is_date else removed.stand_in("mac-address", match[0])


def _ipv6(match: re.Match[str], removed: Removed) -> str:
    text = match[0]
    try:
        address = ipaddress.IPv6Address(text.partition("%")[0])
    except ValueError:
        return text
    # C++ writes a::b; loopback and "any" tell nothing.
    first, groups = text.partition(":")[0], [part for part in text.split(":") if part]
    is_scope = not any(character.isdigit() for character in text) or (
        len(first) < 3 and len(groups) < 3
    )
    if is_scope or address.is_loopback or address.is_unspecified:
        return text
    return removed.stand_in("ip-address", text)


def _ipv4(match: re.Match[str], removed: Removed) -> str:
    first = match["address"].partition("-")[0]
    address = ipaddress.IPv4Address(first)
    # /opt/intel/opencl/6.4.0.25 is a version, /mnt/192.168.1.5 a machine. Versions of drivers
    # begin with small numbers, addresses seldom.
    is_small = int(first.partition(".")[0]) < _LEAST_OF_ADDRESSES
    is_version = match["version"] or (match["folder"] and not address.is_private)
    is_version = is_version or (is_small and not (match["network"] or match["port"]))
    if is_version or address.is_loopback or first.endswith(".0.0.0"):
        return match[0]
    before = (match["network"] or "") + (match["folder"] or "")
    return before + removed.stand_in("ip-address", match["address"])


def _email(match: re.Match[str], removed: Removed) -> str:
    return match[0] if match["unit"] else removed.stand_in("email", match[0])


def _long_run(match: re.Match[str], removed: Removed) -> str:
    if match["known"]:
        return match[0]
    text = match["run"]
    for part in _random_parts(text):
        text = text.replace(part, removed.stand_in("token", part))
    return text


_JUDGES: dict[str, Replace] = {
    "mac-address in pairs of digits": _mac,
    "ip-address of version 6": _ipv6,
    "email": _email,
    "ip-address of version 4": _ipv4,
    "token that looks random": _long_run,
}


def _random_parts(run: str) -> list[str]:
    """Return the parts of a long run of characters that look like keys."""
    parts = _FORMS.hexadecimal.findall(run)
    if parts:
        return [part for part in parts if len(set(part.lower())) >= FEWEST_KINDS]
    if _looks_random(run):
        return [run]
    # A path is a run of its own; one of its names may be a key.
    return [part for part in run.split("/") if len(part) >= _SHORTEST and _looks_random(part)]


def _looks_random(text: str) -> bool:
    if len(_DIGIT.findall(text)) < _MANY_DIGITS:
        return False
    longest = max(map(len, _SEPARATORS.split(text)))
    if longest < _LONGEST_WORD or "_Z" in text or text.count("/") > len(text) // 12:
        return False
    letters = "".join(character for character in text if character.isalnum())
    classes = [_class(character) for character in letters]
    changes = sum(one != two for one, two in pairwise(classes)) / len(letters)
    mixed = len(set(classes)) == 3
    return changes >= (_CHANGES_OF_MIXED if mixed else _CHANGES_OF_LOWER)


def _class(character: str) -> str:
    return "digit" if character.isdigit() else "upper" if character.isupper() else "lower"
