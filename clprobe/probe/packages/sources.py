# SPDX-License-Identifier: MIT
"""Repositories beyond the distribution's own, as apt, dnf, zypper, pacman and apk list them.

Kept are host and path alone: log-in names, passwords and tokens stay on the host.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar
from urllib.parse import urlsplit

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, reason
from clprobe.probe.host import Host
from clprobe.probe.packages.source_files import (
    Source,
    read_apk,
    read_apt_lines,
    read_apt_paragraphs,
    read_pacman,
    read_yum,
)

T = TypeVar("T")
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
        names = _unless_absent(host.list_folder, folder) or ()
        paths += [(f"{folder}/{name}", read) for name in names if name.endswith(suffix)]
    for path, read in paths:
        raw = _unless_absent(host.read, path)
        if raw is not None:
            yield raw.decode("utf-8", "replace"), read


def _unless_absent(question: Callable[[str], T], path: str) -> T | None:
    """Return the answer, None if there is no such file; a link into nowhere is none either."""
    try:
        return question(path)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise


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
