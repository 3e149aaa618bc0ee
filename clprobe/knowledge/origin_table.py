# SPDX-License-Identifier: MIT
"""What a file of rules/tables/origins means: a package repository of somebody else's."""

import msgspec

from clprobe.knowledge.table_types import Distribution, Enabling, Entry


class Repository(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What apt is told: a flat repository has the suite "/" and no components.

    With `pin`, apt's word for what it holds, its packages come before the distribution's own.
    """

    uri: str
    suite: str
    components: tuple[str, ...] = ()
    pin: str | None = None


class Origin(Entry, frozen=True, kw_only=True):
    """A third party's repository, by release; `name` completes "it adds …".

    `fingerprint` is that of the first key in the file, 40 hexadecimal digits, and
    `other_fingerprints` are those of the keys after it. Without one that a source vouches for,
    nothing is taken from there, and `note` says so. `enabling`, by release or
    distribution, are the steps of package managers other than apt; `note` says what vouches for it
    there.
    """

    origin: str
    name: str
    maker: str
    key_url: str
    repositories: dict[str, Repository] = msgspec.field(default_factory=dict)
    enabling: dict[str, tuple[Enabling, ...]] = msgspec.field(default_factory=dict)
    fingerprint: str | None = None
    other_fingerprints: tuple[str, ...] = ()
    note: str | None = None

    def enabled_by(self, release: Distribution) -> tuple[Enabling, ...]:
        """Return the steps for the package manager of that release; () where apt has it."""
        return self.enabling.get(release.key) or self.enabling.get(release.id) or ()
