# SPDX-License-Identifier: MIT
"""Programs ask for the interfaces that the table of programs names, and clprobe sees it."""

from pathlib import Path

import distro
import pytest
from open_folders import let_everybody_in
from what_programs_load import Case, against_table, cases, lacking, look, python_of_user

from clprobe.knowledge.tables import Tables
from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library

TABLES = Tables.load()
EACH_CASE = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


@EACH_CASE
def test_what_is_expected_is_what_the_table_says(case: Case) -> None:
    assert list(against_table(case, TABLES.program(case.told["program"]))) == []


@EACH_CASE
def test_a_program_loads_what_the_table_says(case: Case, tmp_path: Path) -> None:
    found = library()
    if isinstance(found, Unknown):
        pytest.skip(found.unknown)
    python = python_of_user()
    if python is None:
        pytest.skip("needs a Python with clprobe that any user may run")
    if "package" in case.told and (distro.id(), distro.major_version()) != ("debian", "12"):
        pytest.skip("is about packages of Debian 12")
    if (lacks := lacking(case, python)) is not None:
        pytest.skip(f"needs {lacks}")
    let_everybody_in(tmp_path)
    seen = look(case, tmp_path, python)
    assert seen.mistakes(case, TABLES.program(case.told["program"])) == [], seen


def test_programs_that_always_use_opencl_ask_for_it() -> None:
    told = {case.told["program"]: set[str]() for case in cases()}
    for case in cases():
        told[case.told["program"]] |= case.asks.keys()
    always = {name for name in told if TABLES.program(name).opencl.uses == "always"}
    assert {name for name in always if "opencl" not in told[name]} == set()
