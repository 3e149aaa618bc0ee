# SPDX-License-Identifier: MIT
"""Known faults of programs' releases: which of them show in what was printed."""

import re
from collections.abc import Iterator

from clprobe.compat.linux_choice import is_in_range
from clprobe.facts.facts import ProgramFault
from clprobe.knowledge.program_table import Fault, Program
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

_RELEASE = re.compile(r"\d{1,6}(?:\.\d{1,6}){1,3}")


def judge_programs(
    snapshot: Snapshot, said: Fact[str], tables: Tables
) -> Fact[tuple[ProgramFault, ...]]:
    """Return the faults whose words are in `said`, with whether the program's release has them."""
    if isinstance(said, Unknown):
        return said
    return tuple(
        _judged(program, fault, snapshot)
        for program in (tables.programs() if said else [])
        for fault in program.faults
        if fault.pattern().search(said)
    )


def _judged(program: Program, fault: Fault, snapshot: Snapshot) -> ProgramFault:
    version = next(_versions(program, fault, snapshot), NOT_STATED)
    applies: Fact[bool] = True if fault.telling else NOT_STATED
    if isinstance(version, str):
        applies = is_in_range(version, fault.versions, "dotted")
    return ProgramFault(
        program=program.program,
        versions=fault.versions,
        version=version,
        note=fault.note,
        applies=applies,
    )


def _versions(program: Program, fault: Fault, snapshot: Snapshot) -> Iterator[Fact[str]]:
    """Yield the versions of the program that are stated; of its package only where one decides."""
    names = {program.program, *program.called}
    told: list[object] = [
        package.version
        for package in listed(snapshot.packages)
        if package.name in names and fault.manager in (None, package.manager)
    ]
    if fault.manager is None:
        told += [view.version for view in listed(snapshot.views) if view.viewer in names]
        told += [one.version for one in listed(snapshot.frameworks) if one.name in names]
    for version in told:
        release = _RELEASE.search(version) if isinstance(version, str) else None
        if release is not None:
            yield release[0]
