# SPDX-License-Identifier: MIT
"""Reads processes from /proc: this one's capabilities, and the ones above it with their groups."""

import errno
from pathlib import Path

from clprobe.probe.host import Process

_DEEPEST = 32


def ancestors() -> tuple[Process, ...]:
    """Return the processes above this one, parent first, as far as /proc shows them."""
    found: list[Process] = []
    pid = _field(status_fields("self"), "PPid")
    while pid != "0" and len(found) < _DEEPEST:
        try:
            fields = status_fields(pid)
            found.append(_process(fields))
        except (FileNotFoundError, ProcessLookupError):  # it ended, or is hidden (hidepid)
            break
        pid = _field(fields, "PPid")
    return tuple(found)


def effective_capabilities() -> int:
    """Return the bits of CapEff, see capabilities(7)."""
    return int(_field(status_fields("self"), "CapEff"), 16)


def _process(fields: dict[str, str]) -> Process:
    # Four ids each: real, effective, saved, of the file system.
    uid = int(_field(fields, "Uid").split()[1])
    return Process(name=_field(fields, "Name"), uid=uid, groups=group_ids(fields))


def group_ids(fields: dict[str, str]) -> tuple[int, ...]:
    """Return the effective group and all others, each once. Raises: OSError if none is shown."""
    own = int(_field(fields, "Gid").split()[1])
    return tuple(dict.fromkeys((own, *map(int, fields.get("Groups", "").split()))))


def status_fields(pid: int | str) -> dict[str, str]:
    """Return the lines of a process's status by their names. Raises: OSError if it is gone."""
    text = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs}


def _field(fields: dict[str, str], name: str) -> str:
    """Return a field; sandboxes that imitate Linux leave some out, which is ENODATA."""
    if not fields.get(name):
        raise OSError(errno.ENODATA, f"/proc shows no {name}")
    return fields[name]
