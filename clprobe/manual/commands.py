# SPDX-License-Identifier: MIT
"""What the manual says of each command beyond its own help, from commands.yaml."""

from functools import cache
from pathlib import Path

import msgspec

from clprobe.knowledge import checked_yaml

_PATH = Path(__file__).resolve().with_name("commands.yaml")
WHOLE = "clprobe"
"""The entry that every page takes over."""


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command line, and what it does."""

    run: str
    does: str


class Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is told of a command: other forms of it, examples, and tags of topics' entries."""

    examples: tuple[Example, ...] = ()
    synopsis: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@cache
def told() -> dict[str, Told]:
    """Return what is told of each command, and of `clprobe` as a whole."""
    found: dict[str, Told] = checked_yaml.read(
        _PATH, dict[str, Told], data=checked_yaml.parse(_PATH)
    )
    return found
