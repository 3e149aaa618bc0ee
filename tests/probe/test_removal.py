# SPDX-License-Identifier: MIT
"""Whatever a driver leaves in its folder goes with it, and nothing else does."""

import os
from pathlib import Path

from clprobe.probe.removal import remove_tree

_LEVELS = 1500


def test_a_folder_goes_however_deep_and_closed_it_is(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    (top / "closed").mkdir()
    (top / "closed/file").touch()
    (top / "closed").chmod(0)
    for name in (b"\xff\xfe", b"a\nb", b"-rf", b" "):
        os.mkdir(os.fsencode(top) + b"/" + name)  # noqa: PTH102 - names that are no text
    os.mkfifo(top / "fifo")
    place = os.open(top, os.O_RDONLY)
    for _ in range(_LEVELS):
        os.mkdir("deep", dir_fd=place)
        inner = os.open("deep", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    top.chmod(0)

    remove_tree(str(top))

    assert list(tmp_path.iterdir()) == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir(mode=0o755)
    (others / "file").write_text("precious")
    top = tmp_path / "top"
    top.mkdir()
    (top / "folder").symlink_to(others)
    (top / "file").symlink_to(others / "file")
    replaced = tmp_path / "replaced"
    replaced.symlink_to(others)

    remove_tree(str(top))
    remove_tree(str(replaced))

    assert sorted(tmp_path.iterdir()) == [others]
    assert (others / "file").read_text() == "precious"
    assert others.stat().st_mode & 0o777 == 0o755


def test_a_file_in_the_place_of_a_folder_goes(tmp_path: Path) -> None:
    (tmp_path / "top").write_text("x")
    remove_tree(str(tmp_path / "top"))
    remove_tree(str(tmp_path / "none"))
    assert list(tmp_path.iterdir()) == []
