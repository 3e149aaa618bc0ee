# SPDX-License-Identifier: MIT
"""What `clprobe check` answers, as its documents tell it."""

from typing import Literal

import msgspec

from clprobe.needs.truth import Answer


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is asked of a device: `needs` in words, and what the device `has` of it."""

    needs: str
    answer: Answer
    has: str


class DeviceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a device fulfils a need; `open` are the points that it does not, or may not."""

    index: int
    name: str | None
    platform: str | None
    answer: Answer
    open: tuple[Point, ...]


class NeedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a host fulfils one need: `count` devices of which `needs` tells in words.

    `found` devices fulfil it. `part` tells where it stands in the file: "" for the file itself,
    such as "any.1" below it. `of_kind`: devices of the type that is asked for, or that may be.
    """

    part: str
    label: str | None
    needs: str
    count: int
    found: int
    of_kind: int
    answer: Answer
    devices: tuple[DeviceAnswer, ...]


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Why devices are missing, as doctor finds it: a finding's id, and the first command.

    `certain`: doctor found it to be so; else it may be.
    """

    id: str
    title: str
    because: str
    fix: str | None
    certain: bool


class HostAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Whether one host fulfils the needs; `host` is the file, None: the machine itself.

    `because` says it in one sentence. `cause` is there where devices are missing and doctor knows
    why; `ask` are commands whose output would decide what is not known.
    """

    host: str | None
    answer: Answer
    because: str
    cause: Cause | None = None
    needs: tuple[NeedAnswer, ...] = ()
    ask: tuple[str, ...] = ()


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """Whether all hosts fulfil the needs of a file: "no" if one does not."""

    needs: str
    answer: Answer
    hosts: tuple[HostAnswer, ...]


Counted = dict[Literal["yes", "no", "not-known"], int]


def counted(report: CheckReport) -> Counted:
    """Return how many hosts got which answer."""
    answers = [host.answer for host in report.hosts]
    return {"yes": answers.count("yes"), "no": answers.count("no"),
            "not-known": answers.count("not-known")}  # fmt: skip
