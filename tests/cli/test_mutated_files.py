# SPDX-License-Identifier: MIT
"""No damaged snapshot, rule or report gives a traceback, an escape, a hang or a foreign command."""

import pytest
from mutated_files import COMMANDS, check

EACH = 40
LIMIT_S = 30
"""Of the processor's time, many times what the slowest takes."""


@pytest.mark.parametrize("kind", COMMANDS)
def test_damaged_files_end_in_an_answer_or_one_message(kind: str) -> None:
    cases = list(check(kind, EACH, seed=7))
    assert len(cases) == EACH
    assert max(case.seconds for case in cases) < LIMIT_S
    assert {case.status for case in cases} & {2}, "nothing was damaged enough"
