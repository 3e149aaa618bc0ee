# SPDX-License-Identifier: MIT
"""Values of variables that leave a driver without devices."""

import pytest

from clprobe.facts.narrowed import narrowed_by
from clprobe.knowledge.tables import Tables
from clprobe.model.unknown import NOT_STATED

TABLES = Tables.load()


@pytest.mark.parametrize(
    ("value", "version", "is_narrowed"),
    [
        ("cuda", "3.1", True),
        ("cpu", "3.1", True),
        ("cpu", "6.0", False),
        ("pthread", "3.1", False),
        ("pthread,basic", "3.1", True),  # blanks stand between them
        ("cuda pthread", "3.1", False),
        ("PTHREAD", "3.1", True),
        ("", "3.1", True),
    ],
)
def test_words_of_pocl(value: str, version: str, is_narrowed: bool) -> None:
    found = narrowed_by(TABLES.implementation("pocl"), {"POCL_DEVICES": value}, version)
    assert (found is not None) is is_narrowed


def test_a_version_that_is_not_known_may_know_any_word() -> None:
    pocl = TABLES.implementation("pocl")
    assert narrowed_by(pocl, {"POCL_DEVICES": "cpu"}, NOT_STATED) is None


@pytest.mark.parametrize(
    ("value", "is_narrowed"),
    [("intel", True), ("1", True), ("iris", False), ("iris:1,radeonsi:0,2", False), ("", False)],
)
def test_words_of_rusticl(value: str, is_narrowed: bool) -> None:
    found = narrowed_by(TABLES.implementation("rusticl"), {"RUSTICL_ENABLE": value}, "25.0.7")
    assert (found is not None) is is_narrowed


def test_what_exists_is_said() -> None:
    found = narrowed_by(TABLES.implementation("pocl"), {"POCL_DEVICES": "gpu"}, "3.1")
    assert found is not None
    assert found.setting == "POCL_DEVICES=gpu"
    assert "knows no gpu" in found.why
    assert "pthread, basic" in found.why
    assert "blanks" in found.why
