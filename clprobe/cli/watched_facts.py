# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - readers of pasted texts take long to import
"""The facts that hold for a program that was looked at: the host's, seen from inside it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clprobe.model.opencl import Answer, View
from clprobe.model.unknown import NOT_STATED, Unknown, listed
from clprobe.probe.live_host import LOCAL, package_folders
from clprobe.watch.observe import is_python

if TYPE_CHECKING:
    from clprobe.model.program import Program
    from clprobe.model.snapshot import Snapshot
    from clprobe.watch.observe import Watched

_VIEWERS = ("pyopencl", "system-loader", "conda-loader", "clinfo")
_SYSTEMS = ("/usr", "/", ".", LOCAL)
"""Prefixes that are no environment of the program's own; the first one is the system's Python."""
_ENDED = ("no-devices", "error", "crash", "hang")


def user_of(watched: "Watched") -> str | None:
    """Return the program's user as --as takes it; None: it is ours, or not known."""
    uid, groups = watched.program.uid, watched.program.groups
    if isinstance(uid, Unknown) or uid == os.geteuid():
        return None
    named = ",".join(map(str, listed(groups)))
    return f"{uid}:{named}" if named else str(uid)


def prefix_of(watched: "Watched") -> str:
    """Return where the packages of its Python lie; for what has none those of the system's.

    A driver in the packages beside clprobe, such as pyopencl's wheel brings, serves nobody else.
    """
    loader = watched.program.loader
    paths = [*([loader] if isinstance(loader, str) else []), *watched.files, *watched.argv[:1]]
    for prefix in dict.fromkeys(map(_prefix_above, paths)):
        if prefix not in _SYSTEMS and package_folders(prefix):
            return prefix
    is_of_python = any("/lib/python3" in path or is_python(Path(path).name) for path in paths)
    return LOCAL if is_of_python and package_folders(LOCAL) else _SYSTEMS[0]


def _prefix_above(path: str) -> str:
    """Return the prefix of the Python environment that a library or an interpreter may be of."""
    prefix, below, _ = path.partition("/lib/python3")
    return prefix if below and prefix else str(Path(path).parent.parent)


def loaders_of(watched: "Watched") -> dict[str, str]:
    """Return the program with its loader as `collect` takes it; none inside a sandbox."""
    program = watched.program
    if isinstance(program.loader, str) and program.sandbox is None:
        return {_viewer(program): program.loader}
    return {}


def with_program(facts: "Snapshot", watched: "Watched") -> "Snapshot":
    """Return the facts of a host with the program, whose view says how the program fared."""
    program = watched.program
    if not isinstance(program.address_space_bytes, Unknown):
        limits = replace(facts.system.limits, address_space_bytes=program.address_space_bytes)
        facts = replace(facts, system=replace(facts.system, limits=limits))
    if isinstance(facts.views, Unknown):
        return replace(facts, program=program)
    viewer = _viewer(program)
    views = tuple(
        _with_end(view, program) if view.viewer == viewer else view for view in facts.views
    )
    return replace(facts, program=program, views=views)


def _viewer(program: "Program") -> str:
    """Return how its view is called; a name of our own viewers gets the file's name behind it."""
    key = program.key if isinstance(program.key, str) else program.name
    return f"{key} ({program.name})" if key in _VIEWERS else key


def _with_end(view: View, program: "Program") -> View:
    """Return the view with how the program itself fared, as far as its end and words tell."""
    from clprobe.facts.derive_fared import DEADLY

    answer = replace(view.answer, printed=program.printed)
    if answer.outcome in ("crash", "hang") and program.signal is None:
        answer = Answer(printed=program.printed)  # our child's trouble is not the program's
    if any(one.kernels for one in listed(program.kernels)):
        return replace(view, answer=answer)
    # What was shown devices did not die of loading the drivers.
    if program.signal in DEADLY and not listed(program.found_types):
        answer = replace(answer, outcome="crash", signal=program.signal)
        return replace(view, answer=answer)
    # What asked nothing of OpenCL tells of something else, whatever words it takes.
    said = _said(program) if program.calls_opencl is not False else None
    # What found devices and took none was shown some, whatever it says then.
    is_choosy = said is not None and said.outcome == "no-devices" and listed(program.found_types)
    if said is not None and said.outcome in _ENDED and not is_choosy:
        # An error of what was shown devices is one of work on them: they are still there.
        is_of_work = said.outcome == "error" and listed(program.found_types)
        answer = replace(
            answer,
            outcome=said.outcome,
            error_code=said.error_code,
            platforms=answer.platforms if is_of_work else NOT_STATED,
        )
    return replace(view, answer=answer)


def _said(program: "Program") -> Answer | None:
    """Return what its own words tell, by the readers of pasted texts."""
    from clprobe.model.errors import ClprobeError
    from clprobe.paste.assemble import read_paste

    if not isinstance(program.printed, str) or not isinstance(program.key, str):
        return None
    text = f"$ {program.key}\n{program.printed}"
    try:
        told = read_paste(text, name=program.name)
    except ClprobeError:  # nothing in it is about devices
        return None
    mine = (one for one in listed(told.views) if one.viewer.partition(" ")[0] == program.key)
    view = next(mine, None)
    return None if view is None else view.answer
