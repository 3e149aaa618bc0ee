# SPDX-License-Identifier: MIT
"""Finds a folder that belongs to this user alone, for files that programs will trust."""

from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask
from clprobe.probe.host import Host

_WRITABLE_BY_OTHERS = 0o022


def private_folder(host: Host) -> str:
    """Return XDG_RUNTIME_DIR or the cache folder, whichever this user owns and nobody else writes.

    Libraries named in it are loaded into programs, so neither /tmp will do, nor the folders of
    another user that `sudo -E` or `su` leave in the environment.

    Raises: ClprobeError if there is none.
    """
    environment = host.environment()
    uid = host.identity().uid
    home = environment.get("HOME") or host.home_folder(uid) or ""
    runtime, cache = environment.get("XDG_RUNTIME_DIR", ""), environment.get("XDG_CACHE_HOME", "")
    if _is_private(host, runtime, uid):
        return runtime.rstrip("/")
    for folder, made_in in ((cache, cache), (f"{home}/.cache", home)):
        # ~/.cache itself need not exist yet; the shell lines make it.
        if _is_private(host, folder, uid) or _is_private(host, made_in, uid):
            return folder.rstrip("/")
    raise ClprobeError(
        reference="no-private-folder",
        message="Neither XDG_RUNTIME_DIR nor the home folder is a folder that only you can write.",
        hint="export XDG_RUNTIME_DIR=$(mktemp -d), then run clprobe env again.",
    )


def _is_private(host: Host, folder: str, uid: int) -> bool:
    if not folder.startswith("/"):
        return False
    status = ask(host.status, folder)
    return (
        not isinstance(status, Unknown)
        and status.kind == "directory"
        and status.uid == uid
        and not status.mode & _WRITABLE_BY_OTHERS
    )
