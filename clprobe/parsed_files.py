# SPDX-License-Identifier: MIT
"""Keeps what the rules database parses to, from one run to the next: YAML is slow to read.

One file in the user's cache folder. A data file whose times, size or inode differ from what was
noted is parsed again, so nothing is ever stale; a cache that cannot be read or written is done
without. Only clprobe's own database is kept: other folders are an author's work and change.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from clprobe import __version__
from clprobe.resources import rules_path

_Signature = tuple[int, int, int, int]


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    signature: _Signature
    content: msgspec.Raw


class _Store(msgspec.Struct, frozen=True):
    clprobe: str
    files: dict[str, _Kept]


class ParsedFiles:
    """The parsed files below `root`, kept in the file `store`."""

    def __init__(self, root: Path, store: Path) -> None:
        self._root = root
        self._store = store
        self._kept: dict[str, _Kept] | None = None
        self._changed = False

    def parsed(self, path: Path, parse: Callable[[Path], Any]) -> Any:
        """Return `parse(path)`, or what it returned while the file was as it is now.

        The result is plain data of the caller's own. Raises: what `parse` raises; OSError if
        there is no such file.
        """
        if not path.is_relative_to(self._root):
            return parse(path)
        key, now = str(path.relative_to(self._root)), _signature(path)
        known = self._files().get(key)
        if known is not None and known.signature == now:
            return msgspec.msgpack.decode(known.content)
        content = parse(path)
        # What changed while it was read is noted as it was before, and so read again next time.
        self._files()[key] = _Kept(now, msgspec.Raw(msgspec.msgpack.encode(content)))
        self._changed = True
        return content

    def save(self) -> None:
        """Write what was parsed anew; without a cache folder of this user's own, do nothing."""
        if not self._changed:
            return
        with contextlib.suppress(OSError):
            self._write()
        self._changed = False

    def _files(self) -> dict[str, _Kept]:
        if self._kept is None:
            self._kept = self._read()
        return self._kept

    def _read(self) -> dict[str, _Kept]:
        try:
            if self._store.stat().st_uid != os.geteuid():
                return {}  # whoever may write it decides what clprobe tells this user to do
            store = msgspec.msgpack.decode(self._store.read_bytes(), type=_Store)
        except (OSError, msgspec.DecodeError):
            return {}
        return store.files if store.clprobe == __version__ else {}

    def _write(self) -> None:
        folder = self._store.parent
        if not folder.is_dir():
            # Under sudo, HOME may be somebody else's: root must not own a folder in there.
            if folder.parent.stat().st_uid != os.geteuid():
                return
            folder.mkdir(mode=0o700)
        elif folder.stat().st_uid != os.geteuid():
            return
        there = {key: kept for key, kept in self._files().items() if (self._root / key).exists()}
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=self._store.name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.msgpack.encode(_Store(__version__, there)))
            Path(name).replace(self._store)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _signature(path: Path) -> _Signature:
    # The time of change cannot be set back, as installers do with the time of modification.
    status = path.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _store() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    home = os.environ.get("HOME", "/nonexistent")
    folder = Path(cache) if cache.startswith("/") else Path(home, ".cache")
    # Two installations take no turns in one file.
    name = hashlib.blake2s(str(rules_path()).encode(), digest_size=6).hexdigest()
    return folder / "clprobe" / f"rules-{name}.msgpack"


RULES = ParsedFiles(rules_path(), _store())
"""The files of clprobe's own rules database."""
