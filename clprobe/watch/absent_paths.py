# SPDX-License-Identifier: MIT
"""Which variables of a program and of its drivers name a file or folder that is not there."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from clprobe.knowledge.program_table import Program as TableProgram
from clprobe.knowledge.table_types import Names
from clprobe.knowledge.tables import Tables
from clprobe.model.program import AbsentPath

_MOST = 4
_SHORTEST_NAME = 4
"""Of shorter names too many paths hold one by chance."""


class _Naming(NamedTuple):
    variable: str
    does: str
    names: Names


def absent_paths(
    row: TableProgram | None,
    environment: Mapping[str, str],
    *,
    files: Iterable[str],
    printed: str,
    tables: Tables,
) -> tuple[AbsentPath, ...]:
    """Return them, of the program, of libraries and drivers in it, and those that it speaks of.

    `files` are what is loaded into it; `printed` is what it printed.
    """
    loaded = "\n".join(files)
    found = []
    for of_whom, namings in _namings(tables):
        known = [one for one in namings if one.variable in environment]
        if not known:
            continue
        is_its = (row is not None and row.program in of_whom) or _is_loaded(of_whom, loaded)
        for one in known:
            value = environment[one.variable]
            is_spoken_of = one.variable in printed or (len(value) > 1 and value in printed)
            if (is_its or is_spoken_of) and not _is_any_there(value, one.names):
                found.append(AbsentPath(variable=one.variable, value=value, does=one.does))
    return tuple(dict.fromkeys(found))[:_MOST]


def _namings(tables: Tables) -> Iterator[tuple[tuple[str, ...], list[_Naming]]]:
    """Yield names of each program and implementation with its variables that name something."""
    for program in tables.programs():
        switches = [
            _Naming(one.name, one.does, one.names)
            for one in program.switches
            if one.kind == "variable" and one.names is not None
        ]
        if switches:
            yield (program.program, *program.called), switches
    for key, entry in tables.implementations().items():
        own = [
            _Naming(name, entry.variables.get(name, "names a part of it"), names)
            for name, names in entry.variables_name.items()
        ]
        if own:
            yield (key,), own


def _is_loaded(names: Iterable[str], loaded: str) -> bool:
    return any(_in_path(name).search(loaded) for name in names if len(name) >= _SHORTEST_NAME)


@cache
def _in_path(name: str) -> re.Pattern[str]:
    """Return the form of a path with a folder, or a library, of that name."""
    return re.compile(rf"(?im)/(?:lib)?{re.escape(name)}(?![a-z])")


def _is_any_there(value: str, names: Names) -> bool:
    paths = [one for one in value.split(":") if one] if names == "folders" else [value]
    there = os.path.isdir if names != "file" else os.path.exists
    return not value or any(there(path) for path in paths)
