# SPDX-License-Identifier: MIT
"""Chooses where temporary folders are made: nobody else may put another in their place."""

import os
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
