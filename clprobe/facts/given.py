# SPDX-License-Identifier: MIT
"""Says in words what a program was given that chooses its devices, and what decides that."""

from collections.abc import Iterator, Mapping

from clprobe.knowledge.program_table import Program as TableProgram
from clprobe.model.program import Program
from clprobe.model.unknown import Unknown

_MOST = 3


def switch_words(program: Program, row: TableProgram | None) -> Iterator[str]:
    """Yield those switches that it was given and that choose devices, with what each does."""
    for one in () if row is None else row.switches:
        if one.name in program.switches and not one.only_shows:
            yield f"{one.name.partition(' ')[0]}, which {one.does}"


def given(program: Program, row: TableProgram | None) -> str:
    """Return what it was given that chooses devices, or that it was given nothing known."""
    words = (*switch_words(program, row), *program.hints)
    return f"It was given {'; '.join(words)}" if words else "No option of it is known to choose"


_CHOOSE = ("OPENCV_OPENCL_DEVICE", "OPENCV_OPENCL_RUNTIME", "MAGICK_OCL_DEVICE")
"""Variables by which libraries that many programs use choose a device."""


def chosen_by(
    program: Program, row: TableProgram | None, environment: Mapping[str, str | Unknown | None]
) -> tuple[str, ...]:
    """Return what it was given that chooses a device or platform, by name or with its number."""
    named = (
        one.name.partition(" ")[0]
        for one in (() if row is None else row.switches)
        if one.name in program.switches and not one.only_shows
    )
    variables = (name for name in _CHOOSE if environment.get(name))
    found = (*program.numbers, *named, *program.hints, *variables)
    return tuple(dict.fromkeys(found))[:_MOST]


def decides(program: Program, row: TableProgram | None) -> str:
    """Return what decides whether it uses OpenCL, as far as it is known."""
    switches = () if row is None else row.switches
    names = [f"{one.name} {one.does}" for one in switches if not one.only_shows]
    if names:
        return f"By the table of programs these decide: {'; '.join(names)}"
    if program.names_loader is True:
        return "Its file names an OpenCL loader, so it can; its settings or the task decide"
    return "Its build, its settings or the task decide"
