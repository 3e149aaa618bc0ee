# SPDX-License-Identifier: MIT
"""JSON Schemas of types, the same on every Python."""

import inspect
from typing import Any

import msgspec


def definitions_of(*types: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the schema of each type, and the definitions that they refer to, by name."""
    schemas, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for definition in definitions.values():
        # Python 3.13 takes the margin off a docstring's lines, Pythons before leave it.
        if "description" in definition:
            definition["description"] = inspect.cleandoc(definition["description"])
    return list(schemas), definitions
