# SPDX-License-Identifier: MIT
"""Removes a folder that a driver could write to: however deep, full and closed it is.

Part of the child, too (guardian.py): nothing but the standard library.
"""

import contextlib
import os

_MOST_TRIALS = 5


def remove_tree(top: str) -> None:
    """Remove a folder, or the file that somebody put in its place; links are not followed.

    What resists stays. Every folder inside is moved up before it is entered, so that neither a path
    nor a chain of calls becomes too long.
    """
    for _ in range(_MOST_TRIALS):  # another driver's process may put something in meanwhile
        _try_to_remove(top)
        if not os.path.lexists(top):
            return


def _try_to_remove(top: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(top)  # noqa: PTH108 - a text is all that is needed
    with contextlib.suppress(OSError):
        os.chmod(top, 0o700)  # noqa: PTH101 - see above
    folders = [top]
    for folder in folders:
        with contextlib.suppress(OSError):
            folders += _emptied(folder, top)
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106 - see above


def _emptied(folder: str, top: str) -> list[str]:
    """Remove the files of a folder, and return its folders at their new places."""
    moved = []
    with os.scandir(folder) as listed:
        entries = list(listed)
    for entry in entries:
        with contextlib.suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)  # noqa: PTH108 - see above
                continue
            os.chmod(entry.path, 0o700)  # noqa: PTH101 - see above
            place = f"{top}/{os.urandom(8).hex()}"
            os.rename(entry.path, place)  # noqa: PTH104 - see above
            moved.append(place)
    return moved
