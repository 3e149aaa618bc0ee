# SPDX-License-Identifier: MIT
"""Many machines at once: what doctor says of each in a few words, and the sums."""

import msgspec

from clprobe.model.finding import Severity, Status


class FirstAction(msgspec.Struct, frozen=True, kw_only=True):
    """What mends a machine's cause: its first remedy that changes something.

    `steps` are commands, or words where there is none. Machines with the same steps can be mended
    by one action.
    """

    title: str
    steps: tuple[str, ...]
    by_command: bool


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """One snapshot's diagnosis, as much of it as the sums need.

    `cause` is the root cause or, where it is not decided, the likeliest suspect (`suspected`).
    `worst` is the worst severity of what is present. `gpus` is None where nobody tells. `drivers`
    are the registered ones with their versions. `mends_all`: nothing else at error level is left
    once the cause is mended.
    """

    name: str
    status: Status
    worst: Severity | None
    cause: str | None
    suspected: bool
    title: str | None
    gpus: tuple[str, ...] | None
    drivers: tuple[tuple[str, str | None], ...]
    action: FirstAction | None
    mends_all: bool


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A file that is no machine of the fleet; `damaged`: it is meant as one, and cannot be read."""

    name: str
    why: str
    damaged: bool


class CauseRow(msgspec.Struct, frozen=True, kw_only=True):
    """One root cause, or likeliest suspect where it is `suspected`, and the machines that have it.

    `share` is a part of all machines, 0 to 1. `gpus` and `drivers` are those of its machines, with
    how many of them have each.
    """

    id: str
    title: str
    suspected: bool
    machines: int
    share: float
    gpus: dict[str, int]
    drivers: dict[str, int]
    names: tuple[str, ...]


class PartRow(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU, or one driver in one version; `version` is None where there is none, or not known.

    `causes` are those of its machines, with how many of them have each, the most frequent first.
    """

    name: str
    version: str | None
    machines: int
    share: float
    statuses: dict[str, int]
    causes: dict[str, int]
    names: tuple[str, ...]


class ActionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One action; it mends the root cause of `machines`, and all that `mended` of them lack."""

    title: str
    steps: tuple[str, ...]
    by_command: bool
    machines: int
    share: float
    mended: int
    causes: dict[str, int]
    names: tuple[str, ...]


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """What `doctor` prints of many snapshots; each list has the row with most machines first.

    `actions` are for decided causes alone. `skipped` are files that were left out, and why. `hosts`
    are all machines by name, which is their file's in `folder`.
    """

    folder: str
    machines: int
    statuses: dict[str, int]
    causes: tuple[CauseRow, ...]
    actions: tuple[ActionRow, ...]
    gpus: tuple[PartRow, ...]
    drivers: tuple[PartRow, ...]
    skipped: tuple[Skipped, ...]
    hosts: tuple[Machine, ...]
