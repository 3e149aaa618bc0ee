# SPDX-License-Identifier: MIT
"""A PoCL to measure, as the target of real child processes."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

_DEBIAN = "/usr/lib/*/libpocl.so.2"
_PLATFORM = "Portable Computing Language"

if find_spec("numpy") is None or find_spec("pyopencl") is None:
    # Without the bench extra only the command can be tested: it says what to install.
    collect_ignore_glob = ["test_*.py"]
else:
    from built_once import each_source_built_once

    from clprobe.bench.protocol import Target
    from clprobe.tensor.binary_cache import SWITCH


def library_of_pocl() -> Path:
    """Return the system's PoCL, or the one inside pyopencl's wheel."""
    package = Path(find_spec("pyopencl").origin).parent
    libraries = [*Path("/").glob(_DEBIAN[1:]), *package.glob(".libs/libpocl-*.so")]
    if not libraries:
        pytest.skip("no PoCL, neither of the system nor in pyopencl's wheel")
    return libraries[0].resolve()


@pytest.fixture(scope="module")
def built_once() -> Iterator[None]:
    """Let the tests of a module build each source once, and give no binary away."""
    with pytest.MonkeyPatch.context() as patch, each_source_built_once():
        patch.setenv(SWITCH, "0")
        yield


@pytest.fixture(scope="session")
def pocl() -> "Target":
    """Return PoCL's device."""
    return Target(
        label="PoCL",
        library=str(library_of_pocl()),
        platform=_PLATFORM,
        name=None,
        driver_version=None,
        position=0,
    )
