# SPDX-License-Identifier: MIT
"""What drivers in a program need of its user and variables: folders for caches, commands.

Which driver needs what stands in the tables of implementations.
"""

import os
import pwd
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from clprobe.knowledge.printed import Forms
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.program import ClosedCache, Program
from clprobe.model.unknown import Unknown, listed
from clprobe.watch.links import Links
from clprobe.watch.places import placed

_USUAL = "/usr/local/bin:/usr/bin:/bin"
_FORMS = Forms("watched")
_MOST = 4
_OWN = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "POCL_CACHE_DIR")
_OWN_NAMES = frozenset((".cache", ".local", ".config"))
_ABOVE = ("HOME", "XDG_CACHE_HOME")
"""Where these cannot be written to, that is told of themselves."""


def closed_caches(
    program: Program, environment: Mapping[str, str], tables: Tables
) -> tuple[ClosedCache, ...]:
    """Return folders in which drivers keep what they compile, and the program may not write."""
    if isinstance(program.uid, Unknown):
        return ()
    above = [Path(environment[name]) for name in _ABOVE if environment.get(name)]
    closed = [one for one in above if not _may_write(one, program.uid, listed(program.groups))]
    found = []
    for entry in _drivers(program, tables):
        for variable, usual in entry.caches.items():
            folder = None if environment.get(variable) else placed(usual, (), environment, "/")
            if folder is None or any(folder.is_relative_to(one) for one in closed):
                continue
            existing = _existing(folder)
            if existing is None or any(one.is_relative_to(existing) for one in above):
                continue
            if not _may_write(existing, program.uid, listed(program.groups)):
                found.append(
                    ClosedCache(
                        folder=str(existing),
                        owner=_owner(existing),
                        driver=entry.name,
                        is_needed=entry.needs_cache,
                    )
                )
    return tuple(dict.fromkeys(found))


def closed_files(program: Program, environment: Mapping[str, str], printed: str) -> tuple[str, ...]:
    """Return files of its own that it says it cannot open, where it may not write, either.

    A program's own are those in folders for caches, data and settings, or of its name; what else it
    does not find may be a file that it was to read.
    """
    if isinstance(program.uid, Unknown):
        return ()
    own = [Path(environment[name]) for name in _OWN if environment.get(name)]
    names = {*_OWN_NAMES, program.name}
    found = []
    for told in _FORMS.cannot_write.finditer(printed):
        path = Path(next(text for text in told.groups() if text).rstrip(".,;)!"))
        if names.isdisjoint(path.parts) and not any(map(path.is_relative_to, own)):
            continue
        existing = _existing(path.parent)
        is_closed = existing is None or not _may_write(
            existing, program.uid, listed(program.groups)
        )
        if is_closed:
            found.append(str(path))
    return tuple(dict.fromkeys(found))[:_MOST]


def hidden_commands(
    program: Program, environment: Mapping[str, str], tables: Tables
) -> tuple[str, ...]:
    """Return commands that drivers start by name, are installed, and not on the program's PATH."""
    path = environment.get("PATH") or os.defpath
    names = {name for entry in _drivers(program, tables) for name in entry.commands}
    hidden = (name for name in sorted(names) if shutil.which(name, path=path) is None)
    found = (shutil.which(name, path=_USUAL) for name in hidden)
    return tuple(one for one in found if one is not None)


def absent_parts(trace: Links | None) -> tuple[str, ...]:
    """Return libraries of drivers' own, by place or name, that they asked for by whole paths."""
    if trace is None:
        return ()
    found = (
        wish.name
        for wish in trace.refused
        if wish.name.startswith("/") and _is_part(Path(wish.name), Path(wish.asked_by))
    )
    return tuple(dict.fromkeys(found))


def _is_part(wished: Path, driver: Path) -> bool:
    stem, is_library, _ = driver.name.partition(".so")
    lies_below = wished.is_relative_to(driver.resolve().parent)
    has_its_name = wished.name.startswith(f"{stem}-")
    return bool(is_library) and (lies_below or has_its_name) and not os.path.exists(wished)  # noqa: PTH110 - Path.exists() raises below a closed folder


def _drivers(program: Program, tables: Tables) -> Iterator[Implementation]:
    paths = (one.path for one in listed(program.libraries) if one.role == "opencl-driver")
    known = tables.implementations()
    for key in dict.fromkeys(map(tables.recognise, paths)):
        if key is not None:
            yield known[key]


def _existing(folder: Path) -> Path | None:
    """Return the folder, or the nearest one above it that shows; None: nobody could look."""
    for one in (folder, *folder.parents):
        try:
            one.stat()
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except OSError:
            return None
        return one
    return None


def _may_write(folder: Path, uid: int, groups: Iterable[int]) -> bool:
    if uid == os.geteuid():
        return os.access(folder, os.W_OK | os.X_OK)
    try:
        found = folder.stat()
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            return False
    except OSError:
        return False
    shift = 6 if found.st_uid == uid else 3 if found.st_gid in groups else 0
    return uid == 0 or (found.st_mode >> shift) & 0o3 == 0o3


def _owner(folder: Path) -> str:
    uid = folder.stat().st_uid
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
