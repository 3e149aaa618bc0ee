# SPDX-License-Identifier: MIT
"""What a Debian suite lists of the packages asked for: the stanzas of its Packages files."""

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

DRIVER = "opencl-icd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One binary package as a suite lists it: names in Depends, Recommends and Provides.

    `size_bytes` is that of its file.
    """

    name: str
    version: str
    component: str
    needs: frozenset[str] = frozenset()
    wants: frozenset[str] = frozenset()
    gives: frozenset[str] = frozenset()
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """What a suite lists of the packages asked for, and the date its signed Release file bears.

    Every OpenCL driver is among them, asked for or not: each provides the name `opencl-icd`.
    """

    name: str
    dated: date
    packages: dict[str, Listed] = field(default_factory=dict)

    @property
    def drivers(self) -> list[str]:
        """Return the packages that register an OpenCL driver."""
        return sorted(name for name, one in self.packages.items() if DRIVER in one.gives)


def read_list(path: Path, component: str, wanted: frozenset[str]) -> list[Listed]:
    """Return what a Packages file lists of `wanted`, and every OpenCL driver."""
    text = path.read_text(encoding="utf-8")
    stanzas = (
        stanza
        for stanza in text.split("\n\n")
        if stanza[9 : stanza.find("\n")] in wanted or _names_a_driver(stanza)
    )
    return [_listed(stanza, component) for stanza in stanzas if stanza.startswith("Package: ")]


def _names_a_driver(stanza: str) -> bool:
    if DRIVER not in stanza:  # spares most of 70,000 packages the search
        return False
    provides = re.search(r"^Provides: (.+)$", stanza, re.MULTILINE)
    return provides is not None and DRIVER in _names(provides[1])


def _listed(stanza: str, component: str) -> Listed:
    fields = dict(
        line.split(": ", 1) for line in stanza.splitlines() if re.match(r"[A-Za-z-]+: ", line)
    )
    return Listed(
        name=fields["Package"],
        version=fields["Version"],
        component=component,
        needs=_names(fields.get("Depends", "")),
        wants=_names(fields.get("Recommends", "")),
        gives=_names(fields.get("Provides", "")),
        size_bytes=int(fields.get("Size", "0")),
    )


def _names(relations: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", relations))
