# SPDX-License-Identifier: MIT
"""How the files of the rules database are written as YAML: which words are values, and lines."""

import re
from collections.abc import Sequence
from typing import Any

import yaml

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(_Base):  # type: ignore[misc]
    """The safe loader with fewer surprises: `yes`, `on` and dates are text, keys are unique."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Return a mapping; a key that stands twice is an error, not the last one."""
        seen: set[Any] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value!r} is there twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("int", r"-?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+", "-0123456789"),
    ("float", r"-?[0-9]+\.[0-9]+(?:e-?[0-9]+)?", "-0123456789"),
    ("null", r"null|", "n"),
):
    Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(rf"^(?:{_pattern})$"),
        [*_first, ""] if _tag == "null" else list(_first),
    )


def line_in(text: str, keys: Sequence[str | int]) -> int:
    """Return the line of the deepest of `keys` that the text has; see checked_yaml.line_at."""
    node, line = yaml.compose(text, Loader=Loader), 1
    for key in keys:
        found = _entry(node, key)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return int(line)


def _entry(node: Any, key: str | int) -> tuple[Any, Any] | None:
    """Return the nodes of a key and of its value; an item of a list is both."""
    if isinstance(node, yaml.MappingNode):
        named = (pair for pair in node.value if pair[0].value == str(key))
        # The sources of a file are a mapping, of which a list is made before it is checked.
        numbered = node.value[key] if isinstance(key, int) and key < len(node.value) else None
        return next(named, numbered)
    for number, item in enumerate(node.value if isinstance(node, yaml.SequenceNode) else ()):
        if key in (number, item.value):
            return item, item
        inside = _entry(item, key) if isinstance(key, str) else None
        if inside is not None:
            return inside
    return None
