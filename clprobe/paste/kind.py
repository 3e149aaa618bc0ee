# SPDX-License-Identifier: MIT
"""Tells a snapshot, sound or damaged, from a text that somebody pasted."""

import json
import re

from clprobe.model.snapshot import Snapshot

_FIELDS = frozenset(Snapshot.__struct_fields__)
_OURS = re.compile(r"[\"']?schema[\"']?\s*:\s*[\"']?clprobe\.\w+/\d+")
_KEY = re.compile(r"([A-Za-z_]\w*)\s*:(?=\s|$)\s*(.*)$")
_CLINFO = {"platforms", "devices", "icd_loader"}
_BEGINNING = 4000


def is_snapshot(text: str) -> bool:
    """Tell whether the text is meant as one snapshot: by its schema, else by its keys alone."""
    body = text.lstrip("\ufeff \t\r\n")
    if body.startswith("{"):
        return _is_json_snapshot(body)
    lines = [line.rstrip() for line in body[:_BEGINNING].splitlines()]
    told = [line for line in lines if line and not line.startswith(("#", "---", "%"))]
    if told and _OURS.match(told[0]):
        return True
    top = [line for line in told if line[:1] not in (" ", "-", "]", "}")]
    keys = [found[1] if (found := _KEY.match(line)) else None for line in top]
    if len(told) == 0 or not keys or None in keys or not set(keys) <= _FIELDS:
        return False
    first = _KEY.match(told[0])
    opens = first is not None and (
        not first[2] or first[2][0] in "[{" or first[1] in ("taken", "source", "clprobe")
    )
    # A compose file, too, may begin with `environment:`, but lists its variables.
    return opens and not (
        keys == ["environment"] and told[1:2] and told[1].lstrip().startswith("- ")
    )


def _is_json_snapshot(body: str) -> bool:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        keys = re.findall(r"\"(\w+)\"\s*:", body[:_BEGINNING])
        return bool(_OURS.search(body[:_BEGINNING])) or (bool(keys) and keys[0] in _FIELDS)
    # clinfo, too, prints JSON; of other documents a snapshot's error says what is wrong.
    return not (isinstance(document, dict) and document.keys() & _CLINFO) or "schema" in document
