# SPDX-License-Identifier: MIT
"""Asks every rule about every subject that it applies to."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from clprobe.facts.facts import DeviceFacts, Facts, IcdFacts, LoaderFacts, ViewFacts
from clprobe.facts.hardware_facts import Fit, GpuFacts, NodeFacts
from clprobe.facts.paths import Scope, Use, label_of, look_up
from clprobe.model.unknown import Unknown
from clprobe.ruleset.evaluate import Answer, evaluate
from clprobe.ruleset.rule import Rule

HOST = "this machine"
_NO_PARTICULAR_VENDOR = ("several", "other")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One rule's answer about one subject; `about` tells which hardware and software it concerns.

    `fault` is our own failure to evaluate the rule. `leans` says whether presumptions make an
    undecided one hold (likely, possible) or fail (unlikely); None: it is open even then.
    """

    rule: Rule
    scope: Scope
    subject: str
    about: dict[str, str]
    answer: Answer
    fault: str | None = None
    leans: Literal["likely", "possible", "unlikely"] | None = None


def ask(rules: tuple[Rule, ...], facts: Facts) -> Iterator[Outcome]:
    """Yield the outcome of each rule for each of its subjects."""
    scope, subjects = Scope(facts), _Subjects()
    for rule in rules:
        yield from _outcomes(rule, scope, subjects)


def ask_rule(rule: Rule, facts: Facts) -> Iterator[Outcome]:
    """Yield the rule's outcome for each subject; one for the host if it has no loop."""
    yield from _outcomes(rule, Scope(facts), _Subjects())


class _Subjects:
    """What the scopes of one diagnosis are about; hundreds of rules ask about the same few."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Scope, str, dict[str, str]]] = {}

    def of(self, scope: Scope) -> tuple[str, dict[str, str]]:
        """Return the name for people, and which hardware and software it is."""
        if id(scope) not in self._known:
            values = [bound.value for bound in scope.variables.values()]
            name = ", ".join(_name(value) for value in values) or HOST
            self._known[id(scope)] = scope, name, _about(values)
        _, name, about = self._known[id(scope)]  # as long as it is known, no other has its id
        return name, about


def _outcomes(rule: Rule, outer: Scope, subjects: _Subjects) -> Iterator[Outcome]:
    for scope, unknown_list in _scopes(rule, outer):
        answer, fault = _answered(rule, scope)
        if unknown_list is not None and answer.truth is not False:
            # Who the rule is about is not known; what is known of the rest speaks all the same.
            names = {loop.name for loop in rule.loops}
            others = (use for use in answer.gaps if use.fact.split(".")[0] not in names)
            answer = Answer(None, answer.used, (unknown_list, *others))
        subject, about = subjects.of(scope)
        yield Outcome(
            rule=rule,
            scope=scope,
            subject=subject,
            about=about,
            answer=answer,
            fault=fault,
        )


def _answered(rule: Rule, scope: Scope) -> tuple[Answer, str | None]:
    try:
        return evaluate(rule.when, scope), None
    except Exception as error:  # noqa: BLE001 - a faulty rule must not end the diagnosis
        return Answer(None), f"This check failed: {type(error).__name__}: {error}"


def _scopes(rule: Rule, outer: Scope, depth: int = 0) -> Iterator[tuple[Scope, Use | None]]:
    """Yield a scope per subject, with the list that is not known and keeps us from going on."""
    if depth == len(rule.loops):
        yield outer, None
        return
    loop = rule.loops[depth]
    collection = look_up(loop.path, outer)
    if collection.value is None or isinstance(collection.value, Unknown):
        yield outer, collection
        return
    for inner in outer.each(loop.name, collection):
        yield from _scopes(rule, inner, depth + 1)


def _name(value: object) -> str:
    return value.label if isinstance(value, GpuFacts) else label_of(value, 0)


def _about(values: list[object]) -> dict[str, str]:
    about: dict[str, object] = {}
    for value in values:
        match value:
            case GpuFacts():
                about |= {"gpu": value.pci_address, "vendor": value.vendor}
            case NodeFacts():
                about |= {"node": value.path, "gpu": value.pci_address, "vendor": value.vendor}
            case IcdFacts():
                about |= {"icd": value.path, "vendor": value.vendor}
            case Fit():
                about |= {"icd": value.icd}
            case DeviceFacts():
                about |= {"icd": value.icd, "gpu": value.pci_address}
            case LoaderFacts():
                about |= {"loader": value.path}
            case ViewFacts():
                about |= {"view": value.viewer, "loader": value.loader}
            case _:
                pass
    return {
        key: text
        for key, text in about.items()
        if isinstance(text, str) and text not in _NO_PARTICULAR_VENDOR
    }
