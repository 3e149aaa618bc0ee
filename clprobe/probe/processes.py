# SPDX-License-Identifier: MIT
"""Reads processes from /proc: this one's capabilities, and the ones above it with their groups."""

from pathlib import Path

from clprobe.probe.host import Process

_DEEPEST = 32


def ancestors() -> tuple[Process, ...]:
    """Return the processes above this one, parent first, as far as /proc shows them."""
    found: list[Process] = []
    pid = _fields("self")["PPid"]
    while pid not in ("0", "") and len(found) < _DEEPEST:
        try:
            fields = _fields(pid)
        except (FileNotFoundError, ProcessLookupError):  # it ended, or is hidden (hidepid)
            break
        # Four ids each: real, effective, saved, of the file system.
        effective_gid = int(fields["Gid"].split()[1])
        groups = (effective_gid, *map(int, fields["Groups"].split()))
        uid = int(fields["Uid"].split()[1])
        found.append(Process(name=fields["Name"], uid=uid, groups=tuple(dict.fromkeys(groups))))
        pid = fields["PPid"]
    return tuple(found)


def effective_capabilities() -> int:
    """Return the bits of CapEff, see capabilities(7)."""
    return int(_fields("self")["CapEff"], 16)


def _fields(pid: str) -> dict[str, str]:
    text = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs}
