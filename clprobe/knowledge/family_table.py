# SPDX-License-Identifier: MIT
"""What a file of rules/tables/families means, as a type."""

from typing import Literal

import msgspec

from clprobe.knowledge.table_types import Entry, Support


class Family(Entry, frozen=True, kw_only=True):
    """Chips of AMD or NVIDIA that drivers take up and drop together.

    `names` are regular expressions for what lspci and people call them. `implementations` are the
    versions that drive them, `not_driven_by` says why one never did; of others nothing is known.
    """

    family: str
    vendor: Literal["amd", "nvidia"]
    name: str
    names: tuple[str, ...]
    implementations: dict[str, Support] = msgspec.field(default_factory=dict)
    not_driven_by: dict[str, str] = msgspec.field(default_factory=dict)
