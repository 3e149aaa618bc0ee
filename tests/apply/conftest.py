# SPDX-License-Identifier: MIT
import sys
from pathlib import Path

import pytest
from system_copy import made_in

# For everyones_python.
sys.path.append(str(Path(__file__).resolve().parents[1] / "probe"))


@pytest.fixture
def copy(tmp_path):
    return made_in(tmp_path)
