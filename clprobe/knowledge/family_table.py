# SPDX-License-Identifier: MIT
"""What a file of rules/tables/families means, as a type."""

from typing import Literal

import msgspec

from clprobe.knowledge.table_types import Entry, Support


class BootNote(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must be done at boot on some Linux, so that the driver's module takes the chips."""

    linux: str
    note: str


class Family(Entry, frozen=True, kw_only=True):
    """Chips of a vendor other than Intel that drivers take up and drop together.

    `names` are regular expressions for what lspci and people call them. `implementations` are the
    versions that drive them, `not_driven_by` says why one never did; of others nothing is known.
    `open_module`: whether they work with the open kernel module; without, they don't.
    `architecture` is that of the machines that have them.
    """

    family: str
    vendor: Literal["amd", "nvidia", "broadcom", "arm", "qualcomm", "apple"]
    name: str
    names: tuple[str, ...]
    implementations: dict[str, Support] = msgspec.field(default_factory=dict)
    not_driven_by: dict[str, str] = msgspec.field(default_factory=dict)
    open_module: Literal["needed", "possible"] | None = None
    boot: tuple[BootNote, ...] = ()
    architecture: str | None = None
