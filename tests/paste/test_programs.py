# SPDX-License-Identifier: MIT
"""What programs print by rules/tables/programs: whole runs give their facts, each line its own."""

import pytest
from pastes import contains, facts, read

from clprobe.knowledge.program_table import Program, Run
from clprobe.knowledge.tables import Tables

PROGRAMS = {one.program: one for one in Tables.load().programs()}
RUNS = [(name, number) for name, one in PROGRAMS.items() for number in range(len(one.runs))]


@pytest.mark.parametrize(("name", "number"), RUNS)
def test_a_run_gives_its_facts(name: str, number: int) -> None:
    run: Run = PROGRAMS[name].runs[number]
    told = facts(run.prints)
    assert contains(told, run.gives), told


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=lambda one: one.program)
def test_lines_of_a_program_are_understood(program: Program) -> None:
    for line in program.lines:
        for example in line.examples if line.mark else ():
            named = f"$ {program.called[0]}\n{example}"
            assert read(named).unread == (), example
