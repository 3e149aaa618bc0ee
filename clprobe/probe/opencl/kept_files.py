# SPDX-License-Identifier: MIT
"""Keeps what a child took long for, for as long as no file that it came from changes.

It is believed only while each file that the child's process had mapped or read is the very same,
and nothing came into or left the folders of these files and of PATH, or the package database; in
the same boot of the same Linux, for the same variables.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from clprobe.private_files import cache_folder, private_folder, read
from clprobe.version import __version__

FOLDER = "known-answers"
_SWITCH = "CLPROBE_KERNEL_CACHE"
_MAX_BYTES = 16 << 20
# The user's folder for caches, clprobe's in it, and this one.
_MAY_MAKE = 3
_BOOT = "/proc/sys/kernel/random/boot_id"
# They change from call to call, and no compiler reads them; the last ones are for loaders alone.
_PASSING = (
    "_", "PWD", "OLDPWD", "SHLVL", "LINES", "COLUMNS",
    "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
)  # fmt: skip
_PACKAGES = (
    "/var/lib/dpkg/status", "/var/lib/rpm/rpmdb.sqlite", "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/var/lib/pacman/local", "/lib/apk/db/installed", "/run/current-system",
)  # fmt: skip
_Mark = tuple[int, ...]
T = TypeVar("T")


class _Kept(msgspec.Struct, frozen=True):
    """What is kept, and the marks of files by path, None: absent."""

    content: msgspec.Raw
    files: dict[str, _Mark | None]


class KeptAnswer:
    """What a child told when the module `source` asked `about` something, in an environment."""

    def __init__(self, source: str, about: str, environment: Mapping[str, str]) -> None:
        self._started_ns = time.time_ns()
        self._usual = _usual_files(environment)
        self._keeps = environment.get(_SWITCH) != "0"
        self._path = cache_folder(FOLDER) / _key(source, about, environment)

    def believed(self, kind: type[T]) -> T | None:
        """Return what is kept, as a `kind`; None: there is nothing, or something changed."""
        raw = read(self._path) if self._keeps else None
        try:
            kept = msgspec.msgpack.decode(raw or b"", type=_Kept)
            if any(_mark(path) != mark for path, mark in kept.files.items()):
                return None
            return msgspec.msgpack.decode(kept.content, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def keep(self, content: object, paths: Iterable[str]) -> None:
        """Keep what was told, which came from these files."""
        if not self._keeps:
            return
        marks = _marks(set(paths), self._usual)
        if any(max(mark[3:], default=0) >= self._started_ns for mark in marks.values() if mark):
            return  # something was installed meanwhile: nobody knows what the child met
        kept = msgspec.msgpack.encode(_Kept(msgspec.Raw(msgspec.msgpack.encode(content)), marks))
        with suppress(OSError), private_folder(self._path.parent, may_make=_MAY_MAKE) as folder:
            folder.write(self._path.name, kept)
            folder.prune(_MAX_BYTES)


def _key(source: str, about: str, environment: Mapping[str, str]) -> str:
    variables = (item for item in sorted(environment.items()) if item[0] not in _PASSING)
    try:
        boot = Path(_BOOT).read_text(encoding="ascii")
    except OSError:  # no /proc in this container
        boot = ""
    changed_ns = Path(__file__).with_name(source).stat().st_mtime_ns
    parts = (__version__, source, str(changed_ns), boot, os.uname().release, about)
    # surrogateescape: variables need not be UTF-8.
    text = repr((parts, *variables)).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()


def _usual_files(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return where compilers and linkers come from that a driver starts, and packages."""
    searched = environment.get("PATH", os.defpath).split(os.pathsep)
    return (*_PACKAGES, *(folder for folder in searched if folder.startswith("/")))


def _marks(files: set[str], usual: tuple[str, ...]) -> dict[str, _Mark | None]:
    folders = {path.rpartition("/")[0] or "/" for path in files}
    return {path: _mark(path) for path in sorted({*files, *folders, *usual})}


def _mark(path: str) -> _Mark | None:
    """Return what changes with a file's content, or with a folder's list; None: it is absent."""
    try:
        status = os.stat(path)  # noqa: PTH116 - there are a hundred of them
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        return (status.st_mode,)  # a GPU's node
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
