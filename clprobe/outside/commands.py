# SPDX-License-Identifier: MIT
"""Tells from a command line which flatpak or snap it starts."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

_EXPORTS = "/flatpak/exports/bin/"
_SNAPS = "/snap/bin/"
_RUN = "run"


class Started(NamedTuple):
    """What a command starts: its kind, and the name that its tool knows."""

    kind: Literal["flatpak", "snap"]
    name: str


def started_by(argv: Sequence[str], path: str | None) -> Started | None:
    """Return the flatpak or snap that a command starts; None: none.

    `path` is the file that the command is found as, None where there is none.
    """
    command = argv[0].rpartition("/")[2]
    for kind in ("flatpak", "snap"):
        if command == kind and _RUN in argv:
            words = argv[argv.index(_RUN) + 1 :]
            name = next((word for word in words if not word.startswith("-")), None)
            return None if name is None else _of_kind(kind, name)
    if path is not None and _EXPORTS in path:
        return Started("flatpak", path.rpartition("/")[2])
    if path is not None and _SNAPS in path:
        return _of_kind("snap", path.rpartition("/")[2])
    return None


def _of_kind(kind: str, name: str) -> Started:
    # A snap's further commands are called SNAP.COMMAND.
    return Started("snap", name.partition(".")[0]) if kind == "snap" else Started("flatpak", name)
