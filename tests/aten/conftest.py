# SPDX-License-Identifier: MIT
"""One right OpenCL device: PoCL of pyopencl's wheel or of the system."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

if find_spec("torch") is None or find_spec("pyopencl") is None:
    # Nothing in this folder can be imported without them.
    collect_ignore_glob = ["test_*.py"]
else:
    import pyopencl as cl
    from built_once import each_source_built_once, optimized

    from clprobe.tensor import Device

    @pytest.fixture(scope="session")
    def device() -> Iterator[Device]:
        platforms = [each for each in cl.get_platforms() if "Portable" in each.name]
        if not platforms:
            pytest.skip("PoCL shows no platform here")
        found = platforms[0].get_devices()[0]
        with each_source_built_once(), optimized(), Device.open(found) as opened:
            yield opened
