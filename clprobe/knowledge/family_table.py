# SPDX-License-Identifier: MIT
"""What a file of rules/tables/families means, as a type."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from clprobe.knowledge.table_types import Entry, Support

Vendor = Literal["intel", "amd", "nvidia", "arm", "broadcom", "qualcomm", "apple"]


class BootNote(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must be done at boot on some Linux, so that the driver's module takes the chips."""

    linux: str
    note: str


class Family(Entry, frozen=True, kw_only=True):
    """Chips that drivers take up and drop together; of Intel's, those before gpus/.

    `chips` are their PCI ids without the vendor's half, by chip: "73a0-73a3 73bf". `boards` are
    the names that they are sold by, `called` all other names. `implementations` are the versions
    that drive them, `not_driven_by` says why one never did; of others nothing is known.
    `no_opencl_because`: why no driver for OpenCL exists. `open_module`: whether they work with the
    open kernel module; without, they don't. `architecture` is that of the machines that have them.
    """

    family: str
    vendor: Vendor
    name: str
    chips: dict[str, str] = msgspec.field(default_factory=dict)
    boards: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    implementations: dict[str, Support] = msgspec.field(default_factory=dict)
    not_driven_by: dict[str, str] = msgspec.field(default_factory=dict)
    open_module: Literal["needed", "possible"] | None = None
    boot: tuple[BootNote, ...] = ()
    architecture: str | None = None
    no_opencl_because: str | None = None

    def ids(self) -> Iterator[tuple[int, str]]:
        """Yield the second half of each PCI id as a number, with its chip.

        Raises: ValueError as `numbers_in`.
        """
        for chip, text in self.chips.items():
            for number in numbers_in(text):
                yield number, chip


def numbers_in(text: str) -> Iterator[int]:
    """Yield the numbers of hexadecimal ranges such as "73a0-73a3 73bf".

    Raises: ValueError where one is no hexadecimal number.
    """
    for span in text.split():
        first, _, last = span.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)
