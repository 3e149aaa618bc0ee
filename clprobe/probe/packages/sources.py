# SPDX-License-Identifier: MIT
"""Repositories beyond the distribution's own, as apt, dnf, zypper, pacman and apk list them.

Kept are host and path alone: log-in names, passwords and tokens stay on the host.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import reason, unless_absent
from clprobe.probe.host import Host


class Source(NamedTuple):
    """One repository that is switched on; `uri` is empty where another file tells its mirrors."""

    uri: str
    name: str = ""
    suites: tuple[str, ...] = ()


_APT_LINE = re.compile(r"deb\s+(?:\[[^\]]*\]\s*)?(?P<uri>\S+)\s+(?P<suite>\S+)")
_SECTION = re.compile(r"\[(?P<name>[^\]]+)\]")


def read_apt_lines(text: str) -> Iterator[Source]:
    """Give what a `.list` file names; sources of source code hold no driver."""
    for line in text.splitlines():
        # A disc is told as cdrom:[TITLE]/, with blanks in it.
        if (match := _APT_LINE.match(line.strip())) and not match["uri"].startswith("cdrom:"):
            yield Source(match["uri"], suites=(match["suite"],))


def read_apt_paragraphs(text: str) -> Iterator[Source]:
    """Give what a `.sources` file names, deb822(5)."""
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        # A field goes on in the lines that begin with a blank.
        joined = re.sub(r"\n[ \t]+", " ", paragraph)
        fields = dict(re.findall(r"^([\w-]+):[ \t]*(.*)$", joined, re.M))
        fields = {name.lower(): value for name, value in fields.items()}
        if fields.get("enabled", "yes").lower() in ("no", "false", "0"):
            continue
        if "deb" in fields.get("types", "").split():
            for uri in fields.get("uris", "").split():
                yield Source(uri, suites=tuple(fields.get("suites", "").split()))


def read_yum(text: str) -> Iterator[Source]:
    """Give what a `.repo` file of dnf or zypper names."""
    for name, lines in _sections(text):
        fields = dict(_assignments(lines))
        if fields.get("enabled", "1") in ("0", "no", "false", "False"):
            continue
        uri = fields.get("baseurl") or fields.get("metalink") or fields.get("mirrorlist") or ""
        yield Source(uri.split(maxsplit=1)[0] if uri else "", name)


def read_pacman(text: str) -> Iterator[Source]:
    """Give the repositories of pacman.conf; a mirror list that it includes is not read."""
    for name, lines in _sections(text):
        if name != "options":
            servers = [value for key, value in _assignments(lines) if key == "Server"]
            yield Source(servers[0] if servers else "", name)


def read_apk(text: str) -> Iterator[Source]:
    """Give the lines of apk's list, without the tags of pinned ones."""
    for line in text.splitlines():
        words = line.strip().split()
        if words and not words[0].startswith("#"):
            yield Source(words[-1])


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    name = ""
    lines: list[str] = []
    for line in (*text.splitlines(), "[]"):
        if line.startswith("["):
            if name:
                yield name, lines
            match = _SECTION.match(line)
            name, lines = match["name"] if match else "", []
        elif not line.lstrip().startswith(("#", ";")):
            lines.append(line)


def _assignments(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, equals, value = line.partition("=")
        if equals and not name.startswith((" ", "\t")):
            yield name.strip(), value.strip()


Read = Callable[[str], Iterable[Source]]

_FILES: tuple[tuple[str, Read], ...] = (
    ("/etc/apt/sources.list", read_apt_lines),
    ("/etc/pacman.conf", read_pacman),
    ("/etc/apk/repositories", read_apk),
)
_FOLDERS: tuple[tuple[str, str, Read], ...] = (
    ("/etc/apt/sources.list.d", ".list", read_apt_lines),
    ("/etc/apt/sources.list.d", ".sources", read_apt_paragraphs),
    ("/etc/yum.repos.d", ".repo", read_yum),
    ("/etc/zypp/repos.d", ".repo", read_yum),
)
_OWN_HOST = re.compile(
    r"(^|\.)(debian\.org|ubuntu\.com|linuxmint\.com|pop-os\.org|kali\.org|raspberrypi\.(org|com)"
    r"|raspbian\.org|fedoraproject\.org|redhat\.com|centos\.org|rockylinux\.org|almalinux\.org"
    r"|opensuse\.org|suse\.com|alpinelinux\.org|archlinux\.org|archlinuxarm\.org|manjaro\.org)$"
)
# Projects of people and companies lie beside openSUSE's own; EPEL lies on Fedora's hosts.
_NOT_OWN = re.compile(r"/repositories/(?!openSUSE)|\bepel\b", re.IGNORECASE)
# What the distributions call their own repositories, whichever mirror serves them.
_OWN_NAME = re.compile(
    r"(fedora|updates|baseos|appstream|base|extras|crb|powertools|rhel-.*|ubi-.*|repo-(oss|non-oss"
    r"|update|sle|backports|openh264).*|openSUSE:.*|core|extra|community|multilib|alarm|aur"
    r"|(core|extra|multilib|community|gnome|kde)-(testing|staging)|testing"
    r"|cachyos.*|endeavouros|system|world|galaxy|lib32)(-(modular|testing|debuginfo|source))*",
    re.IGNORECASE,
)
_OWN_FOLDER = re.compile(r"(debian|ubuntu|raspbian|kali|linuxmint)(-(security|ports|archive))?")
_MIRRORED_SUITE = re.compile(r".+-(updates|security|backports|proposed)|sid|unstable|testing")
_ALPINE = re.compile(r"/(v\d+\.\d+|edge|latest-stable)/(main|community|testing)$")
_PPA = re.compile(r"ppa\.launchpad(?:content)?\.net/([^/]+/[^/]+)")
_COPR = re.compile(r"copr\.fedorainfracloud\.org/results/([^/]+/[^/]+)")
_TOKEN = re.compile(
    r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{20,}\b|\d{1,3}(\.\d{1,3}){3}"
    r"|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
# The lists of a whole distribution are larger; those of makers and PPAs have a few hundred entries.
_MOST_BYTES = 8 << 20
_SUFFIX = "_Packages"


def probe_package_sources(host: Host) -> tuple[str, ...] | Unknown:
    """Return the repositories that do not belong to the distribution, such as a maker's.

    Unknown if a list may not be read or there is none that is known here.
    """
    try:
        texts = list(_texts(host))
    except OSError as error:
        return Unknown(reason(error))
    if not texts:
        return Unknown("no list of package sources that is known here")
    sources = [source for text, read in texts for source in read(text)]
    mirrors = {
        source.uri
        for source in sources
        if any(map(_MIRRORED_SUITE.fullmatch, source.suites))
        and _OWN_FOLDER.search(_path(source).rpartition("/")[2])
    }
    foreign = (
        _place(source) for source in sources if source.uri not in mirrors and not _is_own(source)
    )
    return tuple(dict.fromkeys(filter(None, foreign)))


def is_own_host(name: str) -> bool:
    """Tell whether a host belongs to a distribution."""
    return _OWN_HOST.search(name) is not None


def short_name(place: str) -> str:
    """Return host and path as people write them, without what looks like a token or an address."""
    for pattern, kind in ((_PPA, "ppa"), (_COPR, "copr")):
        if match := pattern.search(place):
            return f"{kind}:{match[1]}"
    return "/".join(_TOKEN.sub("…", part) for part in place.split("/"))


def _texts(host: Host) -> Iterator[tuple[str, Read]]:
    """Give every list with what reads it.

    Raises: OSError if one is there and may not be read.
    """
    paths = [*_FILES]
    for folder, suffix, read in _FOLDERS:
        names = unless_absent(host.list_folder, folder) or ()
        paths += [(f"{folder}/{name}", read) for name in names if name.endswith(suffix)]
    for path, read in paths:
        raw = unless_absent(host.read, path)
        if raw is not None:
            yield raw.decode("utf-8", "replace"), read


def _is_own(source: Source) -> bool:
    if source.name and _OWN_NAME.fullmatch(source.name):
        return True
    if _NOT_OWN.search(source.uri) or _NOT_OWN.search(source.name):
        return False
    return is_own_host(_host(source)) or _ALPINE.search(_path(source)) is not None


def _place(source: Source) -> str:
    """Return where a repository lies: host and path, or its name where no address is told."""
    parts = _path(source).split("/")
    while parts and "$" in parts[-1]:  # the release and the architecture, filled in by dnf
        parts.pop()
    path = "/".join(parts)
    place = short_name(f"{_host(source)}{path}")
    # The list of mirrors that a server hands out is the same address for many repositories.
    is_list = place.endswith(("/metalink", "/mirrorlist"))
    return f"{place} ({source.name})" if is_list else place or source.name


def _host(source: Source) -> str:
    """Return the host without log-in name, password and port."""
    try:
        return urlsplit(source.uri).hostname or ""
    except ValueError:  # brackets that are no address
        return ""


def _path(source: Source) -> str:
    try:
        return urlsplit(source.uri).path.rstrip("/")
    except ValueError:
        return ""


def origins(folder: Path, packages: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the repository of each (name, version) that a list has; dpkg itself records none."""
    wanted = [
        (name, version, f"\nPackage: {name}\n".encode(), f"\nVersion: {version}\n".encode())
        for name, version in packages
    ]
    found: dict[tuple[str, str], str] = {}
    for place, raw in _foreign_lists(folder):
        for name, version, name_line, version_line in wanted:
            if any(version_line in entry for entry in _entries(raw, name_line)):
                found.setdefault((name, version), place)
    return found


def _foreign_lists(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Give the lists that are plain and small, each with the place that its name tells."""
    left = _MOST_BYTES
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        # apt writes slashes as underscores, and underscores as %5f.
        place = path.name.partition("_dists_")[0].removesuffix(_SUFFIX).replace("_", "/")
        if is_own_host(place.partition("/")[0]):
            continue
        try:
            raw = path.read_bytes() if path.stat().st_size <= left else b""
        except OSError:  # taken away by an apt that runs just now
            continue
        left -= len(raw)
        yield short_name(unquote(place).rstrip("/")), b"\n" + raw


def _entries(raw: bytes, name_line: bytes) -> Iterator[bytes]:
    """Give each paragraph of a package: a repository may hold several versions of it."""
    at = raw.find(name_line)
    while at >= 0:
        end = raw.find(b"\n\n", at + 1)
        yield raw[at : end + 1 if end >= 0 else len(raw)]
        at = raw.find(name_line, at + 1)
