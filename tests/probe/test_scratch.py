# SPDX-License-Identifier: MIT
"""Where temporary folders may be: nowhere that another user could put something in their place."""

import os
import tempfile
from pathlib import Path

import pytest
from asking import environment

from clprobe.probe.collect import collect
from clprobe.probe.live_host import LiveHost
from clprobe.probe.scratch import is_safe, scratch_parent

_OTHER_UID = 65534


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of this user's, on whose way nobody else may rename anything."""
    if not is_safe(str(tmp_path)):
        pytest.skip("the tests' own folders can be renamed by others")
    return tmp_path


def test_a_private_folder_and_a_sticky_one_are_safe(folder: Path) -> None:
    folder.chmod(0o700)
    assert is_safe(str(folder))
    folder.chmod(0o1777)
    assert is_safe(str(folder))


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720])
def test_a_folder_that_others_write_is_not(mode: int, folder: Path) -> None:
    folder.chmod(mode)
    assert not is_safe(str(folder))


def test_a_folder_below_one_that_others_write_is_not(folder: Path) -> None:
    inner = folder / "inner"
    inner.mkdir(mode=0o700)
    folder.chmod(0o777)
    assert not is_safe(str(inner))


@pytest.mark.root
@pytest.mark.parametrize("mode", [0o700, 0o1777])
def test_a_folder_that_another_user_owns_is_not(mode: int, folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may give a folder away")
    folder.chmod(mode)
    os.chown(folder, _OTHER_UID, _OTHER_UID)
    assert not is_safe(str(folder))


def test_a_link_is_as_safe_as_where_it_leads(folder: Path) -> None:
    open_to_all = folder / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    link = folder / "link"
    link.symlink_to(open_to_all)
    assert not is_safe(str(link))


def test_a_folder_that_is_not_there_is_not_safe(folder: Path) -> None:
    assert not is_safe(str(folder / "gone"))


def test_children_leave_an_unsafe_folder_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert scratch_parent() != str(folder)
    before = folder.stat().st_mtime_ns
    collect(LiveHost(environment(OCL_ICD_VENDORS="/nonexistent/")), timeout_s=8.0)
    assert folder.stat().st_mtime_ns == before
