# SPDX-License-Identifier: MIT
"""Judges the program that was looked at: what it wants, lacks, is kept from, and ran on."""

from collections.abc import Iterable

from msgspec.structs import asdict

from clprobe.facts.derive_fared import DEADLY, died_of, fails_of, negated, nothing_ran
from clprobe.facts.derive_kept import judge_kept
from clprobe.facts.derive_own import judge_own
from clprobe.facts.derive_surroundings import found_none_of
from clprobe.facts.facts import DeviceFacts, IcdFacts, ProgramFacts
from clprobe.facts.given import switch_words
from clprobe.knowledge.tables import Tables
from clprobe.model.program import Program
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

_CHOSEN = frozenset(("gpu", "accelerator", "custom"))
_ASKING = ("clGetDeviceIDs", "clCreateContextFromType")
_NO_DEVICE = -1
_PLAIN_NAME = "libOpenCL.so"
_OF_OPENCL = ("OCL_ICD_", "OPENCL_", "LD_LIBRARY_PATH", "LD_PRELOAD")


def judge_watched(
    snapshot: Snapshot,
    icds: Fact[tuple[IcdFacts, ...]],
    devices: Fact[tuple[DeviceFacts, ...]],
    tables: Tables,
) -> ProgramFacts:
    """Return the facts about the program; where none was looked at, nothing of it holds."""
    program = snapshot.program
    if program is None:
        return ProgramFacts()
    row = tables.program(program.key) if isinstance(program.key, str) else None
    wanted = _wants(program)
    switches = tuple(switch_words(program, row))
    ignored = _ignored(program, snapshot)
    return ProgramFacts(
        **asdict(program),
        **judge_kept(program, row, snapshot, icds, devices),
        **judge_own(program, listed(devices), snapshot.environment, tables),
        watched=True,
        uses_opencl=NOT_STATED if row is None else row.opencl.uses != "never",
        instead="" if row is None else row.opencl.instead,
        wants_opencl=wanted,
        lacks_loader=wanted if program.loader is None else _lacks(program),
        lacks_plain_name=_lacks_plain_name(program, snapshot),
        asked_for=" and ".join(dict.fromkeys(one.name for one in listed(program.refused))),
        never_calls=_never_calls(program),
        asks_other_type=_asks_other_type(program, devices),
        wanted_types=" or ".join(listed(program.asked_types)),
        finds_none=found_none_of(program),
        stops_at_empty=_stops_at_empty(program, devices),
        closed_nodes=_closed(program),
        is_switched=nothing_ran(program) if switches else False,
        switched_by="; ".join(switches),
        came_too_early=_came_too_early(program),
        hidden_icds=_hidden(
            program, program.sandbox_icds, (one.path for one in listed(icds) if one.library)
        ),
        hidden_nodes=_hidden(
            program, program.sandbox_nodes, (one.path for one in listed(snapshot.device_nodes))
        ),
        ran_on=tuple(str(one.device) for one in listed(program.kernels) if one.kernels),
        ran_on_cpu_alone=_ran_on_cpu_alone(program, devices),
        died_in_opencl=_died(program),
        died_in_call=_died_in_call(program),
        died_outside=_died_outside(program),
        died_after=_died_after(program),
        last_call=" or ".join(listed(program.died_in)),
        meant_for=", ".join(str(one.device) for one in listed(program.kernels)) or "none yet",
        ignored_variables=ignored,
        ignoring=f", so {' and '.join(listed(ignored))} does not count," if listed(ignored) else "",
    )


def _wants(program: Program) -> Fact[bool]:
    if isinstance(program.loader, str) or _names_refused(program):
        return True
    for fact in (program.loader, program.refused):
        if isinstance(fact, Unknown):
            return fact
    return False


def _lacks(program: Program) -> Fact[bool]:
    return program.loader if isinstance(program.loader, Unknown) else False


def _names_refused(program: Program) -> list[str]:
    return [
        one.name
        for one in listed(program.refused)
        if one.name.rpartition("/")[2].startswith("libOpenCL")
    ]


def _lacks_plain_name(program: Program, snapshot: Snapshot) -> Fact[bool]:
    if program.loader is not None and _never_calls(program) is not True:
        return False
    asked = {name.rpartition("/")[2] for name in _names_refused(program)}
    has_other_name = any(one.is_default is True for one in listed(snapshot.loaders))
    return asked == {_PLAIN_NAME} and has_other_name


def _ran(program: Program) -> bool:
    return any(one.kernels for one in listed(program.kernels))


def _never_calls(program: Program) -> Fact[bool]:
    if not isinstance(program.loader, str):
        return False if program.loader is None else program.loader
    return (
        program.calls_opencl
        if isinstance(program.calls_opencl, Unknown)
        else not program.calls_opencl
    )


def _asks_other_type(program: Program, devices: Fact[tuple[DeviceFacts, ...]]) -> Fact[bool]:
    """Whether all that it asked for is of a type that no device here has."""
    if isinstance(program.asked_types, Unknown):
        return program.asked_types
    asked = set(program.asked_types)
    if not asked or program.found_types or not asked <= _CHOSEN or _ran(program):
        return False
    types = {one.type for one in listed(devices) if one.usable is True}
    return bool(types) and asked.isdisjoint(types)


def _stops_at_empty(program: Program, devices: Fact[tuple[DeviceFacts, ...]]) -> Fact[bool]:
    """Whether every answer that it got about devices was "none", although there are some."""
    if isinstance(program.failed_calls, Unknown):
        return False if fails_of(program) is False else program.failed_calls
    met = any(one.call in _ASKING and one.error_code == _NO_DEVICE for one in program.failed_calls)
    if not met or listed(program.found_types) or _ran(program):
        return False
    other = _asks_other_type(program, devices)
    return other if isinstance(other, Unknown) else not other


def _closed(program: Program) -> Fact[tuple[str, ...]]:
    if not isinstance(program.sandbox, str) or _ran(program):
        return ()
    if isinstance(program.nodes, Unknown):
        return program.nodes
    return tuple(one.path for one in program.nodes if isinstance(one.error, str))


def _came_too_early(program: Program) -> Fact[bool]:
    if not isinstance(program.started_ahead_s, float):
        return False
    return program.nodes if isinstance(program.nodes, Unknown) else not program.nodes


def _hidden(
    program: Program, inside: Fact[tuple[str, ...]], here: Iterable[str]
) -> Fact[tuple[str, ...]]:
    if not isinstance(program.sandbox, str) or isinstance(inside, Unknown):
        return inside if isinstance(program.sandbox, str) and isinstance(inside, Unknown) else ()
    return tuple(path for path in here if path not in inside)


def _ran_on_cpu_alone(program: Program, devices: Fact[tuple[DeviceFacts, ...]]) -> Fact[bool]:
    if isinstance(program.kernels, Unknown):
        return program.kernels
    used = program.kernels
    if not used or any(one.type != "cpu" for one in used):
        return False
    return any(
        one.usable is True and one.type == "gpu" and one.software is False
        for one in listed(devices)
    )


def _died(program: Program) -> Fact[bool]:
    if died_of(program) not in DEADLY:
        return False
    return program.loader if isinstance(program.loader, Unknown) else program.loader is not None


def _died_in_call(program: Program) -> Fact[bool]:
    died = _died(program)
    if died is not True:
        return died
    return program.died_in if isinstance(program.died_in, Unknown) else bool(program.died_in)


def _died_outside(program: Program) -> Fact[bool]:
    """Whether it died with no call of OpenCL open, after OpenCL had done all that it asked."""
    died = _died(program)
    if died is not True or not _died_after(program):
        return died if isinstance(died, Unknown) else False
    return negated(_died_in_call(program))


def _died_after(program: Program) -> str:
    if _ran(program):
        return "after its kernels ran"
    # That a platform has no device of the type is an answer.
    failed = any(
        one.call not in _ASKING or one.error_code != _NO_DEVICE
        for one in listed(program.failed_calls)
    )
    is_served = listed(program.found_types) and not failed
    return "after it was shown devices, before a kernel ran" if is_served else ""


def _ignored(program: Program, snapshot: Snapshot) -> Fact[tuple[str, ...]]:
    found = tuple(
        name
        for name, value in snapshot.environment.items()
        if name.startswith(_OF_OPENCL) and isinstance(value, str)
    )
    if isinstance(program.changes_user, Unknown):
        return program.changes_user if found else ()
    return found if program.changes_user else ()
