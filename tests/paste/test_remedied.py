# SPDX-License-Identifier: MIT
"""What was complained of before a step that led to another complaint is over."""

import pytest
from pastes import facts, read

from clprobe.paste.prose.remedied import ended_complaints

NO_LIBRARY = "Can't load libOpenCL.so: libOpenCL.so: cannot open shared object file: No such file"
STEP = "so I installed the loader's package"
ANOTHER = "Error during model prepare : clGetPlatformIDs"
AGAIN = "and I got the error below when I ran it again"


def test_the_complaint_before_the_step_is_of_the_time_before() -> None:
    told = facts(f"{NO_LIBRARY} or directory\n{STEP}\n{AGAIN}\n{ANOTHER}\n")
    assert told["messages"] == (ANOTHER,)
    (before,) = told["perspectives"]
    assert before["when"] == "before"
    assert before["facts"]["messages"] == (f"{NO_LIBRARY} or directory",)


def test_it_is_not_compared_with_solved_reports() -> None:
    assert NO_LIBRARY not in read(f"{NO_LIBRARY}\n{STEP}\n{AGAIN}\n{ANOTHER}\n").told


@pytest.mark.parametrize(
    "lines",
    [
        (NO_LIBRARY, STEP),
        (NO_LIBRARY, STEP, AGAIN),
        (NO_LIBRARY, AGAIN, ANOTHER),
        (NO_LIBRARY, STEP, AGAIN, NO_LIBRARY),
        (STEP, AGAIN, ANOTHER, NO_LIBRARY),
    ],
)
def test_it_stands_where_the_step_is_not_told_to_have_changed_it(lines: tuple[str, ...]) -> None:
    assert ended_complaints(lines) == frozenset()


def test_what_comes_back_after_the_step_is_not_over() -> None:
    lines = (NO_LIBRARY, "fatal: no such device", STEP, AGAIN, ANOTHER, f"  {NO_LIBRARY}")
    assert ended_complaints(lines) == frozenset({1})


def test_a_program_that_tries_a_library_itself_names_no_icd_file() -> None:
    line = "Can't load libmali.so: libmali.so: cannot open shared object file: "
    told = facts(f"{line}No such file or directory")
    assert "icds" not in told
    assert told["libraries"] == {"libmali.so": None}
