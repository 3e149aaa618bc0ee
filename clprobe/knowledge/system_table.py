# SPDX-License-Identifier: MIT
"""What a file of rules/tables/systems means: systems that no file of distributions/ is about."""

from typing import Literal

from clprobe.knowledge.table_types import Entry


class OtherSystem(Entry, frozen=True, kw_only=True):
    """A system without a table of packages; `key` is its name in plans.

    `plan`: "none": nothing can be planned there, `because` of what it says in a sentence or two.
    "linux": only with what needs no package of its own; `because` is then what else to know.
    """

    name: str
    key: str
    plan: Literal["linux", "windows", "none"]
    called: tuple[str, ...] = ()
    because: str | None = None


class Edition(Entry, frozen=True, kw_only=True):
    """Names of what is the distribution `of` that id, in the same version, under another name.

    `manager` is the package manager, where that is another than the distribution's.
    """

    names: tuple[str, ...]
    of: str
    note: str | None = None
    manager: str | None = None


class Systems(Entry, frozen=True, kw_only=True):
    """One file of them."""

    systems: tuple[OtherSystem, ...]
    editions: tuple[Edition, ...]
