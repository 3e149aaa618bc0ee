# SPDX-License-Identifier: MIT
"""What two processes that share the tests (pytest-xdist) must not tear apart."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Their fixtures take long, a copy of this system for one, and serve several files.
ONE_PROCESS_EACH = {"apply", "kernels", "reality"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a file's tests in one process, and those of some folders."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        path = item.path.relative_to(TESTS)
        folder = path.parts[0]
        group = folder if folder in ONE_PROCESS_EACH else path.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
