# SPDX-License-Identifier: MIT
import pytest
from system_copy import prepared_copies


@pytest.fixture(scope="session")
def copy(tmp_path_factory):
    with prepared_copies(tmp_path_factory.mktemp("memory")) as copies:
        yield copies
