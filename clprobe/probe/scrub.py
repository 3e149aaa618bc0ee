# SPDX-License-Identifier: MIT
"""Takes out of a snapshot what tells who and where: the log-in name, the home folder, the host.

A replayed snapshot must give the findings of the live run, so only what is personal changes: names
of people (user ids from 1000 on) become `user`, consistently; root, nobody and service accounts
keep theirs, because which of them asks is often the diagnosis.
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from clprobe.model.placeholders import is_person
from clprobe.model.snapshot import Snapshot
from clprobe.probe.environment import is_recorded
from clprobe.probe.host import Host

NOTE = "log-in name, home folder and host name were replaced; other variables are left out"

_USER, _HOME, _HOST = "user", "/home/user", "host"
_HOMES = r"(/home|/var/home|/media|/run/media|/mnt/[a-z]/Users)"
# Free text in which a host name may occur; elsewhere a host called "debian" would be taken for
# the distribution.
_FREE_TEXTS = ("printed", "command_line", "build_log")
_NAMES = ("name", "owner", "group", "who")


def scrub(snapshot: Snapshot, *, home: str | None = None, host_name: str = "") -> Snapshot:
    """Return the snapshot without what identifies a person or a host."""
    name = snapshot.user.name if is_person(snapshot.user.uid) else None
    name = name if isinstance(name, str) and name != _USER else None
    rules = _Rules(name, home if name else None, host_name)
    document = rules.apply(msgspec.to_builtins(snapshot))
    return msgspec.convert(document, Snapshot)


def scrub_here(snapshot: Snapshot, host: Host) -> Snapshot:
    """Return the snapshot without what identifies this person or this host."""
    home = host.home_folder(host.identity().uid)
    return scrub(snapshot, home=home, host_name=host.machine().node_name)


class _Rules:
    """What becomes what, for one snapshot."""

    def __init__(self, name: str | None, home: str | None, host_name: str) -> None:
        self._name = name
        self._changes: list[Callable[[str], str]] = []
        if home and home != "/":
            self._replace(rf"{re.escape(home.rstrip('/'))}(?![\w.-])", _HOME)
        if name:
            self._replace(rf"{_HOMES}/{re.escape(name)}(?![\w.-])", rf"\1/{_USER}")
            self._replace(rf"^(user|group):{re.escape(name)}:", rf"\1:{_USER}:")
        host = rf"(?<![\w.-]){re.escape(host_name)}(?![\w-])"
        self._host = re.compile(host) if host_name else None

    def apply(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the document with every text changed; variables that are not ours are dropped."""
        changed: dict[str, Any] = self._changed(document, "")
        return changed

    def _replace(self, pattern: str, by: str) -> None:
        compiled = re.compile(pattern)
        self._changes.append(lambda text: compiled.sub(by, text))

    def _changed(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {
                name: self._changed(part, "printed" if key == "environment" else name)
                for name, part in value.items()
                if key != "environment" or is_recorded(name)
            }
        if isinstance(value, list | tuple):
            return [self._changed(part, key) for part in value]
        return self._text(value, key) if isinstance(value, str) else value

    def _text(self, text: str, key: str) -> str:
        if self._name and text == self._name and key in _NAMES:
            return _USER
        for change in self._changes:
            text = change(text)
        if self._host and key in _FREE_TEXTS:
            text = self._host.sub(_HOST, text)
        return text
