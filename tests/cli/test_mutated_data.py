# SPDX-License-Identifier: MIT
"""Whatever is in a rule or a table, it is read or refused with its name, and is no traceback."""

import pytest
from mutated_data import READERS, read_damaged


@pytest.mark.parametrize("what", READERS)
def test_damaged_data_is_read_or_refused(what: str) -> None:
    came = read_damaged(what, 400, 20261124)
    assert set(came) == {"fine", "refused"}  # both happen, so that neither is blind
