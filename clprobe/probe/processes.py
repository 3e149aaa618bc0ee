# SPDX-License-Identifier: MIT
"""Reads processes from /proc: this one's capabilities, and the ones above it with their groups."""

import errno
from pathlib import Path

from clprobe.probe.host import Process

_DEEPEST = 32


def ancestors() -> tuple[Process, ...]:
    """Return the processes above this one, parent first, as far as /proc shows them."""
    found: list[Process] = []
    pid = _field(_fields("self"), "PPid")
    while pid != "0" and len(found) < _DEEPEST:
        try:
            fields = _fields(pid)
            found.append(_process(fields))
        except (FileNotFoundError, ProcessLookupError):  # it ended, or is hidden (hidepid)
            break
        pid = _field(fields, "PPid")
    return tuple(found)


def effective_capabilities() -> int:
    """Return the bits of CapEff, see capabilities(7)."""
    return int(_field(_fields("self"), "CapEff"), 16)


def _process(fields: dict[str, str]) -> Process:
    # Four ids each: real, effective, saved, of the file system.
    uid, gid = (int(_field(fields, name).split()[1]) for name in ("Uid", "Gid"))
    groups = (gid, *map(int, fields.get("Groups", "").split()))
    return Process(name=_field(fields, "Name"), uid=uid, groups=tuple(dict.fromkeys(groups)))


def _fields(pid: str) -> dict[str, str]:
    text = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _field(fields: dict[str, str], name: str) -> str:
    """Return a field; sandboxes that imitate Linux leave some out, which is ENODATA."""
    if not fields.get(name):
        raise OSError(errno.ENODATA, f"/proc shows no {name}")
    return fields[name]
