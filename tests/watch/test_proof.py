# SPDX-License-Identifier: MIT
"""Kernels of real programs are counted as two others count them, for a user without root."""

from collections.abc import Iterator

import pytest
from open_folders import let_everybody_in
from proof import Desk, LackingError
from proof_cases import Case, cases

from clprobe.model.unknown import Unknown
from clprobe.watch.counting import library


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A place that every user can reach."""
    found = library()
    if isinstance(found, Unknown):
        pytest.skip(found.unknown)
    folder = tmp_path_factory.mktemp("proof")
    let_everybody_in(folder)
    try:
        return Desk(folder)
    except LackingError as lacking:
        pytest.skip(f"needs {lacking}")


def _parameters() -> Iterator[object]:
    for case in cases():
        marks = [pytest.mark.slow] if case.told.get("slow") else []
        yield pytest.param(case, id=f"{case.told['program']}-{case.use}", marks=marks)


@pytest.mark.parametrize("case", list(_parameters()))
def test_kernels_are_those_that_others_count(desk: Desk, case: Case) -> None:
    try:
        answer = desk.answer(case)
    except LackingError as lacking:
        pytest.skip(f"needs {lacking}")
    assert answer.mistakes(case) == [], answer.program
