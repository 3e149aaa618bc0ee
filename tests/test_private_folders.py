# SPDX-License-Identifier: MIT
"""Where a path leads, and whether anybody else could let it lead elsewhere."""

import os
from pathlib import Path

import pytest

from clprobe.private_folders import why_others_decide


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir(mode=0o755)
    (folder / "file").touch()
    return folder


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def test_root_and_this_user_decide_in_folders_of_their_own(own: Path) -> None:
    assert why_others_decide(own / "file") is None
    assert why_others_decide(own / "missing" / "x") is None
    assert why_others_decide(Path("/etc/passwd")) is None
    (own / "link").symlink_to("file")
    (own / "around").symlink_to("../own/link")
    assert why_others_decide(own / "around") is None


@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_in_a_folder_of_all_others_decide(own: Path, mode: int) -> None:
    own.chmod(mode)
    assert why_others_decide(own / "file") == f"others can write to {own}"
    assert why_others_decide(own / "missing") == f"others can write to {own}"


def test_a_folder_above_that_all_may_rename_in_counts(own: Path) -> None:
    inner = own / "inner"
    inner.mkdir()
    assert why_others_decide(inner / "x") is None
    own.chmod(0o777)
    assert why_others_decide(inner / "x") == f"others can write to {own}"
    own.chmod(0o1777)  # as /tmp: nobody else can rename what is ours
    assert why_others_decide(inner / "x") is None


def test_where_links_lead_counts_and_where_they_lie(own: Path, shared: Path) -> None:
    (shared / "target").touch()
    (own / "out").symlink_to(shared / "target")
    assert why_others_decide(own / "out") == f"others can write to {shared}"
    (own / "folder").symlink_to(shared)
    assert why_others_decide(own / "folder" / "target") == f"others can write to {shared}"
    (shared / "in").symlink_to(own)
    assert why_others_decide(shared / "in" / "file") is None
    if os.geteuid() == 0:
        os.chown(shared / "in", 65534, 65534, follow_symlinks=False)
        assert why_others_decide(shared / "in" / "file") == f"{shared}/in belongs to user 65534"


def test_a_link_of_its_own_name_is_followed_only_if_asked(own: Path, shared: Path) -> None:
    (own / "out").symlink_to(shared / "target")
    (own / "circle").symlink_to("circle")
    assert why_others_decide(own / "out", follow=False) is None
    assert why_others_decide(own / "circle", follow=False) is None
    (own / "folder").symlink_to(shared)
    assert why_others_decide(own / "folder" / "x", follow=False) is not None


def test_what_belongs_to_somebody_else_is_theirs(own: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root, to give something away")
    os.chown(own / "file", 65534, 65534)
    assert why_others_decide(own / "file") == f"{own}/file belongs to user 65534"


def test_a_circle_is_no_way(own: Path) -> None:
    (own / "a").symlink_to("b")
    (own / "b").symlink_to("a")
    assert why_others_decide(own / "a") == f"{own}/a leads in a circle"
