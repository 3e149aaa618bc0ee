# SPDX-License-Identifier: MIT
"""Who may reach and open a file: its owner, mode and access list, and those of its folders."""

import errno
import functools
import struct
from typing import Any

from msgspec.structs import replace

from clprobe.model.access import FileAccess, Folder
from clprobe.model.opencl import Icd
from clprobe.model.placeholders import is_person
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, reason, unknown_part
from clprobe.probe.host import FileStatus, Host

_SEARCHABLE_BY_ALL = 0o111


class AccessReader:
    """Reads files' access facts; remembers folders, which many files share."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._closed = functools.cache(self._looked_at)

    def access(self, path: str) -> FileAccess:
        """Return who may reach and open the file behind the path, its links followed."""
        status = ask(self._host.status, path)
        return FileAccess(
            **permissions(self._host, path, status), closed_folders=self.closed_folders(path)
        )

    def closed_folders(self, path: str) -> tuple[Folder, ...]:
        """Return the folders on the way to the path that not everybody may search."""
        # A link may lead through folders of its own, so both ways count.
        ways = (path, ask(self._host.real_path, path))
        absolute = [way for way in ways if isinstance(way, str) and way.startswith("/")]
        names = dict.fromkeys(folder for way in absolute for folder in _above(way))
        folders = (self._closed(name) for name in names)
        return tuple(folder for folder in folders if folder is not None)

    def _looked_at(self, path: str) -> Folder | None:
        status = ask(self._host.status, path)
        if isinstance(status, Unknown):
            # Behind a closed folder nothing can be seen, and that folder is in the list already.
            return None
        is_open = status.mode & _SEARCHABLE_BY_ALL == _SEARCHABLE_BY_ALL
        if is_open and not read_access_list(self._host, path):
            return None
        return Folder(path=path, **permissions(self._host, path, status))


def permissions(host: Host, path: str, status: FileStatus | Unknown) -> dict[str, Any]:
    """Return owner, group, mode and access list, which all are unknown where the status is."""
    if isinstance(status, Unknown):
        return dict.fromkeys(("uid", "owner", "gid", "group", "mode", "acl"), status)
    return {
        "uid": status.uid,
        "owner": ask(host.user_name, status.uid),
        "gid": status.gid,
        "group": ask(host.group_name, status.gid),
        "mode": f"{status.mode:04o}",
        "acl": read_access_list(host, path),
    }


def _above(path: str) -> list[str]:
    """Return the folders above an absolute path, the root first."""
    parts = path.strip("/").split("/")[:-1]
    return ["/", *("/" + "/".join(parts[: count + 1]) for count in range(len(parts)))]


def with_access(host: Host, icds: tuple[Icd, ...]) -> tuple[Icd, ...]:
    """Return the ICDs with who may read their files and libraries."""
    reader = AccessReader(host)
    return tuple(_with_access(reader, icd) for icd in icds)


def _with_access(reader: AccessReader, icd: Icd) -> Icd:
    read = ask(_icd, reader, icd)
    if not isinstance(read, Unknown):
        return read
    access = unknown_part(FileAccess, read)
    return replace(icd, file_access=access, library=replace(icd.library, access=access))


def _icd(reader: AccessReader, icd: Icd) -> Icd:
    path = icd.library.path
    library = icd.library
    if isinstance(path, str) and path.startswith("/"):
        library = replace(library, access=reader.access(path))
    return replace(icd, file_access=reader.access(icd.path), library=library)


_ATTRIBUTE = "system.posix_acl_access"
_NONE = (errno.ENODATA, errno.EOPNOTSUPP)
# Entry kinds of linux/posix_acl_xattr.h; owner and other repeat the permission bits, while the
# group bits of the mode hold the mask, so that the owning group's rights stand in the list alone.
_USER, _OWN_GROUP, _GROUP, _MASK = 0x02, 0x04, 0x08, 0x10


def read_access_list(host: Host, path: str) -> tuple[str, ...] | Unknown:
    """Return the entries beyond the mode, as getfacl writes them; empty if there is no list."""
    try:
        raw = host.attribute(path, _ATTRIBUTE)
    except OSError as error:
        return () if error.errno in _NONE else Unknown(reason(error))
    return tuple(
        _entry(host, kind, permissions, number)
        for kind, permissions, number in parse_acl(raw)
        if kind in (_USER, _OWN_GROUP, _GROUP, _MASK)
    )


def parse_acl(raw: bytes) -> list[tuple[int, int, int]]:
    """Return (kind, permissions, id) of each entry; none if the version is not the known one."""
    known_version = 2
    if len(raw) < 4 or struct.unpack_from("<I", raw)[0] != known_version:
        return []
    whole = len(raw) - (len(raw) - 4) % 8
    return [struct.unpack_from("<HHI", raw, at) for at in range(4, whole, 8)]


def _entry(host: Host, kind: int, permissions: int, number: int) -> str:
    letters = "".join(
        letter if permissions & bit else "-" for letter, bit in (("r", 4), ("w", 2), ("x", 1))
    )
    if kind == _MASK:
        return f"mask::{letters}"
    if kind == _OWN_GROUP:
        return f"group::{letters}"
    what, find = ("user", host.user_name) if kind == _USER else ("group", host.group_name)
    # A person's number says as much as the name, and tells nobody who it is.
    name = None if is_person(number) else ask(find, number)
    return f"{what}:{name if isinstance(name, str) else number}:{letters}"
