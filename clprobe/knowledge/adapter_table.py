# SPDX-License-Identifier: MIT
"""What a file of rules/tables/adapters means: what shows a picture and cannot compute."""

from clprobe.knowledge.table_types import Entry


class Adapter(Entry, frozen=True, kw_only=True):
    """Display adapters without OpenCL, and `because` says why in half a sentence.

    `ids` are PCI ids, or a vendor's half where all of that vendor's are so. `virtual`: a
    hypervisor's, or no hardware at all.
    """

    name: str
    because: str
    virtual: bool = False
    called: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


class Adapters(Entry, frozen=True, kw_only=True):
    """One file of them."""

    adapters: tuple[Adapter, ...]
