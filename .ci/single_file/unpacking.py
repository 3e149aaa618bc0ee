# SPDX-License-Identifier: MIT
"""Unpacks clprobe.pyz, and compiles what it unpacked: into the cache, or a temporary folder."""

import compileall
import contextlib
import fcntl
import importlib.machinery
import io
import mmap
import os
import platform
import py_compile
import shutil
import signal
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from private_folders import open_private_folder
from signatures import last_use, note

MODULES = "modules.tar.xz"
CORE = "_core"
"""What is compiled of msgspec: one file for each Python, architecture and C library."""
UNUSED_DAYS = 30
_NEW = "single-file-new-"
_PATIENCE_S, _A_MOMENT_S = 60, 0.1


class UnfitError(Exception):
    """Why it cannot be run here, for the user."""


def into_cache(file: str, folder: Path, is_believed: Callable[[Path], bool]) -> Path:
    """Return the folder, with all in it: unpacked anew, unless another run was faster.

    Raises: UnfitError; OSError where it cannot be written, or run from there; KeyboardInterrupt.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):  # so that nothing half unpacked stays
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    with _one_at_a_time(folder.parent):
        if is_believed(folder):
            return folder
        # Whatever lies in its place is not believed.
        _remove(folder)
        new = Path(tempfile.mkdtemp(prefix=_NEW, dir=folder.parent))
        try:
            _unpack(file, new, folder)
            new.rename(folder)
        except BaseException:
            _remove(new)
            raise
        _prune(folder)
    return folder


def into_temporary(file: str, because: str) -> Path:
    """Return a temporary folder with all in it; it goes when this process ends, however it does.

    Raises: UnfitError, also where no folder serves; `because` says why the cache did not.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="clprobe-"))
        _remove_at_end(folder)
        os.close(open_private_folder(folder))
        _unpack(file, folder, folder)
    except OSError as error:
        problem = f"{tempfile.gettempdir()}: {error.strerror or error}"
        hint = "Let XDG_CACHE_HOME name a folder of yours where programs may be run."
        raise UnfitError(f"it cannot be unpacked; {because}; {problem}. {hint}") from error
    return folder


def _unpack(file: str, folder: Path, final: Path) -> None:
    """Write all into `folder`, which will be called `final`."""
    core = f"{CORE}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    kept = with_c_library(core)
    try:
        with zipfile.ZipFile(file) as archive:
            if kept not in archive.namelist():
                raise UnfitError(_no_core(archive))
            compiled, packed = archive.read(kept), archive.read(MODULES)
    except (zipfile.BadZipFile, EOFError) as error:
        raise UnfitError(f"{file} is damaged: {error}") from error
    modules = folder / "modules"
    with tarfile.open(fileobj=io.BytesIO(_decompressed(packed)), mode="r:") as tree:
        for member in tree:
            content = tree.extractfile(member)
            if content is not None:
                _write(modules / member.name, content.read())
    place = modules / "msgspec" / core
    _write(place, compiled)
    with place.open("rb") as opened:  # PermissionError where the file system is mounted noexec
        mmap.mmap(opened.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
    # For Python without -O, with which drivers' children run in any case.
    compileall.compile_dir(
        modules,
        ddir=str(final / "modules"),
        quiet=2,
        optimize=0,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    note(str(folder))


def with_c_library(core: str) -> str:
    """Return under which name it is kept: with musl, Python 3.10 calls it as with glibc."""
    has_glibc = "CS_GNU_LIBC_VERSION" in os.confstr_names
    return core if has_glibc else core.replace("-linux-gnu", "-linux-musl")


def _decompressed(packed: bytes) -> bytes:
    try:
        import lzma  # noqa: PLC0415 - there are Pythons without it
    except ImportError as error:
        raise UnfitError(f"this Python was built without lzma: {error}") from error
    return lzma.decompress(packed)


def _no_core(archive: zipfile.ZipFile) -> str:
    cores = [name.split(".")[1] for name in archive.namelist() if name.startswith(f"{CORE}.")]
    this = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"this file runs with {', '.join(sorted(cores))}, and here is {this} on"
        f" {platform.machine()}. Install clprobe with pip, or take another Python."
    )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(content)


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait until no other run unpacks; raises OSError if that takes too long."""
    descriptor = open_private_folder(folder)
    try:
        ends = time.monotonic() + _PATIENCE_S
        while not _is_locked(descriptor, must_be=time.monotonic() > ends):
            time.sleep(_A_MOMENT_S)
        yield
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int, *, must_be: bool) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if must_be:
            raise
        return False
    return True


def _prune(kept: Path) -> None:
    """Remove other releases that were not used for long, and what killed runs left."""
    for folder in kept.parent.glob("single-file-*"):
        with contextlib.suppress(OSError):
            # Nobody else unpacks now, so one with the name of a new one is abandoned.
            is_new = folder.name.startswith(_NEW)
            if is_new or time.time() - last_use(str(folder)) > UNUSED_DAYS * 86400:
                _remove(folder)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _remove_at_end(folder: Path) -> None:
    """Start a process that removes the folder once this one has ended, by a signal too."""
    reading, _ = os.pipe()  # the other end stays open here, and no program that is started gets it
    child = os.fork()
    if child:
        os.close(reading)
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            os.dup2(reading, 3)
            os.closerange(4, 1 << 16)
            os.read(3, 1)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)
