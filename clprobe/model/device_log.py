# SPDX-License-Identifier: MIT
"""The log of one device: the steps from the PCI bus to the program, and where the way ends."""

from typing import Literal

import msgspec

from clprobe.model.evidence import Evidence

StepVerdict = Literal["yes", "no", "not-known"]
StepId = Literal[
    "pci-function", "kernel-driver", "started", "node", "node-opens", "container", "driver-fits",
    "icd-file", "library", "load", "loader", "platform", "device", "kernel-builds", "kernel-runs",
    "program",
]  # fmt: skip
"""In the order in which a device passes them."""


class LogStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the way.

    `link` is the link of the chain that it stands for: of a "no" that of the problem behind it.
    `findings` are the ids of what doctor found or suspects there. `because` tells what the facts
    alone do not.
    """

    id: StepId
    title: str
    link: str
    verdict: StepVerdict
    because: str = ""
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[str, ...] = ()


class DeviceLog(msgspec.Struct, frozen=True, kw_only=True):
    """The steps of one device, in order.

    `asked` is the selector; `also` are the other devices that it fits. `first_no` is the id of the
    step at which the way ends, `root_cause` the id of the finding that ends it; null: it goes on
    to the end, or nobody knows.
    """

    asked: str
    device: str
    also: tuple[str, ...]
    first_no: StepId | None
    root_cause: str | None
    steps: tuple[LogStep, ...]
