# SPDX-License-Identifier: MIT
"""The builds that kernels are asked for in, as a fixture."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

# Its cases and oracles serve here, too.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tensor"))

if find_spec("pyopencl") is None:
    # Nothing in this folder can be imported without it.
    collect_ignore_glob = ["test_*.py"]
else:
    import devices
    from asked_for import Build, asked_for, pretended_limits

    @pytest.fixture(scope="session")
    def builds() -> dict[str, set[Build]]:
        """Return the builds that each pretended device asks for."""
        usable = [device for device in devices.visible() if not devices.why_broken(device)]
        if not usable:
            pytest.skip("no OpenCL device is visible in this process")
        return {
            name: set(asked_for(usable[0], limits).builds)
            for name, limits in pretended_limits().items()
        }
