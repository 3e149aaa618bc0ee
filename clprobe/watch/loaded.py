# SPDX-License-Identifier: MIT
"""What a process has loaded, and what it asked for in vain, as far as it matters to OpenCL."""

import os
import shutil
from pathlib import Path

from clprobe.model.program import LoadedLibrary, RefusedLibrary
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.probe.elf import elf_at
from clprobe.watch.libraries import INTERFACES, role_of
from clprobe.watch.links import Links, Wish
from clprobe.watch.privileged import gains_rights
from clprobe.watch.sight import Sight

NOT_SEEN = Unknown("no look fell into its short life")


def libraries_of(sight: Sight | None, trace: Links | None) -> Fact[tuple[str, ...]]:
    """Return the files that were loaded, each once; links are followed, as /proc does."""
    told = () if trace is None else tuple(map(os.path.realpath, trace.loaded))
    seen = sight.libraries if sight is not None else NOT_SEEN
    if trace is None:
        return seen
    return tuple(dict.fromkeys((*told, *listed(seen))))


def loader_in(libraries: Fact[tuple[str, ...]]) -> Fact[str | None]:
    """Return the first libOpenCL among them; None: there is none."""
    if isinstance(libraries, Unknown):
        return libraries
    return next((path for path in libraries if role_of(path) == "loader"), None)


def interfaces_of(libraries: Fact[tuple[str, ...]]) -> Fact[tuple[str, ...]]:
    """Return the interfaces whose entry libraries are loaded."""
    if isinstance(libraries, Unknown):
        return libraries
    roles = (role_of(path) for path in libraries)
    return tuple(dict.fromkeys(INTERFACES[role] for role in roles if role is not None))


def that_matter(
    libraries: Fact[tuple[str, ...]], trace: Links | None
) -> Fact[tuple[LoadedLibrary, ...]]:
    """Return the libraries that are an interface's, or a driver that a loader asked for."""
    if isinstance(libraries, Unknown):
        return libraries
    drivers = {os.path.realpath(name) for name in _asked_by_loader(trace) if "/" in name}
    names = {name for name in _asked_by_loader(trace) if "/" not in name}
    found = []
    for path in libraries:
        is_driver = path in drivers or any(Path(path).name.startswith(name) for name in names)
        role = role_of(path) or ("opencl-driver" if is_driver else None)
        if role is not None:
            found.append(LoadedLibrary(path=path, role=role))
    return tuple(found)


def _asked_by_loader(trace: Links | None) -> tuple[str, ...]:
    return tuple(wish.name for wish in _wishes(trace) if role_of(wish.asked_by) == "loader")


def refused_of(trace: Links | None) -> Fact[tuple[RefusedLibrary, ...]]:
    """Return what was asked for in vain: entry libraries, drivers, and what these need.

    A driver that looks for what it can do without is no refusal of the program's.
    """
    if trace is None:
        return Unknown("nothing wrote down what the dynamic linker did")
    drivers = set(_asked_by_loader(trace))
    matter = [
        wish
        for wish in trace.refused
        if role_of(wish.name) is not None
        or wish.name in drivers
        or wish.asked_by in trace.half_loaded
    ]
    return tuple(
        RefusedLibrary(name=one.name, asked_by=one.asked_by or trace.program) for one in matter
    )


def linkage_of(sight: Sight | None, trace: Links | None, name: str) -> Fact[str]:
    """Return static or dynamic; `name` is the command, for where no process was seen."""
    if trace is not None:
        return "dynamic"
    path = file_of(sight, name)
    if isinstance(path, Unknown):
        return path
    try:
        headers = elf_at(path)
    except OSError as error:
        return Unknown(f"{path} cannot be read: {error.strerror}")
    return "static" if headers.format == "elf" and not headers.needed else "dynamic"


def file_of(sight: Sight | None, name: str) -> Fact[str]:
    """Return the program's file; `name` is the command, for where no process was seen."""
    if sight is not None and not isinstance(sight.exe, Unknown):
        return sight.exe
    return shutil.which(name) or NOT_SEEN


def changes_user(path: Fact[str]) -> Fact[bool]:
    """Return whether the linker and loaders ignore variables for this file, if we start it."""
    if isinstance(path, Unknown):
        return path
    try:
        return gains_rights(path)
    except OSError as error:
        return Unknown(f"{path} cannot be looked at: {error.strerror}")


def _wishes(trace: Links | None) -> tuple[Wish, ...]:
    return () if trace is None else trace.wishes
