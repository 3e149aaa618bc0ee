# SPDX-License-Identifier: MIT
"""What a process has loaded, and what it asked for in vain, as far as it matters to OpenCL."""

import mmap
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from clprobe.model.program import LoadedLibrary, RefusedLibrary
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.probe.elf import elf_at
from clprobe.watch.libraries import INTERFACES, role_of
from clprobe.watch.links import Links, Wish
from clprobe.watch.privileged import gains_rights
from clprobe.watch.sight import Sight

_OF_SYSTEM = ("/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/bin/", "/bin/")
_MOST_BYTES = 256 << 20
_LOADERS_MARKS = (b"OCL_ICD_VENDORS", b"clGetPlatformIDs")
"""What Khronos's and ocl-icd's loaders hold, and what programs that open one do not."""
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


def loader_of(libraries: Fact[tuple[str, ...]], trace: Links | None) -> Fact[str | None]:
    """Return the first libOpenCL among them, else the file that holds a loader; None: neither."""
    found = loader_in(libraries)
    if found is not None:
        return found
    return _built_in((*listed(libraries), "" if trace is None else trace.program))


def _built_in(paths: Iterable[str]) -> str | None:
    """Return the first file that holds a loader within itself, such as LightGBM's library.

    Those of the system take its libOpenCL, so their content is not looked at.
    """
    others = (path for path in paths if not path.startswith(_OF_SYSTEM))
    return next(filter(_holds_loader, others), None)


def _holds_loader(path: str) -> bool:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as in sight.py
            if os.fstat(file.fileno()).st_size > _MOST_BYTES:
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return all(content.find(mark) >= 0 for mark in _LOADERS_MARKS)
    except (OSError, ValueError):
        return False


def interfaces_of(
    libraries: Fact[tuple[str, ...]], loader: Fact[str | None]
) -> Fact[tuple[str, ...]]:
    """Return the interfaces whose entry libraries are loaded, or a file that holds a loader."""
    if isinstance(libraries, Unknown):
        return libraries
    roles = ("loader" if path == loader else role_of(path) for path in libraries)
    return tuple(dict.fromkeys(INTERFACES[role] for role in roles if role is not None))


def that_matter(
    libraries: Fact[tuple[str, ...]], trace: Links | None, loader: Fact[str | None]
) -> Fact[tuple[LoadedLibrary, ...]]:
    """Return the libraries that are an interface's, or a driver that a loader asked for."""
    if isinstance(libraries, Unknown):
        return libraries
    asked = _asked_by_loader(trace, loader)
    drivers = {os.path.realpath(name) for name in asked if "/" in name}
    names = {name for name in asked if "/" not in name}
    found = []
    for path in libraries:
        is_driver = path in drivers or any(Path(path).name.startswith(name) for name in names)
        role = (
            "loader"
            if path == loader
            else role_of(path) or ("opencl-driver" if is_driver else None)
        )
        if role is not None:
            found.append(LoadedLibrary(path=path, role=role))
    return tuple(found)


def _asked_by_loader(trace: Links | None, loader: Fact[str | None]) -> tuple[str, ...]:
    asked = [
        wish
        for wish in _wishes(trace)
        if role_of(wish.asked_by) == "loader" or os.path.realpath(wish.asked_by) == loader
    ]
    needed = {name for path in {wish.asked_by for wish in asked} for name in _needed(path)}
    return tuple(wish.name for wish in asked if wish.name not in needed)


def _needed(path: str) -> tuple[str, ...]:
    try:
        return elf_at(path).needed
    except OSError:
        return ()


def refused_of(trace: Links | None, loader: Fact[str | None]) -> Fact[tuple[RefusedLibrary, ...]]:
    """Return what was asked for in vain: entry libraries, drivers, and what these need.

    A driver that looks for what it can do without is no refusal of the program's.
    """
    if trace is None:
        return Unknown("nothing wrote down what the dynamic linker did")
    drivers = set(_asked_by_loader(trace, loader))
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
