# SPDX-License-Identifier: MIT
"""Every OpenCL device that this process sees, as a fixture."""

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

if find_spec("pyopencl") is None:
    # Nothing in this folder can be imported without it.
    collect_ignore_glob = ["test_*.py"]
else:
    import devices

    from clprobe.tensor import Device, Limits

    # Each device is also tested as the kind it is not, so both kinds of kernels run everywhere.
    VIEWS = [(device, as_other) for device in devices.USABLE for as_other in (False, True)]

    def view_id(view: tuple | None) -> str:
        if view is None:
            return "none"
        return devices.label(view[0]) + ("-as-other-kind" if view[1] else "")

    @pytest.fixture(scope="session", params=VIEWS or [None], ids=view_id)
    def device(request: pytest.FixtureRequest) -> Iterator[Device]:
        if request.param is None:
            pytest.skip("no OpenCL device that builds kernels is visible in this process")
        cl_device, as_other_kind = request.param
        limits = Limits.of(cl_device)
        if as_other_kind:
            limits = replace(limits, is_cpu=not limits.is_cpu)
        with Device.open(cl_device, limits=limits) as opened:
            yield opened


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(20260821)
