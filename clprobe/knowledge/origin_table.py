# SPDX-License-Identifier: MIT
"""What a file of rules/tables/origins means: a package repository of somebody else's."""

import msgspec

from clprobe.knowledge.table_types import Entry


class Repository(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What apt is told: a flat repository has the suite "/" and no components."""

    uri: str
    suite: str
    components: tuple[str, ...] = ()


class Origin(Entry, frozen=True, kw_only=True):
    """A third party's repository, by release; `name` completes "it adds …".

    `fingerprint` is that of the key that signs it, 40 hexadecimal digits. Without one that a
    source vouches for, nothing is taken from there, and `note` says so.
    """

    origin: str
    name: str
    maker: str
    key_url: str
    repositories: dict[str, Repository]
    fingerprint: str | None = None
    note: str | None = None
