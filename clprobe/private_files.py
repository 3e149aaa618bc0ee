# SPDX-License-Identifier: MIT
"""Files that clprobe wrote and believes later: whole, its own, in folders of this user alone.

Whoever can write such a file decides what clprobe does with the user's rights, so a folder is
opened once, checked, and used by descriptor from then on; a file carries a checksum over its name
and content. Anything wrong makes a file count as absent, and its owner makes it anew.
"""

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from clprobe.private_folders import WRITABLE_BY_OTHERS, open_private_folder

MAX_FILE_BYTES = 64 << 20
MAX_FOLDER_BYTES = 256 << 20
UNUSED_DAYS = 180
"""Files that were not read for so long are pruned."""

_HEADER = b"# clprobe keeps this for itself; sha256 "
_NEW = ".new-"
_ABANDONED_SECONDS = 3600
# No link is followed, no fifo waited for.
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def cache_folder(*names: str) -> Path:
    """Return clprobe's folder below XDG_CACHE_HOME or ~/.cache, or one inside it."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    # The specification wants relative paths ignored.
    base = stated if stated.startswith("/") else os.path.expanduser("~/.cache")  # noqa: PTH111
    # Path.expanduser would raise where an account has no home.
    return Path(base if base.startswith("/") else "/nonexistent/.cache", "clprobe", *names)


@contextlib.contextmanager
def private_folder(path: Path, *, may_make: int = 0) -> Iterator["PrivateFolder"]:
    """Give a folder as `open_private_folder` opens it, which raises OSError."""
    descriptor = open_private_folder(path, may_make)
    try:
        yield PrivateFolder(path, descriptor)
    finally:
        os.close(descriptor)


def read(path: Path) -> bytes | None:
    """Return what `PrivateFolder.write` wrote there, None if there is none to be believed."""
    try:
        with private_folder(path.parent) as folder:
            return folder.read(path.name)
    except OSError:
        return None


def framed(name: str, content: bytes) -> bytes:
    """Return what a file of that name and content holds: a line with the checksum comes first."""
    return _first_line(name, content) + content


def _first_line(name: str, content: "bytes | memoryview") -> bytes:
    digest = hashlib.sha256(b"%d:%b" % (len(os.fsencode(name)), os.fsencode(name)))
    digest.update(content)
    return b"%b%b\n" % (_HEADER, digest.hexdigest().encode())


class PrivateFolder:
    """An open folder of this user alone; names are of files right inside it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def read(self, name: str, *, touch: bool = True) -> bytes | None:
        """Return the content of a file, None if it is not there, not ours, or not whole.

        `touch` notes that it was of use: what was not for long goes first.
        """
        try:
            file = os.open(name, os.O_RDONLY | _SAFELY, dir_fd=self._descriptor)
        except OSError:
            return None
        try:
            whole = _read_own(file)
            content = memoryview(whole)[len(_first_line(name, b"")) :]
            if not whole.startswith(_first_line(name, content)):
                return None
            if touch:
                with contextlib.suppress(OSError):
                    os.utime(file)
        except OSError:
            return None
        finally:
            os.close(file)
        return bytes(content)

    def write(self, name: str, content: bytes) -> None:
        """Replace a file; raises OSError, and then leaves nothing behind."""
        new = f"{_NEW}{os.urandom(8).hex()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY
        file = os.open(new, flags, 0o600, dir_fd=self._descriptor)
        try:
            with os.fdopen(file, "wb") as stream:
                stream.write(framed(name, content))
            with contextlib.suppress(OSError):  # an empty folder may be in the way
                os.rmdir(name, dir_fd=self._descriptor)
            held = self._descriptor
            os.replace(new, name, src_dir_fd=held, dst_dir_fd=held)
        except BaseException:
            self.remove(new)
            raise

    def remove(self, name: str) -> None:
        """Remove a file, if it is there and can be."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._descriptor)

    def files(self) -> dict[str, os.stat_result]:
        """Return the files, links and the like, by name; folders are left out."""
        found = {}
        for name in os.listdir(self._descriptor):  # noqa: PTH208 - by descriptor
            with contextlib.suppress(OSError):
                status = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
                if not stat.S_ISDIR(status.st_mode):
                    found[name] = status
        return found

    def prune(
        self,
        max_bytes: int = MAX_FOLDER_BYTES,
        is_of_use: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Remove what is of no use or was not used for long, then the oldest beyond the limit.

        Raises: OSError.
        """
        now, kept = time.time(), []
        for name, status in self.files().items():
            age = now - status.st_mtime
            if name.startswith(_NEW):  # its writer was killed, or is at work
                stale = age > _ABANDONED_SECONDS
            else:
                stale = age > UNUSED_DAYS * 86400 or not is_of_use(name)
            if stale:
                self.remove(name)
            else:
                kept.append((status.st_mtime, name, status.st_size))
        total = sum(size for *_, size in kept)
        for _, name, size in sorted(kept):
            if total <= max_bytes:
                return
            self.remove(name)
            total -= size


def _read_own(file: int) -> bytes:
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "it is no plain file")
    if status.st_uid != os.geteuid() or status.st_mode & WRITABLE_BY_OTHERS:
        raise OSError(0, "others can write it")
    if status.st_size > MAX_FILE_BYTES + len(framed("", b"")):
        raise OSError(0, "it is too large")
    with os.fdopen(file, "rb", closefd=False) as stream:
        return stream.read(status.st_size + 1)  # one that grows meanwhile is not whole
