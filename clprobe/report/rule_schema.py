# SPDX-License-Identifier: MIT
"""The JSON Schema of rule files, for authors' editors: of their types and the operators."""

from typing import Any

from clprobe.model.json_schema import definitions_of
from clprobe.ruleset.conditions import OPERATORS
from clprobe.ruleset.remedy_file import ACTIONS, CONDITION, WrittenRemedy
from clprobe.ruleset.rule_file import WrittenRule

_JSON_TYPES = {str: "string", int: "integer", bool: "boolean", type(None): "null", list: "array"}
_CONDITION = {"$ref": f"#/$defs/{CONDITION}"}
_CONDITIONS = {"type": "array", "items": _CONDITION}
_QUANTIFIED = {"$ref": "#/$defs/quantified"}


def rule_schema() -> dict[str, Any]:
    """Return the schema of a file of rules/<topic>."""
    _, definitions = definitions_of(WrittenRule)
    own = definitions.pop(WrittenRule.__name__)
    own["properties"] = {name: _written(field) for name, field in own["properties"].items()}
    remedy = definitions[WrittenRemedy.__name__]
    remedy["properties"] = {name: _stated(one) for name, one in remedy["properties"].items()}
    remedy["oneOf"] = [{"required": [kind]} for kind in ACTIONS]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **own,
        "title": "A rule of clprobe",
        "$defs": {**_conditions(), **definitions},
    }


def _written(field: dict[str, Any]) -> dict[str, Any]:
    """Return a condition as the reference alone, and what else there is as it is."""
    return _CONDITION if field.get("$ref") == _CONDITION["$ref"] else _stated(field)


def _stated(field: dict[str, Any]) -> dict[str, Any]:
    """Return a field that is left out rather than null."""
    kinds = [_written(kind) for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {key: value for key, value in field.items() if key not in ("anyOf", "default")}
    if not kinds:
        return rest
    return {**rest, **kinds[0]} if len(kinds) == 1 else {**rest, "anyOf": kinds}


def _conditions() -> dict[str, Any]:
    return {
        CONDITION: {
            "type": "object",
            "minProperties": 1,
            "properties": {
                **dict.fromkeys(("all", "any"), _CONDITIONS),
                "not": _CONDITION,
                **dict.fromkeys(("some", "every", "none"), _QUANTIFIED),
            },
            "additionalProperties": {"$ref": "#/$defs/test"},
        },
        "quantified": {
            "type": "object",
            "required": ["in", "as", "where"],
            "additionalProperties": False,
            "properties": {"in": {"type": "string"}, "as": {"type": "string"}, "where": _CONDITION},
        },
        "test": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": False,
            "properties": {name: _operand(kinds) for name, kinds in OPERATORS.items()},
        },
    }


def _operand(kinds: type | tuple[type, ...]) -> dict[str, Any]:
    named = [_JSON_TYPES[kind] for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    return {"type": named if len(named) > 1 else named[0]}
