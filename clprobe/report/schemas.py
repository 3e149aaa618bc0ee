# SPDX-License-Identifier: MIT
"""All published JSON Schemas: `python -m clprobe.report.schemas` renews them."""

import json
from pathlib import Path
from typing import Any

import msgspec

from clprobe.apply.result import ApplyReport
from clprobe.compat.matrix import MatrixRow
from clprobe.compat.support_table import SupportTable
from clprobe.diagnosis.catalogue import RuleList, RuleTrace
from clprobe.explain.lexicon import Explained
from clprobe.facts.inventory import Inventory
from clprobe.model.codec import snapshot_schema
from clprobe.model.comparison import BenchComparison, Comparison
from clprobe.model.finding import Diagnosis
from clprobe.model.json_schema import definitions_of
from clprobe.model.leftovers import CacheReport
from clprobe.model.measurement import BenchReport
from clprobe.model.plan import InstallPlan, VersionRow
from clprobe.model.snapshot import SCHEMA as SNAPSHOT
from clprobe.report.env_lines import EnvReport
from clprobe.report.rule_schema import rule_schema
from clprobe.report.table_schemas import table_schemas
from clprobe.resources import rules_path

FOLDER = Path(__file__).resolve().parent.parent / "schemas"
RULES = rules_path() / "schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"

JsonSchema = dict[str, Any]


def published() -> dict[str, JsonSchema]:
    """Return the schema of every document by the document's name, such as `clprobe.doctor/1`."""
    return {
        "clprobe.doctor/1": _doctor(),
        "clprobe.rules/1": _printed("clprobe.rules/1", RuleList),
        "clprobe.why/1": _printed("clprobe.why/1", RuleTrace),
        "clprobe.info/1": _printed("clprobe.info/1", Inventory),
        "clprobe.install-plan/1": _printed(
            "clprobe.install-plan/1",
            InstallPlan,
            matrix=tuple[MatrixRow, ...],
            versions=tuple[VersionRow, ...],
        ),
        "clprobe.apply/1": _printed("clprobe.apply/1", ApplyReport),
        "clprobe.explain/1": _printed("clprobe.explain/1", Explained),
        "clprobe.matrix/1": _printed("clprobe.matrix/1", SupportTable),
        "clprobe.env/1": _printed("clprobe.env/1", EnvReport),
        "clprobe.cache/1": _printed("clprobe.cache/1", CacheReport),
        "clprobe.bench/1": _bench(),
        "clprobe.bench-compare/1": _printed("clprobe.bench-compare/1", BenchComparison),
        SNAPSHOT: snapshot_schema(),
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
    elapsed = {"type": "integer", "minimum": 0, "description": "milliseconds that it all took"}
    schema["properties"]["elapsed_ms"] = elapsed
    schema["required"].append("elapsed_ms")
    # Absent findings are for `--why` and never printed.
    schema["$defs"]["Finding"]["properties"]["verdict"]["enum"].remove("absent")
    return schema


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


def main() -> None:
    """Write every file."""
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
