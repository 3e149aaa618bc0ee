# SPDX-License-Identifier: MIT
"""What compilers of drivers complained of, in one line."""

from pathlib import Path

import pytest

from clprobe.watch.complaints import first_errors, headers_in, hidden_files
from clprobe.watch.links import Links, links_in


def told(*logs: str) -> list[Links]:
    """Return a program with these logs."""
    records = "".join(f"B{log}\0\0007\0" for log in logs)
    return links_in(f"P/usr/bin/fft\0\0007\0{records}".encode())


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            "error: /tmp/t_5VP3eN.cl:19:10: 'axpy.h' file not found\nDevice x",
            "'axpy.h' file not found",
        ),
        (
            "<kernel>:3:5: error: use of undeclared identifier 'foo'\n foo",
            "use of undeclared identifier 'foo'",
        ),
        ("warning: odd\n<kernel>:3:5: fatal error: 'a.h' file not found", "'a.h' file not found"),
        ("the compiler is not there", "the compiler is not there"),
    ],
)
def test_the_first_error_without_its_place(log: str, expected: str) -> None:
    assert first_errors(told(log)) == (expected,)


def test_each_once_and_none_without_logs() -> None:
    assert first_errors(told("error: a", "error: a", "error: b")) == ("a", "b")
    assert first_errors(told()) == ()


def test_files_that_are_there_outside(tmp_path: Path) -> None:
    there = tmp_path / "pocl_types.h"
    there.touch()
    winding = f"{tmp_path}/../{tmp_path.name}/pocl_types.h"
    complaints = [
        f"'{winding}' file not found",
        "'/no/such.h' file not found",
        "'own.h' file not found",
    ]
    assert list(headers_in(complaints)) == [winding, "/no/such.h", "own.h"]
    assert hidden_files(complaints, None) == (str(there),)
