# SPDX-License-Identifier: MIT
"""Reads rules/ and checks every path, operator, action and reference in it."""

from pathlib import Path
from typing import Any

import msgspec

from clprobe.facts.paths import PathError, Variables, check_path
from clprobe.knowledge.checked_yaml import line_at, read
from clprobe.model.errors import ClprobeError
from clprobe.resources import NO_RULES
from clprobe.ruleset.condition_file import ConditionError, parse_condition
from clprobe.ruleset.consequences import consequences_of
from clprobe.ruleset.remedy_file import ACTIONS, SHORT, WrittenRemedy
from clprobe.ruleset.rule import Action, Loop, Rule
from clprobe.ruleset.rule_file import WrittenLoop, WrittenRule
from clprobe.ruleset.templates import check_template

CASES_SUFFIX = ".cases.yaml"


def checked_rules(root: Path) -> tuple[Rule, ...]:
    """Return every rule under `root`, sorted by id.

    Raises: ClprobeError naming file and line of the first rule that is wrong.
    """
    rules = tuple(load_rule(path) for path in rule_files(root))
    if root.is_dir():  # one file alone cannot know the others
        _check_explains(rules)
    return tuple(sorted(rules, key=lambda rule: rule.id))


def rule_files(root: Path) -> list[Path]:
    """Return the rule files under `root`: <topic>/<id>.yaml without tables, reports and cases."""
    if not root.is_dir():  # a pipe or a device, too, is told by whoever reads it
        return [root]
    return sorted(
        path
        for path in root.glob("*/*.yaml")
        if path.parent.name not in NO_RULES and not path.name.endswith(CASES_SUFFIX)
    )


def load_rule(path: Path) -> Rule:
    """Return the rule in one file.

    Raises: ClprobeError naming file and line if it is not a valid rule.
    """
    try:
        return _rule(read(path, WrittenRule, mistake=malformed), path)
    except ConditionError as error:
        raise malformed(path, line_at(path, error.keys), str(error)) from error


def malformed(path: Path, line: int, message: str, hint: str = "") -> ClprobeError:
    """Return the error for one place in a data file."""
    return ClprobeError(
        reference="rule-malformed",
        message=f"{path}:{line}: {message}",
        hint=hint or "rules/README.md explains the format; `clprobe rules validate` checks a file.",
    )


def _rule(written: WrittenRule, path: Path) -> Rule:
    if written.id != path.stem:
        raise ConditionError(f"the id is {written.id!r}, the file says {path.stem!r}", ("id",))
    variables: Variables = {}
    # Where the title holds facts, the id names the problem.
    named = written.title if "{" not in written.title else written.id.replace("-", " ").capitalize()
    every = written.for_each if isinstance(written.for_each, tuple) else (written.for_each,)
    loops = tuple(_loop(loop, variables) for loop in every)
    for key, text in (("title", written.title), ("because", written.because)):
        _checked(check_template, text, variables, key)
    return Rule(
        id=written.id,
        topic=path.parent.name,
        title=written.title,
        severity=written.severity,
        link=written.link,
        loops=loops,
        when=_checked(parse_condition, written.when, variables, "when"),
        because=written.because.strip(),
        actions=tuple(_action(remedy, variables) for remedy in written.remedy),
        explains=written.explains,
        sources=written.sources,
        since=written.since,
        summary=written.summary or named,
        vital=written.vital,
        symptom=written.symptom,
        circumstance=written.circumstance,
        frequency=written.frequency,
        signs=written.signs,
        cues=written.cues,
    )


def _loop(loop: WrittenLoop, variables: Variables) -> Loop:
    field = _checked(check_path, loop.path, variables, "for_each")
    if not field.is_list:
        raise ConditionError(f"{loop.path} is no list", ("for_each",))
    variables[loop.name] = field.struct
    return Loop(loop.path, loop.name)


def _action(remedy: WrittenRemedy, variables: Variables) -> Action:
    stated = [kind for kind in ACTIONS if getattr(remedy, kind) is not None]
    if len(stated) != 1:
        raise ConditionError(f"a remedy is one of {', '.join(ACTIONS)}", ("remedy",))
    kind, value = stated[0], getattr(remedy, stated[0])
    arguments = {SHORT[kind]: value} if isinstance(value, str) else msgspec.structs.asdict(value)
    given = None
    if remedy.given is not None:
        given = _checked(parse_condition, remedy.given, variables, "remedy")
    stated_ones = {key: one for key, one in arguments.items() if one is not None}
    action = Action(kind, stated_ones, given, remedy.then)
    for _, text in action.texts():
        _checked(check_template, text, variables, "remedy")
    return action


def _checked(check: Any, value: Any, variables: Variables, key: str) -> Any:
    try:
        return check(value, variables)
    except (ConditionError, PathError) as error:
        raise ConditionError(str(error), (key, *error.keys)) from error


def _check_explains(rules: tuple[Rule, ...]) -> None:
    """Every consequence must exist, and no problem may explain itself, even on a round trip."""
    by_id = {rule.id: rule for rule in rules}
    for rule in rules:
        for consequence in rule.explains:
            if consequence not in by_id:
                raise ClprobeError(
                    reference="rule-malformed",
                    message=f"{rule.topic}/{rule.id}.yaml explains {consequence!r}, no rule.",
                    hint="Name an existing rule.",
                )
        if rule.id in consequences_of(rule.id, by_id):
            raise ClprobeError(
                reference="rule-malformed",
                message=f"{rule.topic}/{rule.id}.yaml explains itself through its consequences.",
                hint="Break the circle of explains.",
            )
