# SPDX-License-Identifier: MIT
"""Keeps what a driver's compiler made of the known-answer kernel, for as long as nothing changes.

Compiling takes drivers 0.2 to 0.8 s of processor time, running 1 ms. A build is believed only while
each file that the driver's process had mapped is the very same, and nothing came into or left the
folders of these files and of PATH, or the package database; in the same boot of the same Linux, for
the same variables. Whatever differs: the kernel is compiled again.
"""

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from clprobe.private_files import cache_folder, private_folder, read
from clprobe.probe.opencl.questions import identity
from clprobe.probe.opencl.reports import Report
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


class _Kept(msgspec.Struct, frozen=True):
    """Builds by device, each after the word for what it computed; files by path, None: absent."""

    builds: dict[str, bytes]
    files: dict[str, _Mark | None]


class KeptBuilds:
    """The builds of one driver, in the environment in which it is asked."""

    def __init__(self, library: str, environment: Mapping[str, str]) -> None:
        self._started_ns = time.time_ns()
        self._usual = _usual_files(environment)
        self._keeps = environment.get(_SWITCH) != "0"
        self._path = cache_folder(FOLDER) / _key(library, environment)
        self._builds = self._believed() if self._keeps else {}

    def give(self, folder: Path) -> None:
        """Write the builds into a folder for a child.

        Raises: OSError
        """
        folder.mkdir()
        for name, build in self._builds.items():
            (folder / name).write_bytes(build)

    def take(self, reports: Iterable[Sequence[Report]]) -> None:
        """Keep what children built anew."""
        fresh: dict[str, bytes] = {}
        paths: set[str] = set()
        for child in reports:
            for facts in _facts(child):
                if "kernel_build" in facts:
                    build = bytes.fromhex(str(facts["kernel_build"]))
                    name = identity(
                        str(facts.get("name", "")), str(facts.get("driver_version", ""))
                    )
                    fresh[name] = str(facts["kernel_result"]).encode() + b"\n" + build
                    paths.update(str(facts["kernel_files"]).splitlines())
        if not fresh or not self._keeps:
            return
        marks = _marks(paths, self._usual)
        if any(max(mark[3:], default=0) >= self._started_ns for mark in marks.values() if mark):
            return  # something was installed meanwhile: nobody knows what the driver met
        kept = msgspec.msgpack.encode(_Kept({**self._builds, **fresh}, marks))
        with suppress(OSError), private_folder(self._path.parent, may_make=_MAY_MAKE) as folder:
            folder.write(self._path.name, kept)
            folder.prune(_MAX_BYTES)

    def _believed(self) -> dict[str, bytes]:
        raw = read(self._path)
        try:
            kept = msgspec.msgpack.decode(raw or b"", type=_Kept)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return {}
        is_same = all(_mark(path) == mark for path, mark in kept.files.items())
        return kept.builds if is_same else {}


def _key(library: str, environment: Mapping[str, str]) -> str:
    variables = (item for item in sorted(environment.items()) if item[0] not in _PASSING)
    try:
        boot = Path(_BOOT).read_text(encoding="ascii")
    except OSError:  # no /proc in this container
        boot = ""
    source = Path(__file__).with_name("known_answer.py").stat()
    parts = (__version__, str(source.st_mtime_ns), boot, os.uname().release, library)
    # surrogateescape: variables need not be UTF-8.
    text = repr((parts, *variables)).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()


def _facts(reports: Sequence[Report]) -> Iterator[dict[str, object]]:
    """Yield what was told of each device."""
    by_place: dict[tuple[int, ...], dict[str, object]] = {}
    for report in reports:
        if "fact" in report and "value" in report:
            by_place.setdefault(tuple(report["at"]), {})[report["fact"]] = report["value"]
    yield from by_place.values()


def _usual_files(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return where compilers and linkers come from that a driver starts, and packages."""
    searched = environment.get("PATH", os.defpath).split(os.pathsep)
    return (*_PACKAGES, *(folder for folder in searched if folder.startswith("/")))


def _marks(mapped: set[str], usual: tuple[str, ...]) -> dict[str, _Mark | None]:
    folders = {path.rpartition("/")[0] or "/" for path in mapped}
    return {path: _mark(path) for path in sorted({*mapped, *folders, *usual})}


def _mark(path: str) -> _Mark | None:
    """Return what changes with a file's content, or with a folder's list; None: it is absent."""
    try:
        status = os.stat(path)  # noqa: PTH116 - there are a hundred of them
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        return (status.st_mode,)  # a GPU's node
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
