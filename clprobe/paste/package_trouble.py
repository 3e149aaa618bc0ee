# SPDX-License-Identifier: MIT
"""Reads what package managers complain about, where packages come from, and apt-cache policy."""

import re
from collections.abc import Iterator

from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Context, Paste, Reading

_TROUBLE = re.compile(
    r"(?i)unmet dependencies|(?:pre-?)?depends: \S.* (?:but|going|installable)|(?:breaks"
    r"|conflicts|replaces): \S"
    r"|held broken packages|unable to (?:locate|correct|fetch)|has no installation "
    r"candidate|failed to fetch"
    r"|have been kept back|will be removed|dependency problems?|error processing "
    r"(?:package|archive)"
    r"|errors were encountered while processing|trying to overwrite|not going to be "
    r"installed|is not installable"
    r"|conflicting requests|nothing provides|cannot install (?:the best|both)|package "
    r".{1,80} (?:breaks|conflicts with|requires|is not configured|but it)"
    r"|failed to prepare transaction|installing .{1,100} breaks dependency|unresolvable "
    r"package conflicts"
    r"|breaks .{1,100} and is (?:installed|unconfigured|unpacked)|deb.*404 +not found"
    r"|resolutionimpossible|no matching distribution found"
    r"|problem(?: \d+)?: (?:package|conflicting|problem|cannot|installed)|left "
    r"unconfigured|not configured yet|unsatisfiable constraints"
    r"|try 'apt --fix-broken|apt-get -f install|hash sum mismatch|no_pubkey|gpg error:"
    r"|\[ip: [\d.: ]+\]|does not have a release file"
)
_CONTINUES = re.compile(
    r" +(?:Depends|PreDepends|Breaks|Conflicts|Replaces|Recommends|Suggests): \S| "
    r"{1,12}[a-z0-9][\w.+:-]*(?: [a-z0-9][\w.+:-]*)* *$|  - \S"
)
_OPENS = re.compile(
    r"(?i)unmet dependencies|have been kept back|will be removed|errors were encountered"
    r"|problem(?: \d+)?:|dependency problems prevent"
)
_CHATTER = re.compile(
    r"(?:Reading package lists|Building dependency tree|Reading state information|Some "
    r"packages could not be installed"
    r"|requested an impossible situation|distribution that some required|or been moved "
    r"out of Incoming|The following (?:NEW|additional|information)"
    r"|Do you want to continue|Need to get|After this operation|\d+ (?:upgraded|newly "
    r"installed|to upgrade)|Get:\d+ |Hit:\d+ |Ign:\d+ |Fetched \d"
    r"|Selecting previously|Preparing to unpack|Unpacking |Setting up |Removing |Purging "
    r"|Processing "
    r"triggers|\(Reading database|Suggested packages:|Recommended packages:"
    r"|The following packages were automatically|Use 'sudo apt autoremove'|Calculating "
    r"upgrade|.{1,60} is already the newest version"
    r"|Last metadata expiration check|Dependencies resolved|Nothing to do\.|Complete!"
    r"|Collecting |Requirement already satisfied|Downloading |Installing collected"
    r"|Successfully installed)"
)
_POLICY = re.compile(r"(?P<name>[a-z0-9][a-z0-9.+-]{1,80}(?::\w+)?):$")
_POLICY_LINE = re.compile(
    r"(?:Installed|Candidate|Version table|Installiert|Installationskandidat"
    r"|Versionstabelle|Installé|Candidat|Instalados?):|\*\*\* \S+ \d+|\S+ \d{1,4}$"
    r"|-?\d{1,4} (?:https?://|/var/lib/dpkg|mirror)"
)
_SOURCE = re.compile(
    r"(?:deb(?:-src)? (?:\[[^\]]{0,200}\] )?|URIs: |baseurl=|-?\d{2,4} )(?:https?"
    r"|ftp)://(?P<place>[\w.-]+(?:/[\w.+~-]+){0,6})"
)
_PPA = re.compile(
    r"\bppa:(?P<place>[\w.-]{1,60}/[\w.-]{1,60})"
    r"|ppa\.launchpad(?:content)?\.net/(?P<other>[\w.-]{1,60}/[\w.-]{1,60})/ubuntu"
    r"|launchpad\.net/~(?P<owner>[\w.-]{1,60})/\+archive/ubuntu/(?P<archive>[\w.-]{1,60})"
)
_COPR = re.compile(
    r"\bcopr:copr\.fedorainfracloud\.org:(?P<place>[\w@.-]{1,60}:[\w.-]{1,60})|\bcopr "
    r"enable +@?(?P<other>[\w.-]{1,60}/[\w.-]{1,60})"
)
_OWN = re.compile(
    r"(?:^|\.)(?:ubuntu\.com|debian\.org|fedoraproject\.org|archlinux\.org|alpinelinux\.org)(?:/|$)"
)
_NAMES = re.compile(r"[a-z0-9][\w.+:-]*(?: [a-z0-9][\w.+:-]*)*")
_MOST = 60


def read_package_trouble(paste: Paste) -> Iterator[Reading]:
    """Give everything that a package manager complained about as one text."""
    lines: list[int] = []
    said: list[str] = []
    opened = -1
    for index, line in paste.free():
        raw = paste.lines[index]
        if re.match(
            r"(?:apt(?:-get)?|dpkg) .*\b(?:remove|purge|autoremove)\b",
            paste.contexts[index].command,
        ):
            yield from _removal(index, line)
            continue
        is_continued = opened >= 0 and index - opened == 1 and _CONTINUES.match(raw)
        if _TROUBLE.search(line[:400]) or is_continued:
            lines.append(index)
            said.append(line)
            opened = index if is_continued or _OPENS.search(line[:400]) else -1
        elif _CHATTER.match(line):
            yield Reading(lines=(index,), facts=Snapshot())
    if lines:
        trouble = "\n".join(dict.fromkeys(said[:_MOST]))
        yield Reading(lines=tuple(lines), facts=Snapshot(package_trouble=trouble))


def _removal(index: int, line: str) -> Iterator[Reading]:
    """Give what apt prints while somebody removes packages: that they go is no trouble then."""
    if (
        _CHATTER.match(line)
        or re.search(r"will be REMOVED|to remove", line)
        or _NAMES.fullmatch(line)
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
        head = _POLICY.match(line) if paste.lines[index][:1] != " " else None
        if head is not None:
            yield name, lines, told
            name, lines, told = head["name"], [index], []
        elif name and index - lines[-1] <= 2 and _POLICY_LINE.match(line) and len(lines) < 60:
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


def read_package_sources(paste: Paste) -> Iterator[Reading]:
    """Give the repositories beyond the distribution's own that lines of apt or dnf name."""
    for index, line in paste.free():
        named = _PPA.search(line) or _COPR.search(line)
        place = None
        if named is not None:
            parts = named.groupdict()
            owned = f"{parts.get('owner')}/{parts.get('archive')}"
            kind = "copr" if "copr" in named[0] else "ppa"
            place = f"{kind}:{parts['place'] or parts['other'] or owned}"
        elif (found := _SOURCE.match(line)) is not None:
            place = found["place"]
        if place is None:
            continue
        is_own = _OWN.search(place.partition("/")[0])
        facts = Snapshot() if is_own else Snapshot(package_sources=(place,))
        yield Reading(lines=(index,), facts=facts)
