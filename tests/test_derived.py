# SPDX-License-Identifier: MIT
"""What is computed from data files is kept until one of them, or the code, changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clprobe.compat import support_table
from clprobe.derived import derived, derived_parts
from clprobe.knowledge.tables import Tables
from clprobe.resources import rules_path
from clprobe.ruleset import rules
from clprobe.ruleset.load import checked_rules
from clprobe.ruleset.rules import load_rules


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir()
    folder = tmp_path / "sources"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "one").write_text("first", "utf-8")
    return folder


def _is_kept(sources: Path) -> bool:
    """Ask for the sum of all files' sizes as a run does; return whether an earlier run's was."""
    computed = []

    def compute() -> int:
        computed.append(sources)
        return len(list(sources.rglob("*")))

    store = sources.parent / "cache" / "clprobe" / "derived-test.msgpack"
    assert derived("test", int, [sources], compute, store) == len(list(sources.rglob("*")))
    return not computed


def test_a_second_run_computes_nothing(sources: Path) -> None:
    assert [_is_kept(sources) for _ in range(3)] == [False, True, True]


def test_a_change_far_below_is_noticed_even_if_size_and_time_stay(sources: Path) -> None:
    _is_kept(sources)
    file = sources / "below" / "one"
    before = file.stat()
    file.write_text("other", "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [_is_kept(sources), _is_kept(sources)] == [False, True]


def test_a_file_that_comes_or_goes_is_noticed(sources: Path) -> None:
    _is_kept(sources)
    (sources / "two").touch()
    assert [_is_kept(sources), _is_kept(sources)] == [False, True]
    (sources / "two").unlink()
    assert [_is_kept(sources), _is_kept(sources)] == [False, True]


def test_what_python_compiles_changes_nothing(sources: Path) -> None:
    (sources / "__pycache__").mkdir()
    _is_kept(sources)
    (sources / "__pycache__" / "one.pyc").touch()
    store = sources.parent / "cache" / "clprobe" / "derived-test.msgpack"
    assert derived("test", int, [sources], lambda: 0, store) != 0


def test_what_is_kept_in_another_form_is_computed_anew(sources: Path) -> None:
    _is_kept(sources)
    store = sources.parent / "cache" / "clprobe" / "derived-test.msgpack"
    assert derived("test", str, [sources], lambda: "a text", store) == "a text"
    assert derived("test", str, [sources], lambda: "another", store) == "a text"


def test_parts_are_made_when_they_are_wanted_and_kept_together(sources: Path) -> None:
    made: list[str] = []

    def ask(*wanted: str) -> dict[str, str]:
        store = sources.parent / "cache" / "clprobe" / "derived-test.msgpack"
        return derived_parts(
            "test", str, [sources], wanted, lambda part: made.append(part) or part.upper(), store
        )

    assert ask("a", "b") == {"a": "A", "b": "B"}
    assert ask("b", "c") == {"b": "B", "c": "C"}
    assert ask("c", "a") == {"c": "C", "a": "A"}
    assert made == ["a", "b", "c"]
    (sources / "two").touch()
    assert ask("c") == {"c": "C"}
    assert made == ["a", "b", "c", "c"]


def test_without_a_cache_folder_every_run_computes(sources: Path) -> None:
    (sources.parent / "cache").rmdir()
    assert [_is_kept(sources), _is_kept(sources)] == [False, False]
    assert [path.name for path in sources.parent.iterdir()] == ["sources"]


def test_a_source_that_is_missing_is_what_the_computation_complains_of(sources: Path) -> None:
    def complain() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        derived("test", int, [sources / "gone"], complain)


def test_kept_rules_are_those_that_the_files_hold() -> None:
    load_rules()
    assert load_rules() == checked_rules(rules_path())


def test_kept_cells_of_the_matrix_are_those_that_are_computed() -> None:
    tables = Tables.load()
    support_table.support_table(tables, ["Gen9"])
    kept = support_table.support_table(tables, ["Gen9"]).cells
    every = tables.distributions(), list(tables.implementations().values())
    assert kept == support_table._computed("Gen9", *every, tables)


@pytest.mark.parametrize(
    ("module", "parts"),
    [
        ("clprobe.ruleset.load", rules.CHECKED_BY),
        ("clprobe.compat.support_table", support_table.COMPUTED_BY),
    ],
)
def test_all_code_that_computes_is_among_the_sources(module: str, parts: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*(m for m in sys.modules if m.startswith('clprobe.')))"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    folders = {name.split(".")[1] for name in loaded.split() if name.count(".") > 1}
    assert folders <= set(parts)
