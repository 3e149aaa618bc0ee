# SPDX-License-Identifier: MIT
"""What a rule is: a problem, the condition that proves it, how to fix it; what facts it asks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import msgspec

from clprobe.model.finding import Severity, Source
from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not, Quantified

Link = Literal[
    "hardware", "linux-driver", "node", "permission", "loader", "icd-file", "library", "load",
    "platform", "device", "application",
]  # fmt: skip
"""A link of the chain from the GPU to the program, first link first; a break hides all later."""

CHAIN: tuple[Link, ...] = get_args(Link)

Frequency = Literal["common", "occasional", "rare"]
"""How often the problem is the cause where no fact tells: ranks what could not be decided."""


if TYPE_CHECKING:
    Argument: TypeAlias = Any  # whoever reads one knows what its action takes
else:
    Argument = str | bool | tuple[str, ...] | dict[str, str | tuple[str, ...]]


class Loop(msgspec.Struct, frozen=True):
    """`for_each`: the rule asks once per element of `path`, named `name` in its paths."""

    path: str
    name: str


class Action(msgspec.Struct, frozen=True):
    """One remedy as the rule writes it; `clprobe.diagnosis.remedies` turns it into commands.

    `then`: it comes after the one before, not in its place.
    """

    kind: str
    arguments: dict[str, Argument]
    given: Condition | None = None
    then: bool = False

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield each text of the arguments with the argument's name; lists have several."""
        for key, value in self.arguments.items():
            for text in texts_in(value):
                yield key, text

    def shown(self) -> Iterator[str]:
        """Yield each argument on one line, for a page."""
        for value in self.arguments.values():
            if isinstance(value, dict):
                yield " ".join(f"{key}={' '.join(texts_in(one))}" for key, one in value.items())
            elif not isinstance(value, bool):
                yield " ".join(texts_in(value))


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in the value of an argument: itself, those of a list or of a mapping."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_in(part)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One problem.

    `summary` is the title without facts, for lists and where the facts are not known.
    `explains` are the ids of its consequences: they are folded under it when both are present.
    `vital` marks the question that a diagnosis must answer; its undetermined answer is shown even
    when nothing speaks for the problem. A `symptom` is what people see; while another rule that
    explains it is undecided, the cause is open. A `circumstance` is how the machine is made and no
    fault: a fault that explains the same comes before it. `signs` are how people and programs put
    it; no diagnosis rests on them, but open causes are ranked by them. `cues` are more exact: words
    that stand together where this is the cause, as clprobe.ruleset.cues reads them.
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
    circumstance: bool = False
    frequency: Frequency = "occasional"
    signs: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()


def facts_of(rule: Rule) -> tuple[str, ...]:
    """Return every path that the rule reads, its variables replaced: `gpus.fits.too_new`."""
    variables: dict[str, str] = {}
    found = []
    for loop in rule.loops:
        variables[loop.name] = _whole(loop.path, variables)
        found.append(variables[loop.name])
    found += _paths(rule.when, variables)
    return tuple(dict.fromkeys(found))


def _paths(condition: Condition, variables: dict[str, str]) -> Iterator[str]:
    match condition:
        case Comparison():
            yield _whole(condition.path, variables)
        case All() | AnyOf():
            for part in condition.parts:
                yield from _paths(part, variables)
        case Not():
            yield from _paths(condition.part, variables)
        case Quantified():
            path = _whole(condition.path, variables)
            yield path
            yield from _paths(condition.where, {**variables, condition.name: path})


def _whole(path: str, variables: dict[str, str]) -> str:
    first, dot, rest = path.partition(".")
    return f"{variables.get(first, first)}{dot}{rest}"
