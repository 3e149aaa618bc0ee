# SPDX-License-Identifier: MIT
"""library(): the counter that came with the wheel, or one that the C compiler makes once.

It runs inside the programs of this user, so one in the cache is believed only where nobody else
can write, and if it is what was made there.
"""

import contextlib
import hashlib
import mmap
import os
import stat
import tempfile
from pathlib import Path

from clprobe.model.unknown import Fact, Unknown
from clprobe.private_files import PrivateFolder, cache_folder
from clprobe.private_folders import WRITABLE_BY_OTHERS, open_private_folder
from clprobe.watch.counting.compiling import (
    NotMadeError,
    compile_library,
    library_name,
    why_not_here,
)

FOLDER = "counter"
# The user's folder for caches, clprobe's in it, and this one.
_MAY_MAKE = 3
_MOST_BYTES = 4 << 20
# The dynamic linker takes them for the end of a path, and for words of its own.
_OF_THE_LINKER = ":$"
_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def library() -> Fact[Path]:
    """Return the library for LD_AUDIT, Unknown where this machine has none and can make none."""
    reason = why_not_here()
    if reason is not None:
        return Unknown(reason)
    name = library_name()
    packaged = Path(__file__).with_name(name)
    if packaged.is_file() and _why_not_loaded(packaged) is None:
        return packaged
    path = cache_folder(FOLDER) / name
    try:
        descriptor = open_private_folder(path.parent, _MAY_MAKE)
    except OSError as error:
        return Unknown(f"{path.parent} cannot keep the counter: {error.strerror or error}")
    try:
        if not _is_believed(descriptor, path):
            _make(descriptor, path)
    except NotMadeError as error:
        return Unknown(str(error))
    except OSError as error:
        return Unknown(f"{path.parent} cannot keep the counter: {error.strerror or error}")
    finally:
        os.close(descriptor)
    reason = _why_not_loaded(path)
    return path if reason is None else Unknown(reason)


def _why_not_loaded(path: Path) -> str | None:
    if any(letter in str(path) for letter in _OF_THE_LINKER):
        return f"the dynamic linker cannot be given {path}, for its name holds : or $"
    try:
        with path.open("rb") as file:
            mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
    except (OSError, ValueError):
        return f"{path} cannot be run from where it lies (mounted noexec?)"
    return None


def _is_believed(descriptor: int, path: Path) -> bool:
    """Return whether the library is there, is ours, and is what was written."""
    digest = PrivateFolder(path.parent, descriptor).read(_sum_name(path))
    if digest is None:
        return False
    try:
        file = os.open(path.name, os.O_RDONLY | _SAFELY, dir_fd=descriptor)
    except OSError:
        return False
    try:
        status = os.fstat(file)
        is_ours = status.st_uid == os.geteuid() and not status.st_mode & WRITABLE_BY_OTHERS
        if not stat.S_ISREG(status.st_mode) or not is_ours or status.st_size > _MOST_BYTES:
            return False
        with os.fdopen(file, "rb", closefd=False) as stream:
            return hashlib.sha256(stream.read(_MOST_BYTES)).hexdigest().encode() == digest
    finally:
        os.close(file)


def _make(descriptor: int, path: Path) -> None:
    """Compile the library into the folder, and remove those of other versions.

    Raises: NotMadeError, OSError
    """
    with tempfile.TemporaryDirectory(prefix="clprobe-") as made_in:
        made = Path(made_in, path.name)
        compile_library(made)
        content = made.read_bytes()
    folder = PrivateFolder(path.parent, descriptor)
    for name in folder.files():
        folder.remove(name)
    new = f"{path.name}.{os.urandom(8).hex()}"
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY, 0o600, dir_fd=descriptor)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
        with contextlib.suppress(OSError):  # an empty folder may be in the way
            os.rmdir(path.name, dir_fd=descriptor)
        os.replace(new, path.name, src_dir_fd=descriptor, dst_dir_fd=descriptor)
    except BaseException:
        folder.remove(new)
        raise
    folder.write(_sum_name(path), hashlib.sha256(content).hexdigest().encode())


def _sum_name(path: Path) -> str:
    return f"{path.stem}.sum"
