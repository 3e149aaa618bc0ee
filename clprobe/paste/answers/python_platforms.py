# SPDX-License-Identifier: MIT
"""Reads the list of platforms that pyopencl gives in a session of Python."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("answers")
_NEAR = 3


def read_python_platforms(paste: Paste) -> Iterator[Reading]:
    """Give the platforms of a list that stands below a call of get_platforms."""
    for index, line in paste.free():
        named = [found["name"] for found in _FORMS.list_of_platforms.finditer(line)]
        above = paste.lines[max(0, index - _NEAR) : index]
        is_list = _FORMS.list_of_names.match(line) and any(map(_asks, above))
        if not named and not is_list:
            continue
        if not named:
            named = [one["name"] or one["other"] for one in _FORMS.name_in_list.finditer(line)]
        answer = Answer(
            outcome="ok" if named else "no-devices",
            platforms=tuple(Platform(name=name) for name in named),
        )
        facts = Snapshot(views=(View(viewer="pyopencl", answer=answer),))
        yield Reading(lines=(index,), facts=facts, private=True)


def _asks(line: str) -> bool:
    return _FORMS.asks_platforms.search(line) is not None
