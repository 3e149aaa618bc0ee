# SPDX-License-Identifier: MIT
"""What package managers print: what one would do, judged before it does it, and why it failed."""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from clprobe.apply.journal import Problem
from clprobe.knowledge.checked_yaml import read
from clprobe.knowledge.package_manager_table import PackageManager
from clprobe.resources import rules_path

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
_COMPLAINT = re.compile(r"(?i)\b(?:error|failed|fatal|cannot|could not|unable)\b|^[EW]:|^ERR")
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
            origins = _ARCH.sub("", found["origin"]).split(", ")
            named = tuple(origin for origin in origins if origin)
            incoming.append(Incoming(found["name"], found["old"], found["new"], named))
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


class Failure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What it means where one of these `words`, regular expressions, is printed."""

    reference: str
    message: str
    hint: str
    words: tuple[str, ...]


class Failures(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of rules/tables/failures.yaml; the first that fits counts."""

    failures: tuple[Failure, ...]


def meaning(printed: str, ending: str) -> Problem:
    """Return what went wrong in a command that ended as `ending` says, such as "with status 1"."""
    for one in read(rules_path() / "tables" / "failures.yaml", Failures).failures:
        words = re.compile("|".join(one.words))
        line = next(filter(words.search, printed.splitlines()), None)
        if line is not None:
            return Problem(one.reference, f"{one.message}: {line.strip()}", one.hint)
    complaint = _last_complaint(printed)
    message = f"The command ended {ending}" + (f": {complaint}" if complaint else ".")
    return Problem("step-failed", message, "Mend what it names, then run the same command again.")


def index_problem(printed: str) -> tuple[Problem | None, tuple[str, ...]]:
    """Return why `apt-get update` brought nothing, and warnings where a part of it failed.

    apt ends with 0 where no index could be fetched, and goes on with its old ones.
    """
    lines = printed.splitlines()
    failed = [line for line in lines if line.startswith(("Err:", "W: Failed to fetch", "E: "))]
    came = any(re.match(r"(?:Hit|Get):\d+ ", line) for line in lines)
    if failed and not came:
        return meaning(printed, "without any package index"), ()
    return None, tuple(dict.fromkeys(line for line in failed if not line.startswith("Err:")))


def _last_complaint(printed: str) -> str:
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    telling = [line for line in lines if _COMPLAINT.search(line)]
    return (telling or lines or [""])[-1]
