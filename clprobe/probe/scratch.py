# SPDX-License-Identifier: MIT
"""Where children write: folders that nobody else may exchange, and memory without a name.

A driver may close every descriptor of its process, and a folder of another user may hide a link
or a pipe behind any name; shared memory survives the one and needs no name for the other.
"""

import contextlib
import fcntl
import os
import resource
import tempfile

from clprobe.private_folders import check_exchangeable

_USUAL = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - looked at before they are used


def scratch_parent() -> str:
    """Return the folder for temporary files, TMPDIR's if no other user may rename what lies there.

    A folder that `sudo -E` leaves in TMPDIR belongs to the caller, who could replace what is made
    in it; such a folder is passed over for the usual ones.

    Raises: OSError if there is no such folder.
    """
    wanted = tempfile.gettempdir()
    for folder in (wanted, *_USUAL):
        if is_safe(folder) and os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise OSError(f"there is no folder for temporary files that others cannot change: {wanted}")


def is_safe(folder: str) -> bool:
    """Tell whether only this user and root may rename what this user makes in the folder."""
    try:
        descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        # There is another folder to take, so no group is trusted.
        check_exchangeable(descriptor, own_group_may_write=False)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


SIZE_BYTES = 8 << 20
"""Room for the report of a child; only what is written takes memory."""

_SEALS = ("F_SEAL_GROW", "F_SEAL_SHRINK", "F_SEAL_SEAL")


class ReportMemory:
    """Memory for one child's report, by its descriptor; nobody can make it longer or shorter."""

    def __init__(self) -> None:
        """Make it.

        Raises: OSError if the system gives none.
        """
        self.descriptor = _memory_file()
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        size = SIZE_BYTES if limit == resource.RLIM_INFINITY else min(SIZE_BYTES, limit)
        try:
            os.ftruncate(self.descriptor, size)
        except OSError:
            self.close()
            raise
        # Were it cut short, whoever writes or reads it would end by SIGBUS; a file has no seals.
        with contextlib.suppress(OSError):
            seals = sum(getattr(fcntl, name) for name in _SEALS)
            fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, seals)

    def take(self) -> bytes:
        """Return what was written, and give the memory back.

        NUL bytes inside stay: somebody wiped a part of it.
        """
        try:
            return self.peek()
        finally:
            self.close()

    def peek(self) -> bytes:
        """Return what was written by now."""
        # Pages that nobody wrote to are holes, and no page is written before its neighbour.
        used = min(os.lseek(self.descriptor, 0, os.SEEK_HOLE), SIZE_BYTES)
        return os.pread(self.descriptor, used, 0).rstrip(b"\0")

    def close(self) -> None:
        """Give the memory back."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def _memory_file() -> int:
    """Return an open file without a name: in memory, or where that is not offered, removed."""
    try:
        return os.memfd_create("clprobe-report", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except (AttributeError, OSError):  # an old C library, a policy (sysctl vm.memfd_noexec)
        with tempfile.TemporaryFile(dir=scratch_parent()) as file:
            return os.dup(file.fileno())
