# SPDX-License-Identifier: MIT
"""Programs of proof.yaml with what each shall use, and what is wrong with what was counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

_SILENT = ("never", "called none")
_KILLED = 128  # of a shell: above it, a signal ended the program
_SIGNALS = 64

Use = Literal["gpu", "cpu", "none"]
USES: tuple[Use, ...] = ("gpu", "cpu", "none")


@dataclass(frozen=True)
class Case:
    """A program and what it shall use; `told` is its entry in proof.yaml."""

    told: Mapping[str, Any]
    use: Use

    @property
    def own(self) -> Mapping[str, Any]:
        """What the entry says of this use."""
        return self.told.get(self.use) or {}

    @property
    def is_used(self) -> bool:
        """Whether kernels are to be enqueued."""
        return self.use != "none" and "refused" not in self.own and self.told.get("kernels") != 0

    @property
    def driver(self) -> str | None:
        """The driver that is registered; None: there is none."""
        if self.use == "gpu":
            return self.own.get("driver", "pretended")
        return None if self.use == "none" and self.own.keys() <= {"because"} else "pocl"


@dataclass(frozen=True)
class Answer:
    """What clprobe said of a run, and what was counted beside it, by device's type and name.

    `traced` is PoCL's own count; None where it computes nothing, or not for one process alone.
    """

    program: Mapping[str, Any]
    beside: Mapping[tuple[str, str], int]
    traced: int | None

    @property
    def counted(self) -> dict[tuple[str, str], int]:
        """What clprobe counted, in the form of `beside`."""
        uses = self.program["kernels"]
        return {(use["type"], use["device"]): use["kernels"] for use in uses if use["kernels"]}

    def mistakes(self, case: Case) -> list[str]:
        """Return what is not as it must be."""
        enqueued = sum(self.beside.values())
        wrong = []
        status = self.program["exit_status"]
        if status is None or _KILLED < status <= _KILLED + _SIGNALS:
            wrong.append(f"a signal ended it: {status}")
        if self.counted != dict(self.beside):
            wrong.append(f"counted {self.counted}, beside it {dict(self.beside)}")
        if self.traced is not None and self.traced != enqueued:
            wrong.append(f"PoCL traced {self.traced}, the layer {enqueued}")
        if case.is_used and {kind for kind, _ in self.beside} != {case.use}:
            wrong.append(f"it ran on {sorted(self.beside)}, not on the {case.use}")
        known = case.told.get("kernels")
        if (known is not None or not case.is_used) and enqueued != (known if case.is_used else 0):
            wrong.append(f"{enqueued} kernels, and {known if case.is_used else 0} are known")
        says = self.program["says"]
        phrases = (f"ran {enqueued} kernel",) if enqueued else _SILENT
        if not any(one in says for one in phrases):
            wrong.append(f"it says: {says}")
        return wrong


def cases() -> list[Case]:
    """Return each program of the file with each use."""
    told = yaml.safe_load((Path(__file__).parent / "proof.yaml").read_text(encoding="utf-8"))
    return [Case(entry, use) for entry in told for use in USES]
