# SPDX-License-Identifier: MIT
"""Who may reach and open a file: what the system compares when somebody opens it."""

from typing import Annotated

from clprobe.model.fact import FactStruct, described
from clprobe.model.unknown import NOT_STATED, Fact


class Folder(FactStruct, frozen=True, kw_only=True):
    """A folder on the way to a file; whoever may not search it reaches nothing inside."""

    path: Annotated[str, described("such as /dev/dri")]
    uid: Annotated[Fact[int], described("owner's user id", "stat {path}")] = NOT_STATED
    owner: Annotated[Fact[str | None], described("owner's name; null: none", "stat {path}")] = (
        NOT_STATED
    )
    gid: Annotated[Fact[int], described("group id", "stat {path}")] = NOT_STATED
    group: Annotated[Fact[str | None], described("group name; null: none", "stat {path}")] = (
        NOT_STATED
    )
    mode: Annotated[Fact[str], described("permission bits as four octal digits", "stat {path}")] = (
        NOT_STATED
    )
    acl: Annotated[
        Fact[tuple[str, ...]],
        described("access list entries beyond the mode; []: none", "getfacl {path}"),
    ] = NOT_STATED


class FileAccess(FactStruct, frozen=True, kw_only=True):
    """Owner, mode and access list of a file, and the folders on the way that are not for all."""

    uid: Annotated[Fact[int], described("owner's user id", "stat")] = NOT_STATED
    owner: Annotated[
        Fact[str | None], described("owner's name; null: the id has no name here", "stat")
    ] = NOT_STATED
    gid: Annotated[Fact[int], described("group id", "stat")] = NOT_STATED
    group: Annotated[
        Fact[str | None], described("group name; null: the id has no name here", "stat")
    ] = NOT_STATED
    mode: Annotated[
        Fact[str], described("permission bits as four octal digits, such as 0644", "stat")
    ] = NOT_STATED
    acl: Annotated[
        Fact[tuple[str, ...]],
        described(
            "access list entries beyond the mode, such as user:alice:rw-, group::r--, mask::rw-; "
            "[]: none",
            "getfacl",
        ),
    ] = NOT_STATED
    closed_folders: Annotated[
        Fact[tuple[Folder, ...]],
        described(
            "folders on the way to it that not everybody may search; []: none; not stated: taken "
            "as none",
            "stat of each folder",
        ),
    ] = NOT_STATED
