# SPDX-License-Identifier: MIT
"""Reads the lists of package sources: apt's two formats, dnf's and zypper's, pacman's, apk's."""

import re
from collections.abc import Iterator
from typing import NamedTuple


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
