# SPDX-License-Identifier: MIT
"""Users, groups and packages of a container are read, and what is no entry is passed over."""

from clprobe.outside.databases import (
    GroupRow,
    Worker,
    accounts_in,
    groups_in,
    packages_in,
    worker_in,
)


def test_accounts_and_groups() -> None:
    passwd = b"root:x:0:0::/:/bin/sh\n# none:x:1:1\nbroken:x:one:1\nshort\nworker:x:1000:44::/:\n"
    group = b"video:x:44:worker,other\nrender:x:109:\nodd:x:one:\n"

    assert [(one.name, one.uid, one.gid) for one in accounts_in(passwd)] == [
        ("root", 0, 0),
        ("worker", 1000, 44),
    ]
    assert list(groups_in(group)) == [
        GroupRow("video", 44, ("worker", "other")),
        GroupRow("render", 109, ()),
    ]


def test_packages_whose_files_are_there() -> None:
    body = (
        b"pocl-opencl-icd\t3.1-3\tamd64\tinstalled\n"
        b"old\t1\tamd64\tconfig-files\n"
        b"half\t2\tamd64\tunpacked\nno entry\n"
    )

    found = [(one.name, one.manager, one.state) for one in packages_in(body, "dpkg")]
    assert found == [("pocl-opencl-icd", "dpkg", "installed"), ("half", "dpkg", "unpacked")]


def test_the_user_of_most_processes_that_are_not_roots() -> None:
    lines = (
        b"0 0 0 0|0 0 0 0|0",
        b"911 911 911 911|1000 1000 1000 1000|44 1000",
        b"",
        b"33 33|33 33|",
        b"911 911|1000 1000|44 1000",
        b"|x|",
    )
    body = b"\n".join(lines)

    assert worker_in(body) == Worker(911, 1000, (1000, 44))
    assert worker_in(b"0 0 0 0|0 0 0 0|0\n") is None
    assert worker_in(b"\xff|\n") is None
