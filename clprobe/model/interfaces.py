# SPDX-License-Identifier: MIT
"""What is installed of the interfaces beside OpenCL: their loaders and drivers, never loaded."""

from typing import Annotated, Literal

import msgspec

from clprobe.model.fact import FactStruct, described, fact
from clprobe.model.unknown import Fact

State = Literal[
    "works", "fails", "installed", "no-device", "no-driver", "no-loader", "broken", "closed-node",
    "other-kernel-driver", "left-out", "not-for-this", "unknown",
]  # fmt: skip
PROBED = ("vulkan", "level-zero", "cuda", "hip", "va-api")
"""Interfaces whose files are looked for, as rules/tables/interfaces call them."""


class InterfaceFile(FactStruct, frozen=True, kw_only=True):
    """A loader or driver of an interface, as a file; whether it works nobody tried."""

    path: Annotated[str, described("the library, or the manifest that names it")]
    interface: Fact[str] = fact("interface that it belongs to", "name of {path}", values=PROBED)
    role: Fact[str] = fact(
        "a loader, which programs open, or a driver", "name of {path}", values=("loader", "driver")
    )
    library: Fact[str | None] = fact(
        "the library that is opened; null: the linker finds none", "{path}, ldconfig -p"
    )
    fits: Fact[bool] = fact("whether the library is for this processor", "ELF headers")
    left_out_by: Fact[str | None] = fact(
        "variable that keeps programs from it, such as VK_DRIVER_FILES; null: none",
        "environment",
        default=None,
    )


class InterfaceReport(msgspec.Struct, frozen=True, kw_only=True):
    """An interface on one device.

    `tried`: OpenCL alone is asked, by listing its devices and, where that was wanted, by a kernel;
    of others only what is installed is known. `driver` is what it is or would be reached by.
    """

    interface: str
    name: str
    state: State
    tried: bool = False
    driver: str | None = None
    because: str = ""


class DeviceInterfaces(msgspec.Struct, frozen=True, kw_only=True):
    """A GPU or the processor, and each interface on it."""

    device: str
    kind: Literal["gpu", "cpu"]
    pci_id: str | None
    pci_address: str | None
    interfaces: tuple[InterfaceReport, ...]
