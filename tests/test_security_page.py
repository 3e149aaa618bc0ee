# SPDX-License-Identifier: MIT
"""SECURITY.md promises, and admits, only what a test shows; reviewed defects stay mended."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
REVIEW = yaml.safe_load((ROOT / "tests" / "reliability_review.yaml").read_text("utf-8"))
PROMISES, LIMITS = "What clprobe promises", "What it does not promise"
_CODE = re.compile(r"`([^`]+)`")
# What is said first, then lines of nothing but tests.
_BULLET = re.compile(
    r"(?P<said>.+?[.:])\s+(?P<tests>(?:`(?:tests/[^`]+|::test_\w+)`\s*)+)", re.DOTALL
)


def section(heading: str) -> str:
    """Return what stands below a heading of the second level."""
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def bullets(heading: str) -> list[str]:
    """Return the bullets of a section, each as one text."""
    return [one.rstrip() for one in re.findall(r"^- (.*(?:\n  .*)*)", section(heading), re.M)]


def named_in(text: str) -> list[str]:
    """Return the tests that a bullet names; `::name` alone is one of the file named before."""
    found, file = [], ""
    for word in _CODE.findall(text):
        path, colons, name = word.partition("::")
        file = path or file
        if colons:
            found.append(f"{file}::{name}")
    return found


@cache
def functions_of(file: str) -> frozenset[str]:
    """Return the names of the test functions of a file, none if it is not there."""
    path = ROOT / file
    if not path.is_file() or not path.name.startswith("test_"):
        return frozenset()
    body = ast.parse(path.read_text("utf-8")).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


def is_there(test: str) -> bool:
    """Tell whether pytest would collect the function FILE::NAME."""
    file, _, name = test.partition("::")
    return name.startswith("test_") and name in functions_of(file)


def defects() -> list[tuple[str, dict[str, Any]]]:
    """Return all defects of the review with their names."""
    return [(name, one) for group in REVIEW.values() for name, one in group.items()]


@pytest.mark.parametrize("heading", [PROMISES, LIMITS])
def test_every_promise_and_every_limit_ends_with_tests_that_are_there(heading: str) -> None:
    assert len(bullets(heading)) > 5
    for bullet in bullets(heading):
        assert _BULLET.fullmatch(bullet), bullet
        assert named_in(bullet), bullet
        assert [test for test in named_in(bullet) if not is_there(test)] == []


@pytest.mark.parametrize("heading", [PROMISES, LIMITS])
def test_nothing_is_said_there_outside_the_bullets(heading: str) -> None:
    others = [
        line
        for line in section(heading).splitlines()
        if line and not line.startswith(("- ", "  ", "### "))
    ]
    assert others == []


def test_a_promise_without_a_test_would_be_noticed() -> None:
    assert not _BULLET.fullmatch("Nothing can go wrong.")
    assert not _BULLET.fullmatch("Nothing goes wrong. `tests/test_x.py::test_y` And all is well.")
    assert not is_there("tests/test_security_page.py::test_that_nobody_wrote")
    assert not is_there("tests/test_no_such_file.py::test_that_nobody_wrote")
    assert named_in("Nothing goes wrong. `tests/a.py`") == []
    assert named_in("`tests/a.py` `::test_b`") == ["tests/a.py::test_b"]


def test_the_readme_leads_to_the_page_and_the_page_is_short() -> None:
    assert "](SECURITY.md)" in (ROOT / "README.md").read_text("utf-8")
    lines = PAGE.splitlines()
    assert len(lines) <= 187
    assert max(map(len, lines)) <= 100


def test_the_review_has_all_its_grave_and_middling_defects() -> None:
    assert list(REVIEW["high"]) == [f"H{number}" for number in range(1, 6)]
    assert list(REVIEW["medium"]) == [f"M{number}" for number in range(1, 13)]


@pytest.mark.parametrize(("name", "defect"), defects(), ids=[name for name, _ in defects()])
def test_a_reviewed_defect_has_tests_or_a_reason_why_it_is_left(
    name: str, defect: dict[str, Any]
) -> None:
    assert defect["defect"]
    assert defect.keys() <= {"defect", "tests", "promise", "left"}
    assert defect.get("tests") or defect.get("left")
    assert [test for test in defect.get("tests", []) if not is_there(test)] == []
    if name[0] in "HM" and name[1:].isdigit():
        assert defect["tests"]
        promises = [" ".join(bullet.split()) for bullet in bullets(PROMISES)]
        assert any(bullet.startswith(defect["promise"]) for bullet in promises)
