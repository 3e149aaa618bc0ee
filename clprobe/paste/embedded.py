# SPDX-License-Identifier: MIT
"""Finds our own snapshots, JSON or YAML, inside a longer text."""

import json
import re
from collections.abc import Iterator, Sequence

from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import SCHEMA
from clprobe.paste.reading import Context, Paste, Reading
from clprobe.paste.text import FENCE

_MOST = 8
_SCHEMA = re.compile(rf"[\"']?schema[\"']?: *[\"']?{re.escape(SCHEMA)}")


def read_embedded(paste: Paste) -> Iterator[Reading]:
    """Give the snapshots that carry their schema; one that is damaged stays unread."""
    done = -1
    found = 0
    for index, line in enumerate(paste.whole_lines):
        if index <= done or found >= _MOST or SCHEMA not in line or not _SCHEMA.search(line):
            continue
        span = _json_span(paste.whole_lines, index) or _yaml_span(paste.whole_lines, index)
        text = "\n".join(paste.whole_lines[span[0] : span[1]])
        found += 1
        try:
            snapshot = snapshot_from_text(text, name="snapshot in the text")
        except ClprobeError:
            continue
        done = span[1] - 1
        lines = tuple(range(span[0], span[1]))
        whole = tuple(
            name
            for name in ("gpus", "device_nodes", "loaders", "icds", "packages")
            if name not in snapshot.excerpts
        )
        yield Reading(lines=lines, facts=snapshot, whole=whole, private=True, context=Context())


def _json_span(lines: Sequence[str], index: int) -> tuple[int, int] | None:
    """Return the lines of the JSON document around `index`; None if there is none."""
    start = next(
        (at for at in range(index, max(index - 3, -1), -1) if lines[at].lstrip().startswith("{")),
        None,
    )
    if start is None:
        return None
    text = "\n".join(lines[start:])
    lead = len(text) - len(text.lstrip())
    try:
        _, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    return start, start + text[: lead + end].count("\n") + 1


def _yaml_span(lines: Sequence[str], index: int) -> tuple[int, int]:
    """Return the lines of the YAML document from `index` on: to its fence, a gap or prose."""
    end = index + 1
    while end < len(lines) and lines[end] != FENCE and lines[end].strip() not in ("---", "..."):
        line = lines[end]
        if line and line[0] not in " -#\"'" and not re.match(r"[\w.]+:(?:\s|$)", line):
            break
        end += 1
    return index, end
