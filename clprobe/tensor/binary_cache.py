# SPDX-License-Identifier: MIT
"""Built programs on disk, so that a kernel is compiled once per source, options, device and driver.

A binary is code that a driver runs with our rights, so it is kept as private_files does: one
that is damaged, somebody else's, or not what its name says counts as absent and is replaced.
Whatever goes wrong with the disk, kernels are built without it.

PoCL keeps the machine code of a kernel, but compiles its source anew in every process: 50 ms where
loading a binary from here takes 2.
"""

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pyopencl as cl

from clprobe.private_files import MAX_FOLDER_BYTES, cache_folder, private_folder, read
from clprobe.tensor.limits import said

SWITCH = "CLPROBE_KERNEL_CACHE"
"""The environment variable that turns the cache off if it is "0"."""
# Changes when older files are not to be read any more.
_MAGIC = b"clprobe kernel 1\n"
# The user's folder for caches, clprobe's in it, and this one.
_MAY_MAKE = 3


def default_folder() -> Path | None:
    """Return where built programs are kept; None if they are not to be."""
    if os.environ.get(SWITCH) == "0":
        return None
    return cache_folder("kernels")


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

    def __init__(self, folder: Path | None, max_bytes: int = MAX_FOLDER_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes

    @property
    def keeps(self) -> bool:
        """Say whether anything is kept at all."""
        return self._folder is not None

    def load(self, key: str) -> bytes | None:
        """Return the binary stored under this key, if it is whole."""
        return None if self._folder is None else read(self._folder / key)

    def store(self, key: str, binary: bytes) -> None:
        """Keep a binary; readers see all of it or none."""
        if self._folder is None:
            return
        with suppress(OSError), private_folder(self._folder, may_make=_MAY_MAKE) as folder:
            folder.write(key, binary)
            folder.prune(self._max_bytes)

    def forget(self, key: str) -> None:
        """Remove a binary that the driver did not take."""
        if self._folder is not None:
            with suppress(OSError), private_folder(self._folder) as folder:
                folder.remove(key)
