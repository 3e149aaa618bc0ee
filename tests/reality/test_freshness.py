# SPDX-License-Identifier: MIT
"""The list for a refresh names what an index or the calendar says otherwise, and nothing else."""

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from debian_archive import Archive
from freshness import behind_lists, behind_pip, read_before

from clprobe.knowledge.tables import Tables
from clprobe.resources import rules_path


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, str, str], Path]:
    """Return what gives a copy of the tables in which a file has other words."""
    root = tmp_path / "tables"
    shutil.copytree(rules_path() / "tables", root)

    def change(name: str, old: str, new: str) -> Path:
        text = (root / name).read_text("utf-8")
        assert old in text
        (root / name).write_text(text.replace(old, new, 1), "utf-8")
        return root

    return change


def test_a_file_is_named_that_nobody_looked_at_for_long(
    changed: Callable[[str, str, str], Path],
) -> None:
    root = changed("distributions/debian-10.yaml", "checked: 2026-11-20", "checked: 2025-02-03")
    (line,) = read_before(date(2025, 6, 1), root)
    assert line.startswith("distributions/debian-10.yaml: 1 of ")
    assert line.endswith("the first on 2025-02-03")


@pytest.mark.reality
def test_a_version_is_named_of_which_pip_has_a_newer_one(
    changed: Callable[[str, str, str], Path],
) -> None:
    root = changed("stacks/tinygrad.yaml", '"0.14.0"', '"0.12.0"')
    found = [line for line in behind_pip(Tables.load(root)) if line.startswith("tinygrad ")]
    if any("pip finds none" in line for line in found):
        pytest.skip("pip's index is out of reach")
    assert any("0.12.0 in the tables, by now 0." in line for line in found)


@pytest.mark.reality
def test_a_version_is_named_of_which_debian_has_a_newer_one(
    archive: Archive, changed: Callable[[str, str, str], Path]
) -> None:
    root = changed("distributions/debian-13.yaml", '"25.0.7-2+deb13u1"', '"25.0.6-1"')
    for other in (root / "distributions").glob("debian-*.yaml"):
        if other.name != "debian-13.yaml":
            other.unlink()
    found = list(behind_lists("debian", Tables.load(root), archive))
    if any("release: not looked at" in line for line in found):
        pytest.skip(str(found))
    assert any("mesa-opencl-icd" in line and "25.0.6-1" in line for line in found), found
