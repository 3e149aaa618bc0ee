# SPDX-License-Identifier: MIT
"""Finds a folder that belongs to this user alone, for files that programs will trust."""

from clprobe.model.errors import ClprobeError
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask
from clprobe.probe.host import Host, Identity

_WRITABLE_BY_GROUP, _WRITABLE_BY_ALL = 0o020, 0o002


def private_folder(host: Host) -> str:
    """Return XDG_RUNTIME_DIR or the cache folder, whichever this user owns and nobody else writes.

    Libraries named in it are loaded into programs, so neither /tmp will do, nor the folders of
    another user that `sudo -E` or `su` leave in the environment.

    Raises: ClprobeError if there is none.
    """
    environment, identity = host.environment(), host.identity()
    runtime, cache = environment.get("XDG_RUNTIME_DIR", ""), environment.get("XDG_CACHE_HOME", "")
    for folder in (runtime, cache):
        if _is_private(host, folder, identity):
            return folder.rstrip("/")
    for home in (environment.get("HOME", ""), host.home_folder(identity.uid) or ""):
        # ~/.cache itself need not exist yet; the shell lines make it.
        if _is_private(host, home, identity):
            return f"{home.rstrip('/')}/.cache"
    raise ClprobeError(
        reference="no-private-folder",
        message="Neither XDG_RUNTIME_DIR nor the home folder is a folder that only you can write.",
        hint="export XDG_RUNTIME_DIR=$(mktemp -d), then run clprobe env again.",
    )


def _is_private(host: Host, folder: str, identity: Identity) -> bool:
    if not folder.startswith("/"):
        return False
    status = ask(host.status, folder)
    if isinstance(status, Unknown) or status.kind != "directory" or status.uid != identity.uid:
        return False
    # Many systems give each user a group of their own and let it write.
    shared = status.mode & _WRITABLE_BY_GROUP and status.gid != identity.gid
    return not shared and not status.mode & _WRITABLE_BY_ALL
