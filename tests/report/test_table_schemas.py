# SPDX-License-Identifier: MIT
"""The published schema of each kind of table takes every file of that kind, and no mistakes."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clprobe.knowledge.checked_yaml import parse
from clprobe.report.schemas import OF_TABLES, table_schemas
from clprobe.resources import rules_path

SCHEMAS = {path.stem: schema for path, schema in table_schemas().items()}
KINDS_WITH_SOURCES = sorted(
    set(SCHEMAS) - {"questions", "tools", "printed", "failures", "verified", "ranking", "settings"}
)
TABLES = sorted((rules_path() / "tables").glob("**/*.yaml"))


def _schema_for(path: Path) -> Any:
    return SCHEMAS[path.stem if path.parent.name == "tables" else path.parent.name]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_fits(path: Path) -> None:
    Draft202012Validator(_schema_for(path)).validate(parse(path))


@pytest.mark.parametrize("path", sorted(OF_TABLES.iterdir()), ids=lambda path: path.stem)
def test_each_is_a_valid_schema(path: Path) -> None:
    Draft202012Validator.check_schema(table_schemas()[path])


@pytest.mark.parametrize("kind", KINDS_WITH_SOURCES)
def test_a_table_without_sources_or_with_other_words_does_not_fit(kind: str) -> None:
    path = next(path for path in TABLES if path.parent.name == kind)
    validator = Draft202012Validator(_schema_for(path))
    document = parse(path)
    assert not validator.is_valid({**document, "sauces": {}})
    assert not validator.is_valid({k: v for k, v in document.items() if k != "sources"})
