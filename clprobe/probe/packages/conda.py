# SPDX-License-Identifier: MIT
"""Packages of the conda environment: one JSON file each, NAME-VERSION-BUILD.json in conda-meta."""

import re

from clprobe.model.system import Package
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask
from clprobe.probe.host import Host

_FILE = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)-[^-]+\.json")
_CHANNEL = re.compile(r'"channel":\s*"(?P<place>[^"]+)"')
# Keys are sorted: the channel comes before the lists of dependencies and files.
_HEAD_BYTES = 8192


def probe_conda_packages(host: Host, relevant: re.Pattern[str]) -> list[Package]:
    """Return the relevant packages of the active environment, or of the one of this Python."""
    python = ask(host.python)
    prefixes = [host.environment().get("CONDA_PREFIX")]
    prefixes.append(None if isinstance(python, Unknown) else python.prefix)
    return [
        _package(host, f"{folder}/{match[0]}", match)
        for folder in dict.fromkeys(f"{prefix}/conda-meta" for prefix in prefixes if prefix)
        for match in map(_FILE.fullmatch, _names(host, folder))
        if match and relevant.search(match["name"])
    ]


def _names(host: Host, folder: str) -> tuple[str, ...]:
    names = ask(host.list_folder, folder)
    return () if isinstance(names, Unknown) else names


def _package(host: Host, path: str, match: re.Match[str]) -> Package:
    return Package(
        name=match["name"],
        version=match["version"],
        manager="conda",
        architecture=Unknown("the file's name does not say"),
        state="installed",
        origin=_origin(host, path),
    )


def _origin(host: Host, path: str) -> str | Unknown | None:
    """Return the channel without its scheme, and without a token or password in it."""
    head = ask(host.read, path, _HEAD_BYTES)
    if isinstance(head, Unknown):
        return head
    channel = _CHANNEL.search(head.decode("utf-8", "replace"))
    if channel is None:
        return None
    place = re.sub(r"^\w+://([^/@]*@)?", "", channel["place"])
    return re.sub(r"/t/[^/]+", "", place)
