# SPDX-License-Identifier: MIT
"""Whether a user may read a driver's file: predicted, and by a real open as that user."""

import errno
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from clprobe.facts.permissions.prediction import predicted_read_error
from clprobe.model.system import Group, System, User
from clprobe.probe.file_access import AccessReader
from clprobe.probe.live_host import LiveHost

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("setfacl"), reason="needs root, and setfacl of acl"
    ),
]
STRANGER, MEMBER, GROUP = 4002, 4001, 4100


class Row(NamedTuple):
    """A file `vendors/x.icd` and who reads it; `link` puts a link in an open folder to it."""

    name: str
    file: int
    folder: int
    uid: int
    expected: str | None
    acl: str = ""
    link: bool = False


ROWS = [
    Row("a usual file", 0o644, 0o755, STRANGER, None),
    Row("for root alone", 0o600, 0o755, STRANGER, "EACCES"),
    Row("for a group, outside it", 0o640, 0o755, STRANGER, "EACCES"),
    Row("for a group, inside it", 0o640, 0o755, MEMBER, None),
    Row("for all but the group", 0o604, 0o755, MEMBER, "EACCES"),
    Row("an access list admits", 0o640, 0o755, STRANGER, None, f"u:{STRANGER}:r"),
    Row("an access list forbids", 0o644, 0o755, STRANGER, "EACCES", f"u:{STRANGER}:-"),
    Row("in a closed folder", 0o644, 0o700, STRANGER, "EACCES"),
    Row("in a folder for a group", 0o644, 0o750, MEMBER, None),
    Row("in a folder that cannot be listed", 0o644, 0o711, STRANGER, None),
    Row("a link into a closed folder", 0o644, 0o700, STRANGER, "EACCES", link=True),
    Row("a link into an open folder", 0o644, 0o755, STRANGER, None, link=True),
    Row("root reads all", 0o000, 0o000, 0, None),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


def _made(row: Row, folder: Path) -> str:
    vendors, beside = folder / "vendors", folder / "beside"
    vendors.mkdir()
    beside.mkdir(mode=0o755)
    beside.chmod(0o755)
    icd = vendors / "x.icd"
    icd.write_text("libx.so\n")
    for path, mode in ((icd, row.file), (vendors, row.folder)):
        os.chown(path, 0, GROUP)
        path.chmod(mode)
    if row.acl:
        subprocess.run(["setfacl", "-m", row.acl, icd], check=True)
    link = beside / "x.icd"
    link.symlink_to(icd)
    return str(link if row.link else icd)


def _groups(uid: int) -> list[int]:
    return [GROUP] if uid == MEMBER else []


def _opened_as(uid: int, path: str) -> str | None:
    """Return the errno of a real open in a child that became the user."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups(_groups(uid))
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            os._exit(error.errno or 255)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return errno.errorcode[status] if status else None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_predicted_errno_is_that_of_a_real_read(row: Row, folder: Path) -> None:
    path = _made(row, folder)
    groups = tuple(Group(gid=gid) for gid in (row.uid, *_groups(row.uid)))
    user = User(uid=row.uid, name=None, groups=groups)
    access = AccessReader(LiveHost()).access(path)
    assert _opened_as(row.uid, path) == row.expected
    assert predicted_read_error(access, user, System()) == row.expected
