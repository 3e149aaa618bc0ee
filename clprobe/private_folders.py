# SPDX-License-Identifier: MIT
"""Opens and makes folders that nobody else can write to, or exchange for another one."""

import os
import stat
from pathlib import Path

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_OVERFLOW_UID = "/proc/sys/kernel/overflowuid"
_UID_MAP = "/proc/self/uid_map"
_ALL_UIDS = "4294967295"
_MOST_LINKS = 40
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def open_private_folder(path: Path, may_make: int = 0) -> int:
    """Return the descriptor of a folder of this user alone.

    Where it is missing, it and folders above it are made, `may_make` of them at most, inside a
    folder of this user's own. Raises: OSError, also for one that is not private.
    """
    descriptor = _opened(path, may_make, os.O_NOFOLLOW)
    try:
        _check(path, descriptor)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def make_private_folder(path: Path, may_make: int) -> None:
    """Make a folder, and those above it that are missing, for this user alone.

    Raises: OSError, also where more are missing or the last one there is somebody else's.
    """
    os.close(_opened(path, may_make, 0))


def why_not_private(path: Path) -> str | None:
    """Return why what is in a folder is not believed; None if it is, or there is no folder."""
    try:
        os.close(open_private_folder(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        return error.strerror or str(error)
    return None


def _opened(path: Path, may_make: int, follow: int) -> int:
    try:
        return os.open(path, _FOLDER | follow)
    except FileNotFoundError:
        if may_make == 0:
            raise
    above = _opened(path.parent, may_make - 1, 0)
    try:
        # Under sudo, HOME may be somebody else's: root must not own a folder in there.
        if os.fstat(above).st_uid != os.geteuid():
            raise PermissionError(0, f"{path.parent} belongs to user {os.fstat(above).st_uid}")
        check_exchangeable(above)
        try:
            os.mkdir(path.name, 0o700, dir_fd=above)
        except FileExistsError:  # another run was faster
            return os.open(path.name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
        made = os.open(path.name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
        os.fchmod(made, 0o700)  # whatever the umask takes, and a folder above adds
        return made
    finally:
        os.close(above)


def _check(path: Path, descriptor: int) -> None:
    """Raise PermissionError unless the folder and all those above it are safe."""
    status = os.fstat(descriptor)
    if status.st_uid != os.geteuid():
        raise PermissionError(0, f"{path} belongs to user {status.st_uid}")
    if status.st_mode & WRITABLE_BY_OTHERS:
        raise PermissionError(0, f"others can write to {path}")
    check_exchangeable(descriptor)


def check_exchangeable(descriptor: int, *, own_group_may_write: bool = True) -> None:
    """Raise PermissionError if another user can exchange what lies in this folder, or above it.

    By "..", not by name: what is above where the links of a path have led counts. Many systems
    give each user a group of their own and let it write.
    """
    trusted = _trusted_owners()
    folder, below = os.dup(descriptor), None
    try:
        while (status := os.fstat(folder)) and (status.st_dev, status.st_ino) != below:
            if status.st_uid not in trusted:
                raise PermissionError(0, f"a folder above it belongs to user {status.st_uid}")
            if _lets_others_rename(status, own_group_may_write=own_group_may_write):
                raise PermissionError(0, "others can write to a folder above it")
            below = status.st_dev, status.st_ino
            above = os.open("..", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = above
    finally:
        os.close(folder)


def why_others_decide(path: Path, *, follow: bool = True) -> str | None:
    """Return why others can change where an absolute path leads; None: only root and this user can.

    Every folder and link on the way counts, and where links lead. In the last folder nobody else
    may put anything at all, as in /tmp. What is missing ends the way; so does, without `follow`, a
    link of the path's own name.

    Raises: OSError where this user cannot look.
    """
    trusted, at, rest, followed = _trusted_owners(), Path("/"), list(path.parts[1:]), 0
    while rest:
        name, *rest = rest
        if _is_open_to_others(at.lstat(), is_last=not rest):
            return f"others can write to {at}"
        at = at.parent if name == ".." else at / name
        try:
            status = at.lstat()
        except FileNotFoundError:
            is_open = _is_open_to_others(at.parent.lstat(), is_last=True)
            return f"others can write to {at.parent}" if is_open else None
        if status.st_uid not in trusted:
            return f"{at} belongs to user {status.st_uid}"
        if stat.S_ISLNK(status.st_mode) and (rest or follow):
            followed += 1
            if followed > _MOST_LINKS:
                return f"{path} leads in a circle"
            target = at.readlink()
            rest = [*(part for part in target.parts if part != "/"), *rest]
            at = Path("/") if target.is_absolute() else at.parent
    return None


def _is_open_to_others(status: os.stat_result, *, is_last: bool) -> bool:
    if is_last and status.st_mode & stat.S_ISVTX:
        return bool(status.st_mode & WRITABLE_BY_OTHERS)
    return _lets_others_rename(status, own_group_may_write=True)


def _lets_others_rename(status: os.stat_result, *, own_group_may_write: bool) -> bool:
    if status.st_mode & stat.S_ISVTX:  # as /tmp
        return False
    is_own_group = own_group_may_write and status.st_gid in (0, os.getegid())
    return bool(status.st_mode & (stat.S_IWOTH if is_own_group else WRITABLE_BY_OTHERS))


def _trusted_owners() -> set[int]:
    """Return this user, root, and in a user namespace those whom it does not know: the host's."""
    trusted = {0, os.geteuid()}
    try:
        if _ALL_UIDS not in Path(_UID_MAP).read_text(encoding="ascii").split():
            trusted.add(int(Path(_OVERFLOW_UID).read_text(encoding="ascii")))
    except (OSError, ValueError):  # no /proc in this container
        trusted.add(os.stat("/").st_uid)  # noqa: PTH116 - the host's root, if it is not known here
    return trusted
