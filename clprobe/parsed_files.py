# SPDX-License-Identifier: MIT
"""Keeps what the rules database parses to, from one run to the next: YAML is slow to read.

Two files in the user's cache folder: one of tables, which most commands read, and a larger one of
rules and reports, which are kept checked as well (`clprobe.derived`). A data file whose times, size
or inode differ from what was noted is parsed again, so nothing is ever stale; a cache that cannot
be believed or written is done without. Only clprobe's own database is kept: other folders are an
author's work and change. The single file, which checks what it unpacked by itself, brings along
what its rules parse to.
"""

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import msgspec

from clprobe.private_files import PrivateFolder, cache_folder, private_folder, read
from clprobe.resources import parsed_rules_path, rules_path
from clprobe.version import __version__

NAMES, OF_TABLES = "rules-*.msgpack", "tables-*.msgpack"
"""The files of all installations."""
_TABLES = "tables"
_Signature = tuple[int, int, int, int]


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    signature: _Signature
    content: msgspec.Raw


class _Store(msgspec.Struct, frozen=True):
    clprobe: str
    root: str
    files: dict[str, _Kept]


class _Origin(msgspec.Struct, frozen=True):
    """What tells whose a file is; the rest is not decoded."""

    root: str


class ParsedFiles:
    """The parsed files below `root`, kept in the file `store`.

    What the file `shipped` holds of them, where there is one, is believed as it is: it lies beside
    them and came with them.
    """

    def __init__(self, root: Path, store: Path, shipped: Path | None = None) -> None:
        self._root = root
        self._below = f"{root}{os.sep}"
        self._store = store
        self._shipped = shipped
        self._changed = False

    def parsed(self, path: Path, parse: Callable[[Path], Any]) -> Any:
        """Return `parse(path)`, or what it returned while the file was as it is now.

        The result is plain data of the caller's own. Raises: what `parse` raises; OSError if
        there is no such file.
        """
        # As texts: all tables are some 300 files, and Path takes longer than to decode them.
        key = str(path)
        if not key.startswith(self._below):
            return parse(path)
        key = key.removeprefix(self._below)
        came_along = self._came_along.get(key)
        if came_along is not None:
            return msgspec.msgpack.decode(came_along)
        now = signature_of(path.stat())
        known = self._files.get(key)
        if known is not None and known.signature == now:
            return msgspec.msgpack.decode(known.content)
        content = parse(path)
        # What changed while it was read is noted as it was before, and so read again next time.
        self._files[key] = _Kept(now, msgspec.Raw(msgspec.msgpack.encode(content)))
        self._changed = True
        return content

    def save(self) -> None:
        """Write what was parsed anew; without a cache folder of this user's own, do nothing."""
        if not self._changed:
            return
        with contextlib.suppress(OSError):
            self._write()
        self._changed = False

    @functools.cached_property
    def _came_along(self) -> dict[str, msgspec.Raw]:
        try:
            content = b"" if self._shipped is None else self._shipped.read_bytes()
        except OSError:
            return {}
        return msgspec.msgpack.decode(content, type=dict[str, msgspec.Raw]) if content else {}

    @functools.cached_property
    def _files(self) -> dict[str, _Kept]:
        content = read(self._store)
        if content is None:
            return {}
        try:
            store = msgspec.msgpack.decode(content, type=_Store)
        except msgspec.DecodeError:  # of another version that kept it in another form
            return {}
        return store.files if store.clprobe == __version__ else {}

    def _write(self) -> None:
        there = {key: kept for key, kept in self._files.items() if (self._root / key).exists()}
        store = _Store(__version__, str(self._root), there)
        with private_folder(self._store.parent, may_make=1) as folder:
            folder.write(self._store.name, msgspec.msgpack.encode(store))
            # What is kept for installations that are gone goes.
            folder.prune(
                is_of_use=lambda name: not _is_kept_here(name) or is_of_installation(folder, name)
            )


class Database:
    """The parsed files of clprobe's own rules database: its tables, and all else."""

    def __init__(self, root: Path, shipped: Path) -> None:
        self._tables = f"{root / _TABLES}{os.sep}"
        self._of_tables = ParsedFiles(root, _store(OF_TABLES), shipped)
        self._others = ParsedFiles(root, _store(NAMES), shipped)

    def parsed(self, path: Path, parse: Callable[[Path], Any]) -> Any:
        """Return what `ParsedFiles.parsed` does."""
        is_table = str(path).startswith(self._tables)
        return (self._of_tables if is_table else self._others).parsed(path, parse)

    def save(self) -> None:
        """Write what was parsed anew, as `ParsedFiles.save` does."""
        self._of_tables.save()
        self._others.save()


def _is_kept_here(name: str) -> bool:
    return fnmatch(name, NAMES) or fnmatch(name, OF_TABLES)


def is_of_installation(folder: PrivateFolder, name: str) -> bool:
    """Tell whether a file that names its installation as `root` is of one that is still there."""
    content = folder.read(name, touch=False)
    try:
        return Path(msgspec.msgpack.decode(content or b"", type=_Origin).root).is_dir()
    except msgspec.DecodeError:
        return False


def signature_of(status: os.stat_result) -> _Signature:
    """Return what changes whenever a file does."""
    # The time of change cannot be set back, as installers do with the time of modification.
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _store(names: str) -> Path:
    # Two installations take no turns in one file.
    name = hashlib.blake2s(str(rules_path()).encode(), digest_size=6).hexdigest()
    return cache_folder(names.replace("*", name))


def ship(files: Iterable[Path], parse: Callable[[Path], Any]) -> None:
    """Write what files of clprobe's own rules database parse to beside it, to come along with it.

    Raises: what `parse` raises; OSError.
    """
    root = rules_path()
    content = {str(path.relative_to(root)): parse(path) for path in sorted(files)}
    parsed_rules_path().write_bytes(msgspec.msgpack.encode(content))


RULES = Database(rules_path(), parsed_rules_path())
"""The files of clprobe's own rules database."""
