# SPDX-License-Identifier: MIT
"""The files of a folder, or of a pattern such as `snapshots/*.json`, that somebody hands over."""

import glob
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from clprobe.model.errors import ClprobeError

MOST_FILES = 100


def holds_several(name: str) -> bool:
    """Whether it is a folder or a pattern, not a file."""
    if name == "-":
        return False
    try:
        path = Path(name)
        return path.is_dir() or (glob.has_magic(name) and not path.exists())
    except (OSError, ValueError):  # whoever reads it tells
        return False


def files_of(name: str, *, most: int = MOST_FILES) -> list[Path]:
    """Return the files in the folder and below it, or of the pattern, by name.

    Raises: ClprobeError if there are none, more than `most`, or they cannot be read.
    """
    found = list(islice(paths_in(name), most + 1))
    if len(found) > most:
        raise ClprobeError(
            reference="folder-too-large",
            message=f"{name} holds more than {most:,} files, the most that are read.",
            hint="Put the files that matter into a folder of their own.",
        )
    if not found:
        raise ClprobeError(
            reference="folder-empty",
            message=f"{name} holds no file that could be read.",
            hint="Put the output of the commands that matter into it, or a snapshot.",
        )
    return found


def paths_in(name: str) -> Iterator[Path]:
    """Yield the files in the folder and below it, or of the pattern, by name.

    Hidden ones are left out, what is no file, and links unless a pattern asks for them.

    Raises: ClprobeError if a folder cannot be read.
    """
    if not Path(name).is_dir():
        # Not Path.glob, which takes no pattern from the root and follows hidden folders.
        matching = glob.glob(name, recursive=True)  # noqa: PTH207
        yield from filter(Path.is_file, map(Path, sorted(matching)))
        return
    for place, folders, names in os.walk(name, onerror=_unreadable):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        paths = (Path(place, one) for one in sorted(names) if not one.startswith("."))
        yield from (path for path in paths if path.is_file() and not path.is_symlink())


def _unreadable(error: OSError) -> None:
    raise ClprobeError(
        reference="snapshot-unreadable",
        message=f"{error.filename}: {error.strerror}.",
        hint="Name a folder that you may read, or a file.",
    ) from error
