# SPDX-License-Identifier: MIT
"""What a package manager says that it would do: parsed, and judged before it does it."""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from clprobe.apply.journal import Problem
from clprobe.knowledge.package_manager_table import PackageManager

_INST = re.compile(r"Inst (?P<name>\S+) (?:\[(?P<old>[^\]]+)\] )?\((?P<new>\S+) ?(?P<origin>.*?)\)")
_REMV = re.compile(r"Remv (?P<name>\S+)")
_ARCH = re.compile(r" ?\[[^\]]*\]$")
_HEADINGS: dict[str, dict[str, Literal["removed", "downgraded", "held"]]] = {
    "apt": {
        "The following packages will be REMOVED:": "removed",
        "The following packages will be DOWNGRADED:": "downgraded",
        "The following held packages will be changed:": "held",
    },
    "dnf": {r"Removing\b.*:$": "removed", r"Downgrading\b.*:$": "downgraded"},
    "zypper": {
        r"The following (\d+ )?packages? (is|are) going to be REMOVED": "removed",
        r"The following (\d+ )?packages? (is|are) going to be downgraded": "downgraded",
    },
}
"""Above which lines, that are indented, each manager lists packages."""
_FEW = 12


class Incoming(msgspec.Struct, frozen=True):
    """A package that would be installed, in place of version `old` if that is not None."""

    name: str
    old: str | None
    version: str
    origins: tuple[str, ...]


class Simulation(msgspec.Struct, frozen=True):
    """What one command would change."""

    incoming: tuple[Incoming, ...] = ()
    removed: tuple[str, ...] = ()
    downgraded: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


def parse(manager: PackageManager, text: str) -> Simulation:
    """Return what the manager, asked in English, says that it would change."""
    headings = _HEADINGS.get(manager.manager, {})
    lists: dict[str, list[str]] = {"removed": [], "downgraded": [], "held": []}
    current: list[str] | None = None
    incoming = []
    for line in text.splitlines():
        if current is not None and line.startswith(" "):
            current += _names_in(manager, line)
            continue
        fitting = (what for heading, what in headings.items() if re.match(heading, line))
        current = lists.get(next(fitting, ""))
        if found := _INST.match(line):
            incoming.append(_incoming(found))
        elif found := _REMV.match(line):
            lists["removed"].append(found["name"])
    unique = {key: tuple(dict.fromkeys(names)) for key, names in lists.items()}
    return Simulation(tuple(incoming), **unique)


def _names_in(manager: PackageManager, line: str) -> list[str]:
    words = line.replace("*", "").split()
    if manager.manager != "dnf":
        return words
    # Beside the name stand architecture, version and size; deeper lines are remarks.
    return words[:1] if re.match(r" \S", line) else []


def refusal(simulation: Simulation) -> Problem | None:
    """Return why the step must not run, None if it only adds and upgrades."""
    said = []
    if simulation.removed:
        said.append(f"it would remove {_names(simulation.removed)}")
    if simulation.downgraded:
        said.append(f"it would downgrade {_names(simulation.downgraded)}")
    if simulation.held:
        said.append(f"it would change {_names(simulation.held)}, which you hold")
    if not said:
        return None
    return Problem(
        reference="step-would-harm",
        message=f"Not run: {'; '.join(said)}.",
        hint="Take another route (--backend), or settle it with the package manager yourself.",
    )


def foreign(simulation: Simulation, distribution: str, release: str | None) -> tuple[str, ...]:
    """Return a warning per origin from which packages come though it is another release's.

    `distribution` is an id such as "debian", `release` a version such as "12"; None where it has
    none, as sid. apt writes origins as "Debian:12.15/oldstable" or "Debian:unstable".
    """
    by_origin: dict[str, list[str]] = {}
    for package in simulation.incoming:
        if not any(_is_own(origin, distribution, release) for origin in package.origins):
            where = ", ".join(package.origins) or "a file"
            by_origin.setdefault(where, []).append(f"{package.name} {package.version}")
    return tuple(f"From {where}: {_names(names)}." for where, names in by_origin.items())


def _is_own(origin: str, distribution: str, release: str | None) -> bool:
    label, _, suite = origin.partition(":")
    if not label.lower().startswith(distribution) or " " in label:
        return False
    version = suite.partition("/")[0]
    if release is None:
        return "backports" not in suite and "experimental" not in suite
    return version == release or version.startswith((f"{release}.", f"{release}-"))


def _names(names: Sequence[str]) -> str:
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")


def _incoming(found: re.Match[str]) -> Incoming:
    origins = _ARCH.sub("", found["origin"]).split(", ")
    named = tuple(origin for origin in origins if origin)
    return Incoming(found["name"], found["old"], found["new"], named)
