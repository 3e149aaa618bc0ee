# SPDX-License-Identifier: MIT
import sys
from pathlib import Path

import pytest
from system_copy import prepared_copies

# For everyones_python.
sys.path.append(str(Path(__file__).resolve().parents[1] / "probe"))


@pytest.fixture(scope="session")
def copy(tmp_path_factory):
    with prepared_copies(tmp_path_factory.mktemp("memory")) as copies:
        yield copies
