# SPDX-License-Identifier: MIT
"""Files beside a script that stand before the modules that it stumbled over."""

from pathlib import Path

import pytest

from clprobe.watch.script import shadowing_files

STUMBLES = "AttributeError: module 'pyopencl' has no attribute 'get_platforms'"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a script, and a first try in the way of a module."""
    for name in ("job.py", "pyopencl.py", "helpers.py", "queue.py"):
        (tmp_path / name).touch()
    return tmp_path


def names(found: tuple[str, ...]) -> list[str]:
    """Return the files' names."""
    return [Path(one).name for one in found]


def test_a_file_of_the_modules_name(folder: Path) -> None:
    argv = ["python3", "-u", str(folder / "job.py"), "pyopencl"]
    assert names(shadowing_files(argv, {}, STUMBLES)) == ["pyopencl.py"]


@pytest.mark.parametrize(
    "printed",
    [
        "ImportError: cannot import name 'Queue' from 'queue' (/srv/queue.py)",
        "AttributeError: partially initialized module 'queue' has no attribute 'Queue'",
    ],
)
def test_modules_of_the_standard_library_count(folder: Path, printed: str) -> None:
    found = shadowing_files(["python3", str(folder / "job.py")], {}, printed)
    assert names(found) == ["queue.py"]


@pytest.mark.parametrize(
    "printed",
    [
        "AttributeError: module 'helpers' has no attribute 'run'",  # a module of its own
        "AttributeError: module 'numpy' has no attribute 'int'",  # there is no such file
        "ModuleNotFoundError: No module named 'pyopencl'",
        "all is well with pyopencl",
    ],
)
def test_other_troubles_are_not_told_so(folder: Path, printed: str) -> None:
    assert shadowing_files(["python3", str(folder / "job.py")], {}, printed) == ()


def test_where_python_looks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = str(folder / "job.py")
    monkeypatch.chdir(folder)
    assert names(shadowing_files(["python3", "-c", "…"], {}, STUMBLES)) == ["pyopencl.py"]
    assert names(shadowing_files(["python3", "-X", "dev", "-m", "job"], {}, STUMBLES)) == [
        "pyopencl.py"
    ]
    assert shadowing_files(["python3", "-I", script], {}, STUMBLES) == ()
    assert shadowing_files(["python3", script], {"PYTHONSAFEPATH": "1"}, STUMBLES) == ()
    named = {"PYTHONPATH": str(folder)}
    assert names(shadowing_files(["python3", "/srv/job.py"], named, STUMBLES)) == ["pyopencl.py"]


def test_an_installed_package_is_not_in_its_own_way(tmp_path: Path) -> None:
    installed = tmp_path / "site-packages"
    (installed / "pyopencl").mkdir(parents=True)
    assert shadowing_files(["python3", str(installed / "tool.py")], {}, STUMBLES) == ()
