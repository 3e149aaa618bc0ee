# SPDX-License-Identifier: MIT
"""What a file of rules/tables/interfaces means: which GPUs have an interface, by which drivers."""

import re
from typing import Literal

from clprobe.knowledge.program_table import Api, Vendor
from clprobe.knowledge.table_types import Entry
from clprobe.knowledge.versions import Scheme

Reaches = Literal["works", "partly", "fails", "unknown"]
"""A driver of an interface on some GPUs; "partly": incomplete, or on some of these chips alone."""


class OnGpus(Entry, frozen=True, kw_only=True):
    """What a driver does on some GPUs: on generations or families, or some of their chips alone.

    `chips` are keys of the generation's platforms or the family's chips, `names` regular
    expressions for what people call the GPUs; of a driver's entries the first that fits counts.
    `has` is what it gives there, such as a version of the interface; `because` why it does not
    work, or not wholly, or what would settle it; `note` what to do. `versions` are the driver's.
    """

    on: tuple[str, ...]
    reaches: Reaches
    chips: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    versions: str = "*"
    has: str = ""
    because: str = ""
    note: str = ""

    def is_called(self, name: str) -> bool:
        """Whether a GPU of that name is meant, as far as its name tells."""
        return any(re.search(pattern, name, re.IGNORECASE) for pattern in self.names)


class InterfaceDriver(Entry, frozen=True, kw_only=True):
    """A driver of an interface.

    `vendors` are those whose GPUs it may drive; none: it computes on the CPU. `files` are what
    tells that it is installed: names of its library, or of the manifest that a loader reads.
    `kernel_drivers` are those of Linux that it works with.
    """

    driver: str
    name: str
    files: tuple[str, ...]
    vendors: tuple[Vendor, ...] = ()
    kernel_drivers: tuple[str, ...] = ()
    version_scheme: Scheme = "dotted"
    gpus: tuple[OnGpus, ...] = ()


class Interface(Entry, frozen=True, kw_only=True):
    """An interface by which programs reach GPUs, beside OpenCL.

    `vendors` are those whose GPUs alone have it (none: any), and `others_because` says why; with
    `not_on_linux` no GPU has it here. `loaders` are the libraries that programs open.
    """

    interface: Api
    name: str
    about: str
    loaders: tuple[str, ...] = ()
    vendors: tuple[Vendor, ...] = ()
    others_because: str = ""
    not_on_linux: str = ""
    drivers: tuple[InterfaceDriver, ...] = ()
