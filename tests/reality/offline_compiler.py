# SPDX-License-Identifier: MIT
"""Intel's offline compiler, asked what it knows of chips; it compiles nothing here."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from emulated_neo import SECONDS


@dataclass(frozen=True, slots=True)
class OfflineCompiler:
    """`ocloc`, working in `folder`; `command` starts one that is not installed."""

    folder: Path
    command: tuple[str, ...] = ("ocloc",)

    def ask(self, *arguments: str) -> str:
        """Return all that it prints; whether it ends with 0 says nothing here."""
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    def chip_of(self, pci_id: str) -> str | None:
        """Return the chip that it takes an id for; None if it knows no such id.

        It looks the id up before it reads the file that it shall compile, and stops at an empty
        one.
        """
        (self.folder / "empty.spv").touch()
        device = f"0x{pci_id[5:]}"
        said = self.ask("compile", "-file", "empty.spv", "-spirv_input", "-device", device)
        found = re.search(r"target based on 0x[0-9A-Fa-f]{4} device id: (\S+)", said)
        assert found or "Cannot get HW Info" in said, said
        return found[1] if found else None

    def ip_version_of(self, chip: str) -> str | None:
        """Return architecture and release, such as "12.55"; None if it knows no such chip."""
        found = re.search(r"^(\d+\.\d+)\.\d+$", self.ask("ids", chip), re.MULTILINE)
        return found[1] if found else None

    def extensions_of(self, chip: str) -> frozenset[str]:
        """Return the OpenCL extensions of a chip."""
        answer = self.folder / "CL_DEVICE_EXTENSIONS"
        answer.unlink(missing_ok=True)
        self.ask("query", "-device", chip, "CL_DEVICE_EXTENSIONS")
        return frozenset(answer.read_text().split())


def listed(number: str, ranges: tuple[str, ...]) -> bool:
    """Whether an IP version such as 12.55 is in one of the ranges, such as 12.55-12.57."""
    value = _pair(number)
    return any(
        _pair(first) <= value <= _pair(last or first)
        for first, _, last in (text.partition("-") for text in ranges)
    )


def _pair(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)
