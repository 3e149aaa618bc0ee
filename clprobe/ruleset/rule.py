# SPDX-License-Identifier: MIT
"""What a rule is: a problem, the condition that proves it, and how to fix it."""

from typing import Any, Literal

import msgspec

from clprobe.model.finding import Severity, Source
from clprobe.ruleset.conditions import Condition

Link = Literal[
    "hardware", "linux-driver", "node", "permission", "loader", "icd-file", "library", "load",
    "platform", "device", "application",
]  # fmt: skip
"""A link of the chain from the GPU to the program, first link first; a break hides all later."""

CHAIN: tuple[Link, ...] = (
    "hardware", "linux-driver", "node", "permission", "loader", "icd-file", "library", "load",
    "platform", "device", "application",
)  # fmt: skip


Frequency = Literal["common", "occasional", "rare"]
"""How often the problem is the cause where no fact tells: ranks what could not be decided."""


class Loop(msgspec.Struct, frozen=True):
    """`for_each`: the rule asks once per element of `path`, named `name` in its paths."""

    path: str
    name: str


class Action(msgspec.Struct, frozen=True):
    """One remedy as the rule writes it; `clprobe.diagnosis.remedies` turns it into commands."""

    kind: str
    arguments: dict[str, Any]
    given: Condition | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One problem.

    `summary` is the title without facts, for lists and where the facts are not known.
    `explains` are the ids of its consequences: they are folded under it when both are present.
    `vital` marks the question that a diagnosis must answer; its undetermined answer is shown even
    when nothing speaks for the problem. A `symptom` is what people see; while another rule that
    explains it is undecided, the cause is open.
    """

    id: str
    topic: str
    title: str
    severity: Severity
    link: Link
    loops: tuple[Loop, ...]
    when: Condition
    because: str
    actions: tuple[Action, ...]
    explains: tuple[str, ...]
    sources: tuple[Source, ...]
    since: str
    summary: str
    vital: bool = False
    symptom: bool = False
    frequency: Frequency = "occasional"
