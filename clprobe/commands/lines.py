# SPDX-License-Identifier: MIT
"""The command lines of an action, and who must run them; the modules beside know them."""

from functools import singledispatch

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


@singledispatch
def commands_of(action: object) -> Commands:
    """Return the commands of an action as plans run them, unattended.

    Raises: ValueError if it is of a package manager that no table knows.
    """
    raise TypeError(f"no commands are known of {action}")


@singledispatch
def typed(action: object) -> Commands:
    """Return the commands of an action as people type them.

    Raises: ValueError as above.
    """
    return commands_of(action)


@singledispatch
def in_shell(action: object, sudo: str) -> str | None:
    """Return the line of a shell that people read more easily than the command; None: no such.

    `sudo` is "sudo " or nothing.
    """
    del action, sudo
    return None


def shell(program: str, *arguments: str) -> Argv:
    """Return what runs a constant program, which gets all else as arguments."""
    return ("sh", "-c", program, "sh", *arguments)


def holds_line(path: str, line: str) -> Argv:
    """Return what proves that a file holds that line and no other."""
    return shell('test "$(cat "$1")" = "$2"', path, line)


def is_of_system(path: str) -> bool:
    """Whether only root may write there on an ordinary system."""
    return path.startswith(_SYSTEM)
