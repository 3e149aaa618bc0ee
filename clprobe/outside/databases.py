# SPDX-License-Identifier: MIT
"""Reads what a container's databases of users, groups and packages printed."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from clprobe.probe.host import Account, PackageRecord

_STATES = {
    "installed": "installed",
    "triggers-awaited": "installed",
    "triggers-pending": "installed",
    "unpacked": "unpacked",
    "half-installed": "half-installed",
    "half-configured": "half-configured",
}
"""What dpkg-query says of packages whose files are there, in the words of snapshots."""


class GroupRow(NamedTuple):
    """A line of /etc/group."""

    name: str
    gid: int
    members: tuple[str, ...]


def accounts_in(body: bytes) -> Iterator[Account]:
    """Yield the entries of a /etc/passwd; lines of another form are passed over."""
    for fields in _rows(body):
        if fields[2].isdecimal() and fields[3].isdecimal():
            yield Account(name=fields[0], uid=int(fields[2]), gid=int(fields[3]))


def groups_in(body: bytes) -> Iterator[GroupRow]:
    """Yield the entries of a /etc/group; lines of another form are passed over."""
    for fields in _rows(body):
        if fields[2].isdecimal():
            yield GroupRow(fields[0], int(fields[2]), tuple(filter(None, fields[3].split(","))))


def _rows(body: bytes) -> Iterator[list[str]]:
    for line in body.decode("utf-8", "replace").splitlines():
        fields = line.split(":")
        if len(fields) >= 4 and not line.startswith("#"):
            yield fields


class Worker(NamedTuple):
    """As whom a program in the container runs."""

    uid: int
    gid: int
    groups: tuple[int, ...]


def worker_in(body: bytes) -> Worker | None:
    """Return as whom most processes run, root's aside; None: all are root's.

    Images often start as root, and let their program go on as somebody else.
    """
    found: Counter[Worker] = Counter()
    for line in body.decode("utf-8", "replace").splitlines():
        parts = [[int(one) for one in part.split() if one.isdecimal()] for part in line.split("|")]
        if len(parts) == 3 and len(parts[0]) > 1 and len(parts[1]) > 1 and parts[0][1] != 0:
            uid, gid = parts[0][1], parts[1][1]
            found[Worker(uid, gid, tuple(dict.fromkeys((gid, *parts[2]))))] += 1
    return max(found, key=lambda one: found[one], default=None)


def packages_in(body: bytes, manager: str) -> Iterator[PackageRecord]:
    """Yield the packages that are there, of lines with name, version, architecture and state."""
    for line in body.decode("utf-8", "replace").splitlines():
        fields = line.split("\t")
        if len(fields) == 4 and fields[3] in _STATES:
            name, version, architecture, state = fields
            yield PackageRecord(
                name=name,
                version=version,
                manager=manager,
                architecture=architecture,
                state=_STATES[state],
            )
