# SPDX-License-Identifier: MIT
"""The files of a folder that somebody hands over as one report."""

import os
from pathlib import Path

from clprobe.model.errors import ClprobeError

MOST_FILES = 100


def files_of(folder: Path) -> list[Path]:
    """Return the files in the folder and below it, by name.

    Hidden ones, links and what is no file are left out.

    Raises: ClprobeError if it holds none, more than `MOST_FILES`, or cannot be read.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        paths = (Path(place, name) for name in sorted(names) if not name.startswith("."))
        found += [path for path in paths if path.is_file() and not path.is_symlink()]
        if len(found) > MOST_FILES:
            raise ClprobeError(
                reference="folder-too-large",
                message=f"{folder} holds more than {MOST_FILES} files, the most that are read.",
                hint="Put the files that matter into a folder of their own.",
            )
    if not found:
        raise ClprobeError(
            reference="folder-empty",
            message=f"{folder} holds no file that could be read.",
            hint="Put the output of the commands that matter into it, or a snapshot.",
        )
    return found


def _unreadable(error: OSError) -> None:
    raise ClprobeError(
        reference="snapshot-unreadable",
        message=f"{error.filename}: {error.strerror}.",
        hint="Name a folder that you may read, or a file.",
    ) from error
