# SPDX-License-Identifier: MIT
"""Keeps what drivers compile for us out of the user's own caches."""

import os
from collections.abc import Mapping
from pathlib import Path

_CACHES = {
    "POCL_CACHE_DIR": "pocl/kcache",
    "NEO_CACHE_DIR": "neo_compiler_cache",
    "MESA_SHADER_CACHE_DIR": "mesa_shader_cache",
    "AMD_COMGR_CACHE_DIR": "comgr",
}
"""Where drivers keep what they compile, by the variable that names another folder."""
_OF_NVIDIA = "CUDA_CACHE_PATH"


def with_own_cache(
    environment: Mapping[str, str], folder: Path, *, anew: bool = False
) -> Mapping[str, str]:
    """Return an environment in which drivers' caches lie below `folder`, which is removed later.

    PoCL leaves an empty file in its own each time it starts. Unchanged where the user names a
    folder, and where a driver could not write to its own: PoCL shows no device then, and that must
    be seen. NVIDIA's, with which it makes a context in half the time, is used where there is one,
    unless all is to be compiled `anew`.
    """
    own = {
        variable: str(folder / variable.lower())
        for variable, usual in _CACHES.items()
        if variable not in environment and _can_be_written(_cache_folder(environment) / usual)
    }
    of_nvidia = Path(environment.get("HOME") or "/", ".nv/ComputeCache")
    if _OF_NVIDIA not in environment and (anew or not os.path.isdir(of_nvidia)):  # noqa: PTH112 - Path.is_dir() raises below a closed folder
        own[_OF_NVIDIA] = str(folder / _OF_NVIDIA.lower())
    return {**environment, **own}


def _cache_folder(environment: Mapping[str, str]) -> Path:
    """Return where caches lie: PoCL looks so (lib/CL/pocl_cache.c), the others much alike."""
    if environment.get("XDG_CACHE_HOME"):
        return Path(environment["XDG_CACHE_HOME"])
    if environment.get("HOME"):
        return Path(environment["HOME"], ".cache")
    return Path("/tmp")  # noqa: S108 - PoCL's choice


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
