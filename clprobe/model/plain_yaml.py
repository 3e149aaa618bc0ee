# SPDX-License-Identifier: MIT
"""YAML as data files and snapshots need it: no aliases, no depths, no numbers that never end.

A few hundred bytes of YAML can stand for gigabytes, and PyYAML fails in many ways on texts that
nobody writes; each of them becomes a mistake with a line.
"""

from typing import Any

import yaml

MOST_LEVELS = 64
MOST_VALUES = 250_000
_MOST_DIGITS = 1000
_TOO_DEEP = f"it is nested deeper than {MOST_LEVELS} levels"


class YamlMistake(Exception):  # noqa: N818 - the mistake is in the text
    """What is wrong with a text, and in which line, counted from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


def load(text: str, loader: Any) -> Any:
    """Return the plain data that `text` holds, made by `loader`, a safe one.

    Raises: YamlMistake if it is no YAML, or none that is needed here.
    """
    try:
        _check(text, loader)
        return yaml.load(text, Loader=loader)  # noqa: S506 - all loaders here are safe ones
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "this is no YAML"
        if "nesting depth" in problem:  # libyaml of PyYAML 6.0.4 reads ahead and stops there itself
            problem = _TOO_DEEP
        raise YamlMistake(mark.line + 1 if mark else 1, problem) from error
    except yaml.reader.ReaderError as error:
        raise _unreadable(text) from error
    except ValueError as error:  # such as a date that no calendar has
        raise YamlMistake(1, str(error)) from error


def _unreadable(text: str) -> YamlMistake:
    place = next((at for at, char in enumerate(text) if not _is_allowed(char)), None)
    line = 1 if place is None else text.count("\n", 0, place) + 1
    named = f" U+{ord(text[place]):04X}" if place is not None else ""
    return YamlMistake(line, f"it holds the character{named}, which YAML does not allow")


def _is_allowed(char: str) -> bool:
    return yaml.reader.Reader.NON_PRINTABLE.match(char) is None


class _Place:
    """Where in a mapping or list the events are; of a mapping every other node is a key."""

    def __init__(self, *, is_mapping: bool) -> None:
        self.is_mapping = is_mapping
        self.awaits_key = is_mapping

    def step(self) -> None:
        self.awaits_key = self.is_mapping and not self.awaits_key


def _check(text: str, loader: Any) -> None:
    places: list[_Place] = []
    nodes = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionEndEvent):
            places.pop()
            continue
        if not isinstance(event, yaml.NodeEvent):
            continue
        nodes += 1
        _check_node(event, nodes, places)
        if places:
            places[-1].step()
        if isinstance(event, yaml.CollectionStartEvent):
            places.append(_Place(is_mapping=isinstance(event, yaml.MappingStartEvent)))


def _check_node(event: yaml.NodeEvent, nodes: int, places: list[_Place]) -> None:
    line = event.start_mark.line + 1 if event.start_mark else 1
    if event.anchor is not None:
        raise YamlMistake(line, f"anchors and aliases (here: {event.anchor}) are not read")
    if nodes > MOST_VALUES:
        raise YamlMistake(line, f"there are more than {MOST_VALUES:,} values up to here")
    if isinstance(event, yaml.ScalarEvent):
        if not event.style and len(event.value) > _MOST_DIGITS and event.value[-1].isdigit():
            raise YamlMistake(line, f"a number of {len(event.value)} digits is not read")
        return
    if places and places[-1].awaits_key:
        raise YamlMistake(line, "a key is a word, not a list or a mapping")
    if len(places) >= MOST_LEVELS:
        raise YamlMistake(line, _TOO_DEEP)
