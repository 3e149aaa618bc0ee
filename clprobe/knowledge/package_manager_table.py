# SPDX-License-Identifier: MIT
"""What a file of rules/tables/package_managers means: the commands of one package manager."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from clprobe.knowledge.table_types import Entry

Command = tuple[str, ...]


class ByHand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What people type, without the names of packages and without sudo.

    `repair` finishes what is half done, `owner` names the package that owns a file. `refresh` reads
    the index; without: the others do by themselves.
    """

    install: Command
    remove: Command
    reinstall: Command
    repair: Command
    owner: Command
    refresh: Command | None = None


class Unattended(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What steps run, which asks nothing. `refresh` reads the index; without: it does by itself."""

    install: Command
    remove: Command
    reinstall: Command
    refresh: Command | None = None
    environment: dict[str, str] = {}


class Simulate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a command is told to change nothing: `add` this word after another, `drop` those.

    `after` None is the program's own name.
    """

    add: str
    after: str | None = None
    drop: tuple[str, ...] = ()


class PackageManager(Entry, frozen=True, kw_only=True):
    """A package manager. `distributions` are the ids of those, and of what is like them.

    `database` keeps the list of packages. `program` is the word that its commands begin with.
    `query` proves that packages are installed, `listing` lists all, `automatic` those that came as
    dependencies. `from_suite` stands before a suite that is not a usual one. `erase` takes exactly
    what is named, `try_erase` says whether it could. `locks` are files that it locks while it
    works, `lock_file` one that exists meanwhile.
    """

    manager: str
    name: str
    database: str
    distributions: tuple[str, ...]
    program: str
    by_hand: ByHand
    unattended: Unattended
    query: Command
    listing: Command
    erase: Command
    try_erase: Command
    automatic: Command | None = None
    from_suite: Command = ()
    simulate: Simulate | None = None
    locks: tuple[str, ...] = ()
    lock_file: str | None = None

    def unattended_command(self, what: Literal["install", "remove", "reinstall"]) -> Command:
        """Return the command for steps, with the environment that it needs in front."""
        command: Command = getattr(self.unattended, what)
        variables = [f"{key}={value}" for key, value in self.unattended.environment.items()]
        return ("env", *variables, *command) if variables else command

    def simulating(self, argv: Sequence[str]) -> Command | None:
        """Return the command that only tells what `argv` would do; None where there is none."""
        if self.simulate is None:
            return None
        kept = [word for word in argv if word not in self.simulate.drop]
        place = kept.index(self.simulate.after or self.program) + 1
        return (*kept[:place], self.simulate.add, *kept[place:])
