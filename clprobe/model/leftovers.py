# SPDX-License-Identifier: MIT
"""What clprobe leaves on a machine from one run to the next, as `clprobe cache` prints it."""

from typing import Literal

import msgspec

Kind = Literal["cache", "session", "temporary", "journal", "environment", "library-cache"]
"""cache: clprobe's own, made anew when missing. session: folders that `clprobe env` made for a
shell. temporary: of a clprobe that was killed, or is at work. journal: what `--undo` needs.
environment: what `install-plan --apply` installed for this user. library-cache: of libraries that
clprobe uses, and other programs too."""


class LeftOver(msgspec.Struct, frozen=True, kw_only=True):
    """One file or folder; `bytes` and `files` count what could be seen.

    `is_cleared` tells whether `--clear` removes it, and `removed` whether it just did.
    `remove_with` is the command that removes it by hand, and `problem` says why clprobe does not
    use what is there, or could not remove it.
    """

    path: str
    kind: Kind
    purpose: str
    bytes: int
    files: int
    safe_to_remove: bool
    is_cleared: bool
    removed: bool = False
    remove_with: str | None = None
    problem: str | None = None


class CacheReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was found; `freed_bytes` is what `--clear` removed."""

    action: Literal["list", "clear"]
    entries: tuple[LeftOver, ...]
    freed_bytes: int = 0
