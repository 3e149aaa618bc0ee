# SPDX-License-Identifier: MIT
"""Snapshots to and from JSON and YAML."""

import json
import re
from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
import yaml

from clprobe.model import plain_json
from clprobe.model.errors import ClprobeError
from clprobe.model.json_schema import definitions_of
from clprobe.model.plain_yaml import MOST_LEVELS, MOST_VALUES, YamlMistake, load
from clprobe.model.snapshot import SCHEMA, Snapshot

_COMPARED = ("gpus", "device_nodes", "icds", "loaders", "views", "perspectives", "frameworks")
_MOST_COMPARED = 300
_MODES, _OCTAL = frozenset({"mode", "file_mode"}), re.compile(r"(?:0o?)?[0-7]{1,6}")
_KEPT = ("bool", "null", "merge")
_HEXADECIMAL = ("device_id", "vendor_id", "ip_version", "half_fp_config", "double_fp_config")


def snapshot_to_json(snapshot: Snapshot) -> str:
    """Return the snapshot as indented JSON; unstated facts are left out."""
    return json.dumps(snapshot_document(snapshot), indent=2, ensure_ascii=False) + "\n"


def snapshot_document(snapshot: Snapshot) -> dict[str, Any]:
    """Return the snapshot as plain data, for a document of its own or inside another one."""
    return {"schema": SCHEMA, **msgspec.to_builtins(snapshot)}


def snapshot_inside(document: dict[str, Any]) -> Snapshot | None:
    """Return the snapshot inside another document; None if this clprobe cannot read it."""
    try:
        return msgspec.convert(document, Snapshot)
    except msgspec.ValidationError:
        return None


def snapshot_from_text(text: str, *, name: str) -> Snapshot:
    """Return the snapshot written in `text`, JSON or YAML; `name` is the file, for messages.

    Raises: ClprobeError if it is neither, of another version, or does not fit the format.
    """
    data = _parse(text, name)
    if not isinstance(data, dict):
        raise ClprobeError(
            reference="snapshot-malformed",
            message=f"{name}: a snapshot is a mapping of facts, this is a {type(data).__name__}.",
            hint="clprobe snapshot --schema prints the format.",
        )
    if data.get("schema", SCHEMA) != SCHEMA:
        raise ClprobeError(
            reference="snapshot-version",
            message=f"{name}: schema is {data['schema']!r}, this clprobe reads {SCHEMA!r}.",
            hint="Use the clprobe that wrote it, or a newer one.",
        )
    try:
        # Lax, because YAML's numbers are read as texts, see _Loader.
        snapshot = msgspec.convert(data, Snapshot, strict=_is_json(text))
        _check_lists(snapshot)
        _check_modes(data)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise ClprobeError(
            reference="snapshot-malformed",
            message=f"{name}: {error}.",
            hint="clprobe snapshot --schema prints the format; every fact may be left out.",
        ) from error
    return snapshot


def _check_lists(snapshot: Snapshot) -> None:
    """Raise a ValueError if a list holds more than any host has, which rules would pair up."""
    for field in _COMPARED:
        value = getattr(snapshot, field)
        if isinstance(value, tuple) and len(value) > _MOST_COMPARED:
            raise ValueError(f"{field} holds {len(value)} entries, more than {_MOST_COMPARED}")


def _check_modes(data: Any) -> None:
    """Raise a ValueError if the mode of a file is no octal number."""
    for facts in (part for layer in _layers(data) for part in layer if isinstance(part, dict)):
        for key in _MODES & facts.keys():
            if isinstance(facts[key], str) and not _OCTAL.fullmatch(facts[key]):
                raise ValueError(f"{key} is {facts[key][:60]!r}, which is not octal")


def snapshot_schema() -> dict[str, Any]:
    """Return the JSON Schema of snapshots."""
    (schema,), definitions = definitions_of(Snapshot)
    # The field is a plain text in Python, so that another version gets a message of its own.
    definitions["Snapshot"]["properties"]["schema"]["const"] = SCHEMA
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": SCHEMA,
        **schema,
        "$defs": definitions,
    }


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads numbers and dates as texts: by hand people write `version: 22.10`, `mode: 0660`."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, form) for tag, form in resolvers if tag.rpartition(":")[2] in _KEPT]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def _with_numbers(value: Any, key: str = "") -> Any:
    """Return the document with the numbers that people write in hexadecimal as numbers."""
    if isinstance(value, dict):
        return {name: _with_numbers(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_numbers(part, key) for part in value]
    if key in _HEXADECIMAL and isinstance(value, str) and value.lower().startswith("0x"):
        return int(value, 16)
    return value


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _parse(text: str, name: str) -> Any:
    try:
        if _is_json(text):
            data = plain_json.load(text)
            _check_size(data)
            return data
        return _with_numbers(load(text, _Loader))
    except (ValueError, YamlMistake, RecursionError) as error:
        raise ClprobeError(
            reference="snapshot-malformed",
            message=f"{name} is neither JSON nor YAML that can be read: {error}.",
            hint="clprobe snapshot --output FILE writes a valid one.",
        ) from error


def _check_size(data: Any) -> None:
    """Raise a ValueError if there is more in it, or deeper, than any host has facts."""
    values = 0
    for depth, layer in enumerate(_layers(data), 1):
        values += sum(len(part) for part in layer)
        if depth > MOST_LEVELS:
            raise ValueError(f"it is nested deeper than {MOST_LEVELS} levels")
        if values > MOST_VALUES:
            raise ValueError(f"there are more than {MOST_VALUES:,} values in it")


def _layers(data: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the mappings and lists of each level, from the outside in."""
    layer: list[Any] = [data]
    while layer:
        yield layer
        parts = (part for one in layer for part in (one.values() if isinstance(one, dict) else one))
        layer = [part for part in parts if isinstance(part, dict | list)]
