# SPDX-License-Identifier: MIT
"""What a file of rules/tables/windows_drivers means: a vendor's driver for Windows."""

import msgspec

from clprobe.knowledge.table_types import Entry


class WindowsDriver(Entry, frozen=True, kw_only=True):
    """A vendor's driver for Windows, which brings OpenCL; `name` completes "install …".

    `page` is where people get it, `note` what to know of it. `not_for` says, by generation or
    family, why it brings no OpenCL there. `inside_wsl2` says what programs under WSL2 get of it.
    """

    vendor: str
    name: str
    page: str
    note: str
    not_for: dict[str, str] = msgspec.field(default_factory=dict)
    inside_wsl2: str | None = None
