# SPDX-License-Identifier: MIT
"""Reads rules/ and checks every path, operator, action and reference in it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import yaml

from clprobe.facts.paths import PathError, Variables, check_path
from clprobe.knowledge.checked_yaml import composed, document, text_of
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Severity, Source
from clprobe.resources import rules_path
from clprobe.ruleset.actions import ACTIONS, CHOICES
from clprobe.ruleset.conditions import ConditionError, parse_condition
from clprobe.ruleset.rule import CHAIN, Action, Loop, Rule
from clprobe.ruleset.templates import check_template

CASES_SUFFIX = ".cases.yaml"
_REQUIRED = {"id", "title", "severity", "link", "when", "because", "sources", "since"}
_OPTIONAL = {"for_each", "remedy", "explains", "vital", "symptom", "frequency", "summary"}


def load_rules(root: Path | None = None) -> tuple[Rule, ...]:
    """Return every rule under `root`, by default the database, sorted by id.

    Raises: ClprobeError naming file and line of the first rule that is wrong.
    """
    rules = tuple(load_rule(path) for path in rule_files(root or rules_path()))
    if (root or rules_path()).is_dir():  # one file alone cannot know the others
        _check_explains(rules)
    return tuple(sorted(rules, key=lambda rule: rule.id))


def rule_files(root: Path) -> list[Path]:
    """Return the rule files under `root`: <topic>/<id>.yaml without tables and cases."""
    if not root.is_dir():  # a pipe or a device, too, is told by whoever reads it
        return [root]
    return sorted(
        path
        for path in root.glob("*/*.yaml")
        if path.parent.name != "tables" and not path.name.endswith(CASES_SUFFIX)
    )


def load_rule(path: Path) -> Rule:
    """Return the rule in one file.

    Raises: ClprobeError naming file and line if it is not a valid rule.
    """
    try:
        return _rule(document(path), path)
    except (ConditionError, PathError) as error:
        keys = error.keys if isinstance(error, ConditionError) else ()
        raise malformed(path, str(error), line_of(text_of(path), keys)) from error


def malformed(path: Path, message: str, line: int) -> ClprobeError:
    """Return the error for one place in a data file."""
    return ClprobeError(
        reference="rule-malformed",
        message=f"{path}:{line}: {message}",
        hint="rules/README.md explains the format; `clprobe rules validate` checks a file.",
    )


def line_of(text: str, keys: tuple[str | int, ...]) -> int:
    """Return the line of the deepest of `keys` that the document has; slow, for errors only."""
    node = composed(text)
    line = 1
    for key in keys:
        for found, value in _children(node):
            if found == str(key):
                node, line = value, value.start_mark.line + 1
                break
    return line


def _children(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield str(key.value), value
    elif isinstance(node, yaml.SequenceNode):
        # Keys skip list positions: `all: [{a: …}, {b: …}]` is searched as one mapping.
        for item in node.value:
            yield from _children(item)


def _rule(data: Any, path: Path) -> Rule:
    _check_shape(data, path)
    variables: Variables = {}
    loops = tuple(_loop(loop, variables) for loop in _as_list(data.get("for_each", [])))
    for key in ("title", "because"):
        _checked(check_template, data[key], variables, key)
    return Rule(
        id=data["id"],
        topic=path.parent.name,
        title=data["title"],
        severity=cast("Severity", data["severity"]),
        link=data["link"],
        loops=loops,
        when=_checked(parse_condition, data["when"], variables, "when"),
        because=data["because"].strip(),
        actions=tuple(_action(item, variables) for item in data.get("remedy", [])),
        explains=tuple(data.get("explains", [])),
        sources=tuple(_source(item) for item in data["sources"]),
        since=str(data["since"]),
        summary=data.get("summary") or _summary(data["title"], data["id"]),
        vital=bool(data.get("vital", False)),
        symptom=bool(data.get("symptom", False)),
        frequency=data.get("frequency", "occasional"),
    )


def _summary(title: str, rule_id: str) -> str:
    """Return the title if it holds no facts, else the id as words: it names the problem too."""
    return title if "{" not in title else rule_id.replace("-", " ").capitalize()


def _check_shape(data: Any, path: Path) -> None:
    if not isinstance(data, dict):
        raise ConditionError("a rule is a mapping")
    missing, surplus = _REQUIRED - set(data), set(data) - _REQUIRED - _OPTIONAL
    if missing or surplus:
        lacking = f"a rule needs {', '.join(sorted(missing))}"
        unknown = f"unknown field {', '.join(map(str, sorted(surplus)))}"
        said = " and ".join([lacking] * bool(missing) + [unknown] * bool(surplus))
        raise ConditionError(said, tuple(sorted(surplus)[:1]))
    if data["id"] != path.stem or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", data["id"]):
        raise ConditionError(f"the id is {data['id']!r}, the file says {path.stem!r}", ("id",))
    if data["severity"] not in ("error", "warning", "note"):
        raise ConditionError("severity is error, warning or note", ("severity",))
    if data["link"] not in CHAIN:
        raise ConditionError(f"link is one of {', '.join(CHAIN)}", ("link",))


def _loop(data: Any, variables: Variables) -> Loop:
    if not isinstance(data, dict) or set(data) != {"in", "as"}:
        raise ConditionError("for_each takes in and as", ("for_each",))
    field = _checked(check_path, data["in"], variables, "for_each")
    if not field.is_list:
        raise ConditionError(f"{data['in']} is no list", ("for_each",))
    variables[data["as"]] = field.struct
    return Loop(data["in"], data["as"])


def _action(data: Any, variables: Variables) -> Action:
    kinds = [key for key in data if key != "if"] if isinstance(data, dict) else []
    if len(kinds) != 1 or kinds[0] not in ACTIONS:
        raise ConditionError(f"a remedy is one of {', '.join(ACTIONS)}", ("remedy",))
    kind, value = kinds[0], data[kinds[0]]
    arguments = value if isinstance(value, dict) else {ACTIONS[kind][0]: value}
    if set(arguments) != set(ACTIONS[kind]):
        raise ConditionError(f"{kind} takes {', '.join(ACTIONS[kind])}", ("remedy", kind))
    for name, text in arguments.items():
        if str(text) not in CHOICES.get(name, (str(text),)):
            raise ConditionError(f"{name} is {' or '.join(CHOICES[name])}", ("remedy", kind))
        _checked(check_template, str(text), variables, "remedy")
    given = _checked(parse_condition, data["if"], variables, "remedy") if "if" in data else None
    return Action(kind, {key: str(text) for key, text in arguments.items()}, given)


def _source(data: Any) -> Source:
    try:
        return msgspec.convert({**data, "checked": str(data["checked"])}, Source)
    except (msgspec.ValidationError, KeyError, TypeError) as error:
        raise ConditionError("a source takes url and checked (a date)", ("sources",)) from error


def _checked(check: Any, value: Any, variables: Variables, key: str) -> Any:
    try:
        return check(value, variables)
    except ConditionError as error:
        raise ConditionError(str(error), (key, *error.keys)) from error
    except PathError as error:
        raise ConditionError(str(error), (key,)) from error


def _as_list(data: Any) -> list[Any]:
    return data if isinstance(data, list) else [data]


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


def consequences_of(rule_id: str, by_id: dict[str, Rule]) -> frozenset[str]:
    """Return the ids of everything that the rule explains, directly or through others."""
    found: set[str] = set()
    waiting = list(by_id[rule_id].explains)
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += by_id[current].explains
    return frozenset(found)
