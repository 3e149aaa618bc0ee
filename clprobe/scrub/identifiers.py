# SPDX-License-Identifier: MIT
"""Ids, addresses, keys and tokens, told by their form; versions and PCI addresses look alike.

`UNMISTAKABLE` forms are replaced in every text. `LOOKALIKE` ones are left alone where versions,
hashes of releases and names from lists stand.
"""

import ipaddress
import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from clprobe.scrub.replacing import Removed, is_stand_in

_SHORTEST = 24
_LONG_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{_SHORTEST},}}={{0,2}}")
_HEX = re.compile(rf"[0-9a-fA-F]{{{_SHORTEST},}}")
_SEPARATORS = re.compile(r"[+/_-]")
_LONGEST_WORD = 12  # of lists such as gfx1100-gfx1101-gfx1102
_MANY_DIGITS = 3
FEWEST_KINDS = 6  # different characters; masks and padding have fewer
# Of random base64, every second character or so is of another class than the one before it;
# of CamelCase and mangled C++ names with their lengths, not even every third.
_CHANGES_OF_MIXED, _CHANGES_OF_LOWER = 0.4, 0.28


class Form(NamedTuple):
    """One form: `replace` returns the text of a match as it shall be."""

    pattern: re.Pattern[str]
    replace: Callable[[re.Match[str], Removed], str]


def _all_of(kind: str) -> Callable[[re.Match[str], Removed], str]:
    return lambda match, removed: removed.stand_in(kind, match[0])


def value_of(kind: str) -> Callable[[re.Match[str], Removed], str]:
    """Return what replaces the group `value` alone."""

    def replace(match: re.Match[str], removed: Removed) -> str:
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


# What it says of itself, before its value.
TELLING_WORD = (
    r"(?:[\w-]{0,40}?(?:token|passwor[dt]|passwd|passphrase|secret|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|credentials?|cookie|psk|luks[_-]?key|auth[_-]?key|encryption[_-]?key))"
)
UNMISTAKABLE = (
    Form(
        re.compile(r"(?<![\w+.-])[A-Za-z][\w+.-]{0,20}://(?P<value>[^\s/@'\"]+)(?=@)"),
        value_of("token"),
    ),
    Form(
        re.compile(
            r"(?<![A-Za-z0-9])(?:gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|"
            r"xox[abprs]-[\w-]{10,}|sk-[\w-]{20,}|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{20,}|"
            r"pypi-[\w-]{20,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|dckr_pat_[\w-]{16,}|"
            r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)"
        ),
        _all_of("token"),
    ),
    Form(
        re.compile(
            rf"(?i)(?<!\w)(?<!removed-){TELLING_WORD}[\"']?(?: ?:?= ?)[\"']?(?P<value>[^\s\"'&;,]+)"
        ),
        value_of("token"),
    ),
    Form(
        re.compile(
            rf"(?i)(?<!\w)(?<!removed-){TELLING_WORD}[\"']? ?: ?[\"']?"
            r"(?P<value>(?=[^\s\"']{0,200}\d)[^\s\"'&;,]{6,})"
        ),
        value_of("token"),
    ),
    Form(
        re.compile(r"(?i)\bauthorization: *(?:basic|bearer)? *(?P<value>\S{6,})"),
        value_of("token"),
    ),
    Form(re.compile(r"(?i)\bbearer +(?P<value>[\w.~+/=-]{8,})"), value_of("token")),
    Form(re.compile(r"(?i)(?<![\w.])key=[\"']?(?P<value>[^\s\"'&;,]{6,})"), value_of("token")),
    Form(
        re.compile(
            r"(?i)(?<!removed-)\b(?:serial[ _-]?(?:number|num|no\.?)?|s/n|"
            r"service[ _-]?tag|asset[ _-]?tag|machine[ _-]?id|boot[ _-]?id|unique[ _-]?id)"
            r"(?:[ \t]?[\"']?[ \t]?[:=#][ \t]*[\"']?|[ \t]+(?:is[ \t]+)?)"
            r"(?P<value>(?!8250/|0x0+\b)(?=[\w./-]{0,80}\d)[A-Za-z0-9][\w./-]{3,})"
        ),
        value_of("serial"),
    ),
    Form(
        re.compile(
            r"(?i)(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
            r"(?![0-9a-z])"
        ),
        _all_of("uuid"),
    ),
    Form(  # the serial number of a FAT or NTFS partition
        re.compile(r"\bUUID=[\"']?(?P<value>[0-9A-F]{4}-[0-9A-F]{4}|[0-9A-F]{16})\b"),
        value_of("uuid"),
    ),
    Form(
        re.compile(
            r"(?i)(?<![\w:.-])(?:[0-9a-f]{2}(?P<dash>[:-]))(?:[0-9a-f]{2}(?P=dash)){4,6}"
            r"[0-9a-f]{2}(?![\w:-])"
        ),
        _mac,
    ),
    Form(re.compile(r"(?i)\benx(?P<value>[0-9a-f]{12})\b"), value_of("mac-address")),
    Form(
        re.compile(
            r"(?i)(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|"
            r"(?:[0-9a-f]{1,4}:){1,7}:(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)"
            r"(?:%\w+)?(?![\w:])"
        ),
        _ipv6,
    ),
    Form(
        re.compile(
            r"(?<![\w.+/@-])[\w.+-]+@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+"
            r"(?:(?P<unit>service|socket|slice|scope|mount|target|timer|path|swap|device|so)"
            r"|[A-Za-z]{2,24})(?![\w-])"
        ),
        _email,
    ),
)

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_QUAD = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_VERSION_WORD = (
    r"\b(?:versions?|ver|v|rev(?:ision)?|releases?|build|drivers?|runtime|opencl|firmware|fw|"
    r"bios|vbios|api|windows|neo|igc|compiler|sdk|dch|than|level[ -]zero)\W{0,4}"
)
_NETWORK_WORD = (
    r"(?:\b(?:inet|ip|addr(?:ess)?|from|to|at|host|peer|server|gateway|dns|via|src|dst)"
    r"(?:\s?[=:]\s?|\s+)|//|@)"
)
_LEAST_OF_ADDRESSES = 10
LOOKALIKE = (
    Form(
        re.compile(
            rf"(?i)(?:(?P<version>{_VERSION_WORD})|(?P<network>{_NETWORK_WORD}))?"
            rf"(?P<folder>(?<!/)/)?(?<![\w.+~-])(?P<address>{_QUAD}(?:-{_QUAD})?)"
            r"(?![\w+~-]|\.\w)(?=(?P<port>[:/]\d)?)"
        ),
        _ipv4,
    ),
    # What cloud providers call their machines.
    Form(re.compile(rf"(?<![\w.])ip(?:-{_OCTET}){{4}}(?![\w-])"), _all_of("ip-address")),
    Form(
        re.compile(
            r"(?i)(?P<known>(?:/(?:nix|gnu)/store/|\b(?:git|commit|rev|revision|build[ -]id)"
            r"\W{1,3}|\bg(?=[0-9a-f]))?)"
            rf"(?<![A-Za-z0-9+_-])(?P<run>{_LONG_RUN.pattern})"
        ),
        _long_run,
    ),
)


def without_identifiers(text: str, forms: tuple[Form, ...], removed: Removed) -> str:
    """Return the text without what has one of these forms."""
    for pattern, replace in forms:
        text = pattern.sub(lambda match, replace=replace: replace(match, removed), text)  # type: ignore[misc]
    return text


def _random_parts(run: str) -> list[str]:
    """Return the parts of a match of `_LONG_RUN` that look like keys."""
    parts = _HEX.findall(run)
    if parts:
        return [part for part in parts if len(set(part.lower())) >= FEWEST_KINDS]
    if _looks_random(run):
        return [run]
    # A path is a run of its own; one of its names may be a key.
    return [part for part in run.split("/") if len(part) >= _SHORTEST and _looks_random(part)]


def _looks_random(text: str) -> bool:
    letters = "".join(character for character in text if character.isalnum())
    longest = max(map(len, _SEPARATORS.split(text)))
    if longest < _LONGEST_WORD or "_Z" in text or text.count("/") > len(text) // 12:
        return False
    if sum(character.isdigit() for character in letters) < _MANY_DIGITS:
        return False
    classes = [_class(character) for character in letters]
    changes = sum(one != two for one, two in pairwise(classes)) / len(letters)
    mixed = len(set(classes)) == 3
    return changes >= (_CHANGES_OF_MIXED if mixed else _CHANGES_OF_LOWER)


def _class(character: str) -> str:
    return "digit" if character.isdigit() else "upper" if character.isupper() else "lower"
