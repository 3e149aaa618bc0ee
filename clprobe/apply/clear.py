# SPDX-License-Identifier: MIT
"""clear(): removes clprobe's own caches, and nothing that --undo or another program needs."""

import os
import shutil
from pathlib import Path

from msgspec.structs import replace

from clprobe.model.leftovers import LeftOver
from clprobe.private_files import cache_folder, private_folder


def clear(found: tuple[LeftOver, ...]) -> tuple[LeftOver, ...]:
    """Remove what `is_cleared`; return what was found, each with how that went."""
    result = tuple(_cleared(one) if one.is_cleared else one for one in found)
    try:
        cache_folder().rmdir()
    except OSError:  # it is not there, or not empty
        return result
    return result


def _cleared(one: LeftOver) -> LeftOver:
    path = Path(one.path)
    try:
        _remove(path)
    except OSError as error:
        return replace(one, problem=f"it could not be removed: {error.strerror or error}")
    if os.path.lexists(path):
        return replace(one, problem="it could not be removed")
    return replace(one, removed=True)


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        with private_folder(path.parent) as folder:
            folder.remove(path.name)
        return
    with private_folder(path):
        shutil.rmtree(path)
