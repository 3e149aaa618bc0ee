# SPDX-License-Identifier: MIT
"""Keeps PoCL from writing into the user's cache folder where it is only asked what there is."""

import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "POCL_CACHE_DIR"


def with_own_cache(environment: Mapping[str, str], folder: Path) -> Mapping[str, str]:
    """Return an environment in which PoCL's cache lies below `folder`, which is removed later.

    PoCL leaves an empty file there each time it starts. Unchanged where the user names a folder,
    and where PoCL could not write to its own: then it shows no device, and that must be seen.
    """
    if VARIABLE in environment or not _can_be_written(_cache_folder(environment)):
        return environment
    return {**environment, VARIABLE: str(folder / "pocl")}


def _cache_folder(environment: Mapping[str, str]) -> Path:
    """Return where PoCL keeps its cache (lib/CL/pocl_cache.c)."""
    if environment.get("XDG_CACHE_HOME"):
        return Path(environment["XDG_CACHE_HOME"], "pocl/kcache")
    if environment.get("HOME"):
        return Path(environment["HOME"], ".cache/pocl/kcache")
    return Path("/tmp/pocl/kcache")  # noqa: S108 - PoCL's choice


def _can_be_written(folder: Path) -> bool:
    """Whether the folder, or what would be made for it, takes new files and has room for them."""
    for existing in (folder, *folder.parents):
        try:
            room = os.statvfs(existing)
        except FileNotFoundError:
            continue
        except OSError:
            return False
        is_folder = existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
        return is_folder and room.f_bavail > 0
    return False
