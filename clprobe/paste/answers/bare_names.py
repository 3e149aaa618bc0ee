# SPDX-License-Identifier: MIT
"""Reads packages of which a manager was asked for the names alone, and those that are not there."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("answers")


def read_bare_names(paste: Paste) -> Iterator[Reading]:
    """Give the package of each line."""
    for index, line in paste.free():
        absent = _FORMS.not_installed.match(line)
        context = paste.contexts[index]
        if absent is not None:
            name = absent["name"] or absent["other"]
            manager = "rpm" if absent["name"] else "pacman"
            package = Package(name=name, manager=manager, state="removed")
        elif _FORMS.asks_names.search(context.command) and _FORMS.bare_name.match(line):
            manager = _FORMS.tables["managers"].get(context.program, "")
            package = Package(name=line, manager=manager or NOT_STATED, state="installed")
        else:
            continue
        yield Reading(lines=(index,), facts=Snapshot(packages=(package,)))
