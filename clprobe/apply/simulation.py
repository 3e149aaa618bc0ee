# SPDX-License-Identifier: MIT
"""What a package manager says that it would do: parsed, and judged before it does it."""

import re
from collections.abc import Sequence

import msgspec

from clprobe.apply.journal import Problem
from clprobe.knowledge.package_manager_table import PackageManager

_INST = re.compile(r"Inst (?P<name>\S+) (?:\[(?P<old>[^\]]+)\] )?\((?P<new>\S+) ?(?P<origin>.*?)\)")
_REMV = re.compile(r"Remv (?P<name>\S+)")
_ARCH = re.compile(r" ?\[[^\]]*\]$")
_LIST_OF = {
    "The following packages will be REMOVED:": "removed",
    "The following packages will be DOWNGRADED:": "downgraded",
    "The following held packages will be changed:": "held",
}
_DNF = {"Removing": "removed", "Downgrading": "downgraded"}
_ZYPPER = re.compile(
    r"The following (?:\d+ )?packages? (?:is|are) going to be (REMOVED|downgraded)"
)
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
    if manager.manager == "apt":
        return _apt(text)
    if manager.manager == "dnf":
        return _dnf(text)
    if manager.manager == "zypper":
        return _zypper(text)
    return Simulation()


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


def _apt(text: str) -> Simulation:
    lists: dict[str, list[str]] = {"removed": [], "downgraded": [], "held": []}
    current: list[str] | None = None
    incoming = []
    for line in text.splitlines():
        if current is not None and line.startswith(" "):
            current += line.replace("*", "").split()
            continue
        current = lists[_LIST_OF[line]] if line in _LIST_OF else None
        if found := _INST.match(line):
            incoming.append(_incoming(found))
        elif found := _REMV.match(line):
            lists["removed"].append(found["name"])
    unique = {key: tuple(dict.fromkeys(names)) for key, names in lists.items()}
    return Simulation(tuple(incoming), unique["removed"], unique["downgraded"], unique["held"])


def _incoming(found: re.Match[str]) -> Incoming:
    origins = _ARCH.sub("", found["origin"]).split(", ")
    named = tuple(origin for origin in origins if origin)
    return Incoming(found["name"], found["old"], found["new"], named)


def _dnf(text: str) -> Simulation:
    lists: dict[str, list[str]] = {"removed": [], "downgraded": []}
    current: list[str] | None = None
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            heading = line.split(" ")[0].rstrip(":")
            current = lists[_DNF[heading]] if heading in _DNF else None
        elif not line.strip() or line.startswith("Transaction Summary"):
            current = None
        elif current is not None and re.match(r" \S", line):
            current.append(line.split()[0])
    return Simulation((), tuple(lists["removed"]), tuple(lists["downgraded"]))


def _zypper(text: str) -> Simulation:
    lists: dict[str, list[str]] = {"REMOVED": [], "downgraded": []}
    current: list[str] | None = None
    for line in text.splitlines():
        if found := _ZYPPER.match(line):
            current = lists[found[1]]
        elif not line.startswith(" "):
            current = None
        elif current is not None:
            current += line.split()
    return Simulation((), tuple(lists["REMOVED"]), tuple(lists["downgraded"]))
