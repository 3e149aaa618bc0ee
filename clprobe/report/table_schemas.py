# SPDX-License-Identifier: MIT
"""The JSON Schemas of rules/tables/*, for authors' editors: one file per folder of tables."""

from pathlib import Path
from typing import Any

import msgspec

from clprobe.apply.simulation import Failures
from clprobe.explain.lexicon_plan import Tools
from clprobe.knowledge.tables import KINDS
from clprobe.model.finding import Source
from clprobe.model.json_schema import definitions_of
from clprobe.paste.forms import Printed
from clprobe.resources import rules_path
from clprobe.ruleset.questions import Questions

FOLDER = rules_path() / "tables" / "schemas"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
# An entry names sources of the file's legend, by key, by one-letter keys in a row, or as a list.
_NAMED = {
    "description": "keys of the file's sources; left out: all of them",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}
_LEGEND = {
    "description": "where the file's claims come from, by a short key",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"$ref": "#/$defs/Source"},
}
_FILLED_IN = {"GpuEntry": ("generation", "pci_id")}
"""Fields that are not written: they follow from where the entry stands."""


def table_schemas() -> dict[Path, dict[str, Any]]:
    """Return the schema of each kind of table, by the file that holds it."""
    made = {FOLDER / f"{kind}.json": _schema(kind, struct) for kind, struct in KINDS.items()}
    # Of these, entries hold their own sources, or are lines that the programs themselves print.
    other: dict[str, type[msgspec.Struct]] = {
        "questions": Questions,
        "tools": Tools,
        "printed": Printed,
        "failures": Failures,
    }
    for name, struct in other.items():
        made[FOLDER / f"{name}.json"] = _schema(name, struct, legend=False)
    return made


def _schema(kind: str, struct: type[msgspec.Struct], *, legend: bool = True) -> dict[str, Any]:
    _, definitions = definitions_of(struct, Source)
    for name, definition in definitions.items():
        properties = definition["properties"]
        for field in _FILLED_IN.get(name, ()):
            del properties[field]
        if "sources" in properties:
            properties["sources"] = _NAMED
    own = definitions.pop(struct.__name__)
    if legend:
        own["properties"]["sources"] = _LEGEND
        own["required"].append("sources")
    return {"$schema": _DIALECT, "$id": f"clprobe.tables.{kind}/1", **own, "$defs": definitions}
