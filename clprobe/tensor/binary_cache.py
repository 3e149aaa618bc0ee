# SPDX-License-Identifier: MIT
"""Built programs on disk, so that a kernel is compiled once per source, options, device and driver.

A binary is code that a driver runs with our rights, so only files are read that lie in a folder of
our own which nobody else can write to. A file that is damaged, or not the one that its name says,
counts as absent and is replaced. Whatever goes wrong with the disk, kernels are built without it.

PoCL keeps the machine code of a kernel, but compiles its source anew in every process: 50 ms where
loading a binary from here takes 2.
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pyopencl as cl

from clprobe.tensor.said import said

SWITCH = "CLPROBE_KERNEL_CACHE"
"""The environment variable that turns the cache off if it is "0"."""
MAX_BYTES = 256 << 20
# Changes when older files are not to be read any more.
_MAGIC = b"clprobe kernel 1\n"
_HASH_BYTES = hashlib.sha256().digest_size


def default_folder() -> Path | None:
    """Return where built programs are kept; None if they are not to be."""
    if os.environ.get(SWITCH) == "0":
        return None
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification wants relative paths ignored.
    parent = Path(base) if Path(base).is_absolute() else Path("~/.cache").expanduser()
    return parent / "clprobe" / "kernels"


def key_of(device: cl.Device, source: str, options: Iterable[str]) -> str:
    """Return the name of a program: a digest of all that its binary depends on."""
    platform = device.platform
    parts = [said(platform, "name"), said(platform, "version")]
    parts += [said(device, one) for one in ("name", "version", "driver_version")]
    digest = hashlib.sha256(_MAGIC)
    for part in (*parts, *options, source):
        # With lengths, so that no two lists of parts read the same.
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


class BinaryCache:
    """A folder of built programs, or none."""

    def __init__(self, folder: Path | None, max_bytes: int = MAX_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    @property
    def keeps(self) -> bool:
        """Say whether anything is kept at all."""
        return self._folder is not None

    def load(self, key: str) -> bytes | None:
        """Return the binary stored under this key, if it is whole."""
        if self._folder is None or not self._is_private(self._folder):
            return None
        path = self._folder / key
        try:
            content = path.read_bytes()
            os.utime(path)  # the least recently used go first
        except OSError:
            return None
        binary = content[len(_MAGIC) + _HASH_BYTES :]
        return binary if content == _framed(key, binary) else None

    def store(self, key: str, binary: bytes) -> None:
        """Keep a binary; readers see all of it or none."""
        if self._folder is None:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_private(self._folder):
                return
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(_framed(key, binary))
            Path(file.name).replace(self._folder / key)
            self._remove_oldest(self._folder)
        except OSError:
            return

    def forget(self, key: str) -> None:
        """Remove a binary that the driver did not take."""
        if self._folder is not None:
            (self._folder / key).unlink(missing_ok=True)

    def _remove_oldest(self, folder: Path) -> None:
        files = [(file.stat(), file) for file in folder.iterdir()]
        total = sum(status.st_size for status, _ in files)
        for status, file in sorted(files, key=lambda each: each[0].st_mtime):
            if total <= self._max_bytes:
                return
            file.unlink(missing_ok=True)
            total -= status.st_size

    @staticmethod
    def _is_private(folder: Path) -> bool:
        """Say whether the folder is ours and nobody else can write to it."""
        try:
            status = folder.lstat()
        except OSError:
            return False
        writable_by_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        return (
            stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not writable_by_others
        )


def _framed(key: str, binary: bytes) -> bytes:
    digest = hashlib.sha256(key.encode() + len(binary).to_bytes(8, "little") + binary).digest()
    return _MAGIC + digest + binary
