# SPDX-License-Identifier: MIT
"""Finds our own snapshots, JSON or YAML, inside a longer text, and what doctor --report prints."""

import json
import re
from collections.abc import Iterator, Sequence

from clprobe.model.codec import snapshot_from_text
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import SCHEMA
from clprobe.paste.reading import Context, Reading
from clprobe.paste.text import FENCE, clean_lines

HEADING = "Facts, scrubbed, for clprobe doctor --from FILE"
"""What `doctor --report` writes above the facts, by which a text is known to be its answer."""
_MOST = 8
_SCHEMA = re.compile(rf"[\"']?schema[\"']?: *[\"']?{re.escape(SCHEMA)}")
_ANSWER = re.compile(r"\W{0,4}clprobe \S+ doctor: \w")


def embedded_in(lines: Sequence[str]) -> Iterator[Reading]:
    """Give the snapshots that carry their schema; one that is damaged stays unread."""
    done = -1
    found = 0
    for index, line in enumerate(lines):
        if index <= done or found >= _MOST or SCHEMA not in line or not _SCHEMA.search(line):
            continue
        span = _json_span(lines, index) or _yaml_span(lines, index)
        text = "\n".join(lines[span[0] : span[1]])
        found += 1
        try:
            snapshot = snapshot_from_text(text, name="snapshot in the text")
        except ClprobeError:
            continue
        done = span[1] - 1
        whole = tuple(
            name
            for name in ("gpus", "device_nodes", "loaders", "icds", "packages")
            if name not in snapshot.excerpts
        )
        yield Reading(
            lines=tuple(range(_beginning(lines, span[0]), span[1])),
            facts=snapshot,
            whole=whole,
            private=True,
            context=Context(),
        )


def facts_alone(text: str) -> str | None:
    """Return the facts of a text that doctor --report printed; None if there is more in it."""
    if SCHEMA not in text or HEADING not in text:
        return None
    lines = [line for line in clean_lines(text) if line not in ("", FENCE)]
    facts = next((at for at, line in enumerate(lines, 1) if HEADING in line), 0)
    if _beginning(lines, facts) > 0 or _json_span(lines, facts) != (facts, len(lines)):
        return None
    return "\n".join(lines[facts:])


def _beginning(lines: Sequence[str], facts: int) -> int:
    """Return where the answer begins whose facts begin in line `facts`, else `facts`.

    What is in between says in words what follows from the facts, and tells nothing of its own.
    """
    above = [at for at in range(max(facts - 4, 0), facts) if HEADING in lines[at]]
    if not above:
        return facts
    return next((at for at in range(above[-1], -1, -1) if _ANSWER.match(lines[at])), facts)


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
