# SPDX-License-Identifier: MIT
"""Judges folders, limits, variables and drivers around a program, where it is shown nothing."""

from collections.abc import Iterator
from typing import Any

from clprobe.facts.derive_fared import DEADLY, both, fails_of, is_loader
from clprobe.facts.facts import IcdFacts
from clprobe.knowledge.printed import Forms
from clprobe.model.program import Program
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.watch.libraries import role_of

_FORMS = Forms("watched")
_FEW_FILES = 64
_OF_CPUS = frozenset(("all", "cpu", "default"))


def judge_surroundings(program: Program, icds: Fact[tuple[IcdFacts, ...]]) -> dict[str, Any]:
    """Return the facts by name; they count where it is shown no device."""
    found_none = found_none_of(program)
    dies = program.signal in DEADLY and bool(listed(program.died_in))
    lost_drivers = tuple(_lost_drivers(program, icds))
    low_limits = tuple(_low_limits(program))
    narrowed = [one for one in listed(icds) if one.narrowed_by and one.is_read is not False]
    idle = tuple(_idle_drivers(program, icds)) if isinstance(program.sandbox, str) else ()
    return {
        "idles_in_sandbox": both(bool(idle), found_none),
        "idle_drivers": " and ".join(idle),
        "is_narrowed": both(bool(narrowed) and _asks_for_cpus(program), found_none),
        "narrowed_by": " and ".join(dict.fromkeys(one.narrowed_by for one in narrowed)),
        "narrowing": "; ".join(dict.fromkeys(one.narrowing for one in narrowed)),
        "narrowed": " and ".join(dict.fromkeys(one.title for one in narrowed)),
        "has_low_limits": both(bool(low_limits), dies or found_none),
        "low_limits": ", ".join(low_limits),
        "lacks_driver": both(bool(lost_drivers), found_none),
        "lost_drivers": " and ".join(lost_drivers),
    }


def _asks_for_cpus(program: Program) -> bool:
    """Whether it asked for devices that may be CPUs, or nobody knows what it asked for."""
    asked = program.asked_types
    return isinstance(asked, Unknown) or not _OF_CPUS.isdisjoint(asked)


def found_none_of(program: Program) -> Fact[bool]:
    """Return whether it loaded a loader, asked for devices or platforms, and was shown none.

    Where its calls were not seen its own words tell.
    """
    fails = fails_of(program)
    if fails is not True or program.loader is None:
        return fails if fails is not True else False
    for fact in (program.loader, program.found_types, program.failed_calls):
        if isinstance(fact, Unknown):
            return _says_it_found_none(program) or fact
    return not listed(program.found_types) and bool(listed(program.failed_calls))


def _says_it_found_none(program: Program) -> bool:
    is_shown = bool(listed(program.found_types)) or not isinstance(program.loader, str)
    says = isinstance(program.printed, str) and _FORMS.finds_nothing.search(program.printed)
    return bool(says) and not is_shown


def _low_limits(program: Program) -> Iterator[str]:
    """Yield those limits that are too low for drivers, which open dozens of files and threads."""
    for limit in listed(program.lower_limits):
        name, _, most = limit.partition(" ")
        if name in ("nproc", "data") or (name == "nofile" and int(most) <= _FEW_FILES):
            yield limit


def _lost_drivers(program: Program, icds: Fact[tuple[IcdFacts, ...]]) -> Iterator[str]:
    """Yield the drivers that show devices here and were not loaded into the program, and why.

    What a driver needs, directly or by a library of its own, is asked for after the driver; of
    several that were refused the first counts.
    """
    refused = {one.name for one in listed(program.refused)}
    needed = {
        one.asked_by: one.name
        for one in reversed(listed(program.refused))
        if isinstance(one.asked_by, str) and _is_need(one.name, one.asked_by)
    }
    drivers = {path for icd in listed(icds) for path in _files_of(icd)}
    loaded = {one.path for one in listed(program.libraries)}
    for icd in listed(icds):
        if not _shows_devices(icd):
            continue
        if icd.library_name in refused:
            yield icd.library_name
            continue
        paths = _files_of(icd)
        own = [name for asker, name in needed.items() if asker in paths]
        # What its libraries need is asked for by these.
        others = [name for asker, name in needed.items() if asker not in drivers]
        if (own or others) and loaded.isdisjoint(paths):
            yield f"{icd.library_name} for want of {(own or others)[0]}"


def _is_need(name: str, asker: str) -> bool:
    """Whether a library asks for what it needs, not a program for an interface's entry library."""
    return role_of(name) is None and ".so" in asker and not is_loader(asker)


def _idle_drivers(program: Program, icds: Fact[tuple[IcdFacts, ...]]) -> Iterator[str]:
    """Yield the drivers that are loaded and show devices outside, of a type that it asked for."""
    loaded = {one.path for one in listed(program.libraries)}
    for icd in listed(icds):
        is_loaded = not loaded.isdisjoint(_files_of(icd))
        suits = icd.drives != "cpu" or _asks_for_cpus(program)
        if is_loaded and suits and _shows_devices(icd):
            yield icd.title


def _shows_devices(icd: IcdFacts) -> bool:
    return isinstance(icd.device_count, int) and icd.device_count > 0


def _files_of(icd: IcdFacts) -> set[str]:
    found = (icd.library.path, icd.library.real_path)
    return {path for path in found if isinstance(path, str)}
