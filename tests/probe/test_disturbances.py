# SPDX-License-Identifier: MIT
"""What a driver does to the folder for temporary files costs no other driver anything."""

import tempfile
from pathlib import Path

import pytest
from asking import Build, ask, device_names, icd_named, register

from clprobe.probe.scratch import is_safe
from clprobe.probe.wards import Ward


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    if not is_safe(str(folder)):
        pytest.skip("the tests' own folders can be renamed by others")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_drivers_whose_folder_another_one_took_away_are_asked_again(
    build: Build, vendors: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIXTURE_SCRATCH", str(scratch))
    broken = register(vendors, build("empties_scratch"))
    snapshot = ask(vendors)
    # The process in which it did so ended with exit(1): that answer is not the one that counts.
    assert scratch.with_name("scratch.emptied").exists()
    for icd in (broken, vendors / "pocl.icd"):
        answer = icd_named(snapshot, icd).answer
        assert answer.outcome == "ok", answer.message
        assert len(device_names(answer)) == 1
    assert list(scratch.iterdir()) == []


def test_temporary_files_of_a_driver_go_with_its_process(
    build: Build, vendors: Path, scratch: Path
) -> None:
    broken = register(vendors, build("leaves_files"))
    assert icd_named(ask(vendors), broken).answer.outcome == "ok"
    assert list(scratch.iterdir()) == []


def _tmpdir_of_a_child(environment: dict[str, str], folder: Path) -> str:
    ward = Ward("clprobe-")
    with (folder / "told").open("wb") as told:
        process = ward.start(
            ["/bin/sh", "-c", 'printf %s "$TMPDIR"'],
            environment,
            cwd=ward.folder,
            stdin=0,
            stdout=told,
        )
        process.wait(30)
    ward.end()
    ward.close()
    return (folder / "told").read_text()


def test_a_folder_of_temporary_files_that_is_of_no_use_is_what_the_driver_meets(
    scratch: Path, tmp_path: Path
) -> None:
    own = _tmpdir_of_a_child({"TMPDIR": str(scratch)}, tmp_path)
    assert own.startswith(f"{scratch}/clprobe-")
    assert _tmpdir_of_a_child({"TMPDIR": "/nonexistent"}, tmp_path) == "/nonexistent"
