# SPDX-License-Identifier: MIT
"""POSIX access lists, read from the extended attribute that Linux keeps them in."""

import errno
import struct

from clprobe.model.placeholders import is_person
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, reason
from clprobe.probe.host import Host

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
    if kind == _USER:
        # A person's number says as much as the name, and tells nobody who it is.
        name = None if is_person(number) else ask(host.user_name, number)
        return f"user:{name if isinstance(name, str) else number}:{letters}"
    name = None if is_person(number) else ask(host.group_name, number)
    return f"group:{name if isinstance(name, str) else number}:{letters}"
