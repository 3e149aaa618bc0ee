# SPDX-License-Identifier: MIT
"""Checks that the words in rules lead somewhere: generations, implementations, consequences."""

from collections.abc import Iterator
from pathlib import Path

from clprobe.knowledge.tables import Tables
from clprobe.ruleset.conditions import All, AnyOf, Comparison, Condition, Not, Quantified
from clprobe.ruleset.consequences import consequences_of
from clprobe.ruleset.load import CASES_SUFFIX
from clprobe.ruleset.rule import CHAIN, Rule
from clprobe.validation.checks import place as check
from clprobe.validation.checks.place import Mistakes, Place

_EXACT = ("is", "is_not", "in", "not_in", "contains", "contains_any")


def rules(files: dict[Path, Rule], tables: Tables) -> Mistakes:
    """Yield what is wrong between the rules, and between them and the tables."""
    words = {
        "generation": frozenset(tables.generations()),
        "implementation": frozenset(tables.implementations()),
        "implementations": frozenset(tables.implementations()),
    }
    by_id: dict[str, Path] = {}
    for path, rule in files.items():
        if rule.id in by_id:
            where = f"{by_id[rule.id].parent.name}/{by_id[rule.id].name}"
            yield Place(path).at("id").mistake(f"{where} has the same id", "Ids are used once.")
        by_id.setdefault(rule.id, path)
    for path, rule in files.items():
        top = Place(path)
        yield from check.legend(top.at("sources"), enumerate(rule.sources))
        yield from _words(top.at("when"), rule.when, words)
        for action in rule.actions:
            if action.given is not None:
                yield from _words(top.at("remedy"), action.given, words)
        if not path.with_name(f"{rule.id}{CASES_SUFFIX}").is_file():
            yield top.mistake(f"{rule.id}{CASES_SUFFIX} is missing", "Add a case per verdict.")
    yield from _consequences(files, by_id)


def cases(paths: list[Path], ids: set[str]) -> Mistakes:
    """Yield a mistake for each file of cases without a rule."""
    for path in paths:
        rule_id = path.name.removesuffix(CASES_SUFFIX)
        if rule_id not in ids:
            yield Place(path).mistake(f"there is no rule {rule_id} in this folder")


def _consequences(files: dict[Path, Rule], known: dict[str, Path]) -> Mistakes:
    by_id = {rule.id: rule for rule in files.values()}
    whole = True
    for path, rule in files.items():
        wrong = list(check.names(Place(path).at("explains"), rule.explains, known, "rule"))
        whole = whole and not wrong
        yield from wrong
    if not whole:
        return
    for path, rule in files.items():
        here = Place(path).at("explains")
        if rule.id in consequences_of(rule.id, by_id):
            yield here.mistake("it explains itself through its consequences", "Break the circle.")
            continue
        for consequence in rule.explains:
            if CHAIN.index(by_id[consequence].link) < CHAIN.index(rule.link):
                yield here.mistake(
                    f"{consequence}, at {by_id[consequence].link}, comes before {rule.link}",
                    "A cause comes no later in the chain than what follows from it: move one.",
                )
            through = [
                other
                for other in rule.explains
                if other != consequence and consequence in consequences_of(other, by_id)
            ]
            if through:
                yield here.mistake(
                    f"{through[0]} explains {consequence} already",
                    f"Leave out {consequence}: only direct consequences are listed.",
                )


def _words(here: Place, condition: Condition, known: dict[str, frozenset[str]]) -> Mistakes:
    for one in _comparisons(condition):
        kind = one.path.rpartition(".")[2]
        if kind not in known or one.operator not in _EXACT:
            continue
        operands = one.operand if isinstance(one.operand, tuple) else (one.operand,)
        named = [word for word in operands if isinstance(word, str)]
        yield from check.names(here.at(one.path), named, known[kind], kind)


def _comparisons(condition: Condition) -> Iterator[Comparison]:
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, All | AnyOf):
        for part in condition.parts:
            yield from _comparisons(part)
    elif isinstance(condition, Not):
        yield from _comparisons(condition.part)
    elif isinstance(condition, Quantified):
        yield from _comparisons(condition.where)
