# SPDX-License-Identifier: MIT
"""Judges what keeps a program that was looked at from a device, of itself or around it."""

import re
from collections.abc import Sequence
from typing import Any

from clprobe.facts.demands import unmet
from clprobe.facts.derive_fared import (
    DEADLY,
    both,
    died_of,
    ended_badly,
    fails_of,
    is_loader,
    negated,
    never_wanted,
    nothing_ran,
)
from clprobe.facts.derive_grief import judge_grief
from clprobe.facts.derive_surroundings import judge_surroundings
from clprobe.facts.derive_views import PRIVATE_LOADERS, tells_of_nothing
from clprobe.facts.facts import DeviceFacts, IcdFacts
from clprobe.facts.given import chosen_by, decides, given
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.program_table import Program as TableProgram
from clprobe.model.opencl import View
from clprobe.model.program import Program
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Fact, Unknown, listed
from clprobe.watch.switches import mesa_driver_in

_FORMS = Forms("watched")
_NOT_STARTED = (126, 127)
_MOST_TOLD = 8
_OF_SYSTEM = frozenset(("ldconfig", "default folders"))
_LEAD_LOADERS = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH")
"""Variables that decide what a loader reads, whichever it is."""
_OF_PYTHON = re.compile(r"/(?:site|dist)-packages/")
_FILE_NAME = re.compile(r"[\w.+/-]+")


def judge_kept(
    program: Program,
    row: TableProgram | None,
    snapshot: Snapshot,
    icds: Fact[tuple[IcdFacts, ...]],
    devices: Fact[tuple[DeviceFacts, ...]],
) -> dict[str, Any]:
    """Return the facts by name; `row` is its entry in the table of programs."""
    fails = fails_of(program)
    is_static = both(program.names_loader, fails) if program.linkage == "static" else False
    module = _missing_module(program)
    view = view_of_program(snapshot)
    return {
        **judge_grief(program, _with_platforms(view, snapshot)),
        "fails": fails,
        **_of_devices(program, row, snapshot, listed(devices)),
        **judge_surroundings(program, icds),
        "loses_variables": _loses(program, row, fails),
        "lost": " and ".join(program.lost_variables),
        "mesa_driver": mesa_driver_in(program.hints),
        "is_hinted": nothing_ran(program) if program.hints else False,
        "hinted_by": ", ".join(program.hints),
        "given": given(program, row),
        "chosen_by": " or ".join(chosen_by(program, row, snapshot.environment)),
        "misses_choice": _misses_choice(program, row, snapshot, fails),
        "decides": decides(program, row),
        "missing_module": module,
        "lacks_module": module is not None and nothing_ran(program),
        "missing_command": _missing_command(program),
        "is_static_with_loader": is_static,
        "hides_use": program.linkage == "static" and program.names_loader is True,
        "ends_early": both(
            died_of(program) is None and ended_badly(program), never_wanted(program)
        ),
        "dies_early": both(
            both(died_of(program) in DEADLY, never_wanted(program)), negated(is_static)
        ),
        "deadly_signal": died_of(program) or "",
        "opens_absent_path": _opens_absent_path(program),
        "has_other_loader": both(_has_other_loader(program, view, snapshot), fails),
    }


def view_of_program(snapshot: Snapshot) -> View | None:
    """Return what the program sees through its loader, if one was looked at."""
    program = snapshot.program
    if program is None:
        return None
    names = (program.key, program.name)
    mine = (one for one in listed(snapshot.views) if one.viewer.partition(" ")[0] in names)
    return next(mine, None)


def _with_platforms(view: View | None, snapshot: Snapshot) -> View | None:
    """Return the view, or another one through the same loader where only that one lists any."""
    if view is None or not isinstance(view.answer.platforms, Unknown):
        return view
    same = (one for one in listed(snapshot.views) if one.loader == view.loader)
    return next((one for one in same if not isinstance(one.answer.platforms, Unknown)), view)


def _misses_choice(
    program: Program, row: TableProgram | None, snapshot: Snapshot, fails: Fact[bool]
) -> Fact[bool]:
    """Whether it says that the device which it was told to take is not there, and fails."""
    says = isinstance(program.printed, str) and _FORMS.misses_choice.search(program.printed)
    was_refused_all = bool(listed(program.failed_calls)) and not listed(program.found_types)
    if not says or was_refused_all or not chosen_by(program, row, snapshot.environment):
        return False
    has_loader = program.loader if isinstance(program.loader, Unknown) else bool(program.loader)
    return both(both(fails, nothing_ran(program)), has_loader)


def _of_devices(
    program: Program,
    row: TableProgram | None,
    snapshot: Snapshot,
    devices: tuple[DeviceFacts, ...],
) -> dict[str, Any]:
    """Return the facts about devices that it was shown and what it makes of them."""
    usable = [one for one in devices if one.usable is True]
    takes_none = _takes_none(program)
    lacks = tuple(unmet(row, usable))
    wants_gpu = not _has_gpu(snapshot) and bool(lacks) and all(one.type == "cpu" for one in usable)
    fails = both(fails_of(program), not _misses_gpus_alone(program, snapshot, usable))
    took_none = both(takes_none, died_of(program) not in DEADLY)
    is_idle = both(takes_none, nothing_ran(program))
    gpus_alone = both(wants_gpu and not ended_badly(program), both(is_idle, fails))
    return {
        "takes_none": takes_none,
        "refuses_devices": both(both(took_none, fails), negated(gpus_alone)),
        "takes_gpus_alone": gpus_alone,
        "asked_for_properties": _few(listed(program.asked_properties)),
        "shown_devices": ", ".join(dict.fromkeys(str(one.name) for one in usable or devices))
        or "none",
        "unmet": "; ".join(lacks),
        "demands": f"by the table of programs, {'; '.join(lacks)}"
        if lacks
        else "no table says what it demands of a device",
    }


def _misses_gpus_alone(program: Program, snapshot: Snapshot, usable: Sequence[DeviceFacts]) -> bool:
    """Whether all that it complains of is that there is no GPU, where there is none indeed."""
    if ended_badly(program) or _has_gpu(snapshot):
        return False
    if not isinstance(program.printed, str) or any(one.type != "cpu" for one in usable):
        return False
    complaints = [
        line
        for line in program.printed.splitlines()
        if _FORMS.falls_back.search(line) or tells_of_nothing(line)
    ]
    return bool(complaints) and all(map(_FORMS.misses_gpus.search, complaints))


def _few(properties: tuple[str, ...]) -> str:
    """Return them as one text; what asks for nearly all tells nothing by it."""
    if len(properties) > _MOST_TOLD:
        return "nearly everything"
    return ", ".join(properties) or "nothing"


def _has_gpu(snapshot: Snapshot) -> bool:
    """Whether there is a GPU or a node to one, or nobody could tell."""
    return any(
        isinstance(one, Unknown) or bool(one) for one in (snapshot.gpus, snapshot.device_nodes)
    )


def _takes_none(program: Program) -> Fact[bool]:
    """Whether it was shown devices and made a context for none of them."""
    if isinstance(program.found_types, Unknown):
        return program.found_types
    if not program.found_types:
        return False
    made = program.made_context
    return made if isinstance(made, Unknown) else not made


def _loses(program: Program, row: TableProgram | None, fails: Fact[bool]) -> Fact[bool]:
    if not program.lost_variables:
        return False
    own = {one.name for one in (() if row is None else row.switches)}
    return fails if own.isdisjoint(program.lost_variables) else nothing_ran(program)


def _missing_module(program: Program) -> str | None:
    """Return the module that it lacks: one of OpenCL's, or one without which it ended."""
    if not isinstance(program.printed, str):
        return None
    is_fatal = ended_badly(program) and never_wanted(program) is True
    for found in _FORMS.missing_module.finditer(program.printed):
        name = next((text for text in found.groups() if text), "")
        if is_fatal or _FORMS.of_opencl.search(name):
            return name
    return None


def _missing_command(program: Program) -> str | None:
    if program.exit_status not in _NOT_STARTED or not isinstance(program.printed, str):
        return None
    names = [
        next((text for text in found.groups() if text), "")
        for found in _FORMS.missing_command.finditer(program.printed)
    ]
    if not names or not _FILE_NAME.fullmatch(names[-1]):
        return None
    return names[-1].rpartition("/")[2]


def _opens_absent_path(program: Program) -> Fact[bool]:
    if isinstance(program.refused, Unknown):
        return program.refused
    asked = [one.name for one in program.refused if is_loader(one.name)]
    return program.loader is None and bool(asked) and all("/" in name for name in asked)


def _has_other_loader(program: Program, view: View | None, snapshot: Snapshot) -> bool:
    """Whether its loader is not one of the system's, and leads to no device."""
    if not isinstance(program.loader, str) or program.sandbox is not None or view is None:
        return False
    is_led = any(snapshot.environment.get(name) for name in _LEAD_LOADERS)
    if is_led or _OF_PYTHON.search(program.loader):
        return False
    for one in listed(snapshot.loaders):
        if one.path == program.loader and (
            not _OF_SYSTEM.isdisjoint(listed(one.found_by)) or one.kind in PRIVATE_LOADERS
        ):
            return False
    return not any(True for _ in view.answer.shown())
