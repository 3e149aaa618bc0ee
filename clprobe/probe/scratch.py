# SPDX-License-Identifier: MIT
"""Chooses where temporary folders are made: nobody else may put another in their place."""

import os
import stat
import tempfile
from pathlib import Path

_USUAL = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - looked at before they are used
_OVERFLOW_UID = "/proc/sys/kernel/overflowuid"
_UID_MAP = "/proc/self/uid_map"
_ALL_UIDS = "4294967295"


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
    trusted = _trusted_owners()
    real = Path(os.path.realpath(folder))
    try:
        return all(_keeps_names(place.lstat(), trusted) for place in (real, *real.parents))
    except OSError:
        return False


def _keeps_names(status: os.stat_result, trusted: set[int]) -> bool:
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid in trusted and (not shared or bool(status.st_mode & stat.S_ISVTX))


def _trusted_owners() -> set[int]:
    """Return this user, root, and in a user namespace those whom it does not know: the host's."""
    trusted = {0, os.geteuid()}
    try:
        if _ALL_UIDS not in Path(_UID_MAP).read_text(encoding="ascii").split():
            trusted.add(int(Path(_OVERFLOW_UID).read_text(encoding="ascii")))
    except (OSError, ValueError):  # no /proc in this container
        return trusted
    return trusted
