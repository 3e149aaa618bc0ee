# SPDX-License-Identifier: MIT
"""Who may reach and open a file: what the system compares when somebody opens it."""

from typing import Annotated

from clprobe.model.fact import FactStruct, described, fact
from clprobe.model.unknown import Fact


class Folder(FactStruct, frozen=True, kw_only=True):
    """A folder on the way to a file; whoever may not search it reaches nothing inside."""

    path: Annotated[str, described("such as /dev/dri")]
    uid: Fact[int] = fact("owner's user id", "stat {path}")
    owner: Fact[str | None] = fact("owner's name; null: none", "stat {path}")
    gid: Fact[int] = fact("group id", "stat {path}")
    group: Fact[str | None] = fact("group name; null: none", "stat {path}")
    mode: Fact[str] = fact("permission bits as four octal digits", "stat {path}")
    acl: Fact[tuple[str, ...]] = fact(
        "access list entries beyond the mode; []: none", "getfacl {path}"
    )


class FileAccess(FactStruct, frozen=True, kw_only=True):
    """Owner, mode and access list of a file, and the folders on the way that are not for all."""

    uid: Fact[int] = fact("owner's user id", "stat")
    owner: Fact[str | None] = fact("owner's name; null: the id has no name here", "stat")
    gid: Fact[int] = fact("group id", "stat")
    group: Fact[str | None] = fact("group name; null: the id has no name here", "stat")
    mode: Fact[str] = fact("permission bits as four octal digits, such as 0644", "stat")
    acl: Fact[tuple[str, ...]] = fact(
        "access list entries beyond the mode, such as user:alice:rw-, group::r--, mask::rw-; "
        "[]: none",
        "getfacl",
    )
    closed_folders: Fact[tuple[Folder, ...]] = fact(
        "folders on the way to it that not everybody may search; []: none; not stated: taken "
        "as none",
        "stat of each folder",
    )
