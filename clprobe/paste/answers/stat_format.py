# SPDX-License-Identifier: MIT
"""Reads `stat -c FORMAT`: owner, group and mode of nodes, in the order that the format tells."""

import re
from collections.abc import Iterator
from functools import cache

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("answers")
_FIELDS = {"n": r"\S+", "A": r"[a-z-][rwxsStT-]{9}", "a": r"[0-7]{1,4}", "u": r"\d{1,10}",
           "g": r"\d{1,10}", "U": r"\S+", "G": r"\S+"}  # fmt: skip
_LONGEST = 200
_BITS = {letter: value for value, letter in ((4, "r"), (2, "w"), (1, "x"), (1, "s"), (1, "t"))}


def read_stat_formats(paste: Paste) -> Iterator[Reading]:
    """Give the nodes of which stat told something."""
    for index, line in paste.free():
        asked = _FORMS.stat_format.search(paste.contexts[index].command)
        form = _expression(asked["format"]) if asked else None
        found = form.fullmatch(line) if form is not None and len(line) < _LONGEST else None
        if found is None:
            continue
        node = _node(found.groupdict())
        if node is not None:
            yield Reading(lines=(index,), facts=Snapshot(device_nodes=(node,)))


@cache
def _expression(text: str) -> re.Pattern[str] | None:
    """Return what a line of this format looks like; None if a field stands there twice."""
    parts = re.split(r"%([a-zA-Z])", text.replace("\\n", "")[:_LONGEST])
    fields = parts[1::2]
    if len(set(fields)) < len(fields):
        return None
    pieces = [
        re.escape(part) if place % 2 == 0 else f"(?P<{part}>{_FIELDS.get(part, '.*?')})"
        for place, part in enumerate(parts)
    ]
    return re.compile("".join(pieces))


def _node(told: dict[str, str]) -> DeviceNode | None:
    path = told["n"].strip("'\"")
    kind = node_kind(path)
    if kind is None:
        return None
    return DeviceNode(
        path=path,
        kind=kind,
        mode=told["a"].rjust(4, "0") if "a" in told else _mode(told.get("A")),
        owner=_named(told.get("U")),
        group=_named(told.get("G")),
        uid=int(told["u"]) if "u" in told else NOT_STATED,
        gid=int(told["g"]) if "g" in told else NOT_STATED,
    )


def _mode(letters: str | None) -> Fact[str]:
    """Return the digits of "crw-rw----"."""
    if letters is None:
        return NOT_STATED
    triples = (letters[1:4], letters[4:7], letters[7:10])
    return "0" + "".join(str(sum(_BITS.get(bit.lower(), 0) for bit in three)) for three in triples)


def _named(name: str | None) -> Fact[str | None]:
    """Return the name; stat writes UNKNOWN for a number that has none."""
    return NOT_STATED if name is None else None if name == "UNKNOWN" else name
