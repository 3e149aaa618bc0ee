# SPDX-License-Identifier: MIT
"""The command lines of an action, and who must run them."""

import msgspec

from clprobe.model.mending import Argv

_SYSTEM = ("/etc/", "/usr/", "/opt/", "/lib", "/dev/")


class Commands(msgspec.Struct, frozen=True, kw_only=True):
    """`argv` does it, `verify` proves it, `undo` takes it back.

    `argv` None: a person must act. `undo_in_words` is for undoing what no program does.
    """

    argv: Argv | None
    needs_root: bool = False
    undo: Argv | None = None
    verify: Argv | None = None
    undo_in_words: str | None = None


def is_of_system(path: str) -> bool:
    """Whether only root may write there on an ordinary system."""
    return path.startswith(_SYSTEM)
