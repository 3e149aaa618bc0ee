# SPDX-License-Identifier: MIT
"""All JSON Schemas, of documents, tables and rules: `python -m clprobe.report.schemas` renews them.

Those of tables and rules are for authors' editors.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from clprobe.apply.result import ApplyReport
from clprobe.apply.simulation import Failures
from clprobe.compat.evidence import RuleStats, Verified
from clprobe.compat.matrix import MatrixRow
from clprobe.compat.support_table import SupportTable
from clprobe.diagnosis.catalogue import RuleList, RuleTrace
from clprobe.diagnosis.precedents.likelihood import Ranking
from clprobe.diagnosis.precedents.settings import SettingsTable
from clprobe.explain.lexicon import Explained
from clprobe.explain.lexicon_packages import Tools
from clprobe.facts.inventory import Inventory
from clprobe.knowledge.printed import Printed
from clprobe.knowledge.tables import KINDS
from clprobe.model.codec import snapshot_schema
from clprobe.model.comparison import BenchComparison, Comparison
from clprobe.model.finding import Diagnosis, Source
from clprobe.model.fleet import Fleet
from clprobe.model.json_schema import definitions_of
from clprobe.model.leftovers import CacheReport
from clprobe.model.measurement import BenchReport
from clprobe.model.plan import InstallPlan, VersionRow
from clprobe.model.snapshot import SCHEMA as SNAPSHOT
from clprobe.needs.answer import CheckReport
from clprobe.needs.written import SCHEMA as NEEDS
from clprobe.needs.written import Needs
from clprobe.report.env_lines import EnvReport
from clprobe.resources import rules_path
from clprobe.ruleset.condition_file import OPERATORS
from clprobe.ruleset.questions import Questions
from clprobe.ruleset.remedy_file import ACTIONS, CONDITION, WrittenRemedy
from clprobe.ruleset.rule_file import WrittenRule

FOLDER = Path(__file__).resolve().parent.parent / "schemas"
OF_TABLES = rules_path() / "tables" / "schemas"
RULES = rules_path() / "schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PRINTED: dict[str, type[msgspec.Struct]] = {
    "clprobe.rules/1": RuleList,
    "clprobe.why/1": RuleTrace,
    "clprobe.info/1": Inventory,
    "clprobe.apply/1": ApplyReport,
    "clprobe.explain/1": Explained,
    "clprobe.matrix/1": SupportTable,
    "clprobe.rules-stats/1": RuleStats,
    "clprobe.env/1": EnvReport,
    "clprobe.cache/1": CacheReport,
    "clprobe.check/1": CheckReport,
    "clprobe.bench-compare/1": BenchComparison,
}
_NAMED = {
    "description": "keys of the file's sources; left out: all of them",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}
"""How an entry names sources of the file's legend; keys of one letter may stand in a row."""
_LEGEND = {
    "description": "where the file's claims come from, by a short key",
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {"$ref": "#/$defs/Source"},
}
_FILLED_IN = {"GpuEntry": ("generation", "pci_id")}
"""Fields that are not written: they follow from where the entry stands."""
_JSON_TYPES = {str: "string", int: "integer", bool: "boolean", type(None): "null", list: "array"}
_CONDITION = {"$ref": f"#/$defs/{CONDITION}"}
_CONDITIONS = {"type": "array", "items": _CONDITION}
_QUANTIFIED = {"$ref": "#/$defs/quantified"}

JsonSchema = dict[str, Any]


def published() -> dict[str, JsonSchema]:
    """Return the schema of every document by the document's name, such as `clprobe.doctor/1`."""
    matrices = {"matrix": tuple[MatrixRow, ...], "versions": tuple[VersionRow, ...]}
    return {
        "clprobe.doctor/1": _doctor(),
        "clprobe.install-plan/1": _printed("clprobe.install-plan/1", InstallPlan, **matrices),
        "clprobe.bench/1": _bench(),
        "clprobe.fleet/1": _timed(_printed("clprobe.fleet/1", Fleet)),
        SNAPSHOT: snapshot_schema(),
        NEEDS: _needs(),
        **{name: _printed(name, body) for name, body in _PRINTED.items()},
    }


def files() -> dict[Path, str]:
    """Return what each schema's file holds, of documents, tables and rules."""
    documents = {FOLDER / f"{name.replace('/', '-')}.json": s for name, s in published().items()}
    return {
        path: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for path, schema in {**documents, **table_schemas(), RULES: rule_schema()}.items()
    }


def _doctor() -> JsonSchema:
    since = msgspec.structs.fields(Comparison)
    schema = _printed("clprobe.doctor/1", Diagnosis, **{one.name: one.type for one in since})
    # Absent findings are for `--why` and never printed.
    schema["$defs"]["Finding"]["properties"]["verdict"]["enum"].remove("absent")
    return _timed(schema)


def _timed(schema: JsonSchema) -> JsonSchema:
    """Return the schema of a document that also says how long it took."""
    elapsed = {"type": "integer", "minimum": 0, "description": "milliseconds that it all took"}
    schema["properties"]["elapsed_ms"] = elapsed
    schema["required"].append("elapsed_ms")
    return schema


def _needs() -> JsonSchema:
    """Return the schema of the files that `clprobe check` reads; what is left out is not asked."""
    _, definitions = definitions_of(Needs)
    for definition in definitions.values():
        properties = definition["properties"]
        definition["properties"] = {name: _stated(one) for name, one in properties.items()}
    own = definitions.pop(Needs.__name__)
    return {"$schema": _DIALECT, "$id": NEEDS, **own, "title": NEEDS, "$defs": definitions}


def _bench() -> JsonSchema:
    """Return the schema that documents of earlier versions fit too: they lack what came later."""
    schema = _printed("clprobe.bench/1", BenchReport)
    for name, last in (
        *(("Result", "detail"), ("Training", "detail"), ("Contestant", "detail")),
        (None, "verdicts"),
    ):
        required = (schema if name is None else schema["$defs"][name])["required"]
        del required[required.index(last) + 1 :]
    return schema


def _printed(name: str, body: type[msgspec.Struct], **optional: Any) -> JsonSchema:
    """Return the schema of what `report.as_json.document` prints of `body`.

    It prints every field, so all are required; newer versions may print more.
    `optional` names keys that only some documents have, with their types.
    """
    (_, *more), definitions = definitions_of(body, *optional.values())
    for definition in definitions.values():
        definition["required"] = list(definition["properties"])
        definition.pop("additionalProperties", None)
        for field in definition["properties"].values():
            field.pop("default", None)
    own = definitions.pop(body.__name__)
    envelope = {
        "schema": {"const": name, "description": "name and version of this format"},
        "clprobe": {"type": "string", "description": "version of clprobe that wrote it"},
    }
    return {
        "$schema": _DIALECT,
        "$id": name,
        "title": name,
        "description": own["description"],
        "type": "object",
        "properties": {
            **envelope,
            **own["properties"],
            **dict(zip(optional, more, strict=True)),
        },
        "required": [*envelope, *own["required"]],
        "$defs": definitions,
    }


def table_schemas() -> dict[Path, JsonSchema]:
    """Return the schema of each kind of table, by the file that holds it."""
    made = {OF_TABLES / f"{kind}.json": _of_table(kind, struct) for kind, struct in KINDS.items()}
    # Of these, entries hold their own sources, or are lines that the programs themselves print.
    other: dict[str, type[msgspec.Struct]] = {
        "questions": Questions,
        "tools": Tools,
        "printed": Printed,
        "failures": Failures,
        "ranking": Ranking,
        "verified": Verified,
    }
    for name, struct in other.items():
        made[OF_TABLES / f"{name}.json"] = _of_table(name, struct, legend=False)
    made[OF_TABLES / "settings.json"] = _of_table("settings", SettingsTable)
    return made


def _of_table(kind: str, struct: type[msgspec.Struct], *, legend: bool = True) -> JsonSchema:
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
        own["required"] = [*(name for name in own["required"] if name != "sources"), "sources"]
    return {"$schema": _DIALECT, "$id": f"clprobe.tables.{kind}/1", **own, "$defs": definitions}


def rule_schema() -> JsonSchema:
    """Return the schema of a file of rules/<topic>."""
    _, definitions = definitions_of(WrittenRule)
    own = definitions.pop(WrittenRule.__name__)
    own["properties"] = {name: _written(field) for name, field in own["properties"].items()}
    remedy = definitions[WrittenRemedy.__name__]
    remedy["properties"] = {name: _stated(one) for name, one in remedy["properties"].items()}
    remedy["oneOf"] = [{"required": [kind]} for kind in ACTIONS]
    return {
        "$schema": _DIALECT,
        **own,
        "title": "A rule of clprobe",
        "$defs": {**_conditions(), **definitions},
    }


def _written(field: JsonSchema) -> JsonSchema:
    """Return a condition as the reference alone, and what else there is as it is."""
    return _CONDITION if field.get("$ref") == _CONDITION["$ref"] else _stated(field)


def _stated(field: JsonSchema) -> JsonSchema:
    """Return a field that is left out rather than null."""
    kinds = [_written(kind) for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {key: value for key, value in field.items() if key not in ("anyOf", "default")}
    if not kinds:
        return rest
    return {**rest, **kinds[0]} if len(kinds) == 1 else {**rest, "anyOf": kinds}


def _conditions() -> JsonSchema:
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


def _operand(kinds: type | tuple[type, ...]) -> JsonSchema:
    named = [_JSON_TYPES[kind] for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    return {"type": named if len(named) > 1 else named[0]}


def main() -> None:
    """Write every file."""
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
