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

    def views(cl_device: object) -> list:
        """Return a device as both kinds, so both kinds of kernels run everywhere."""
        name = devices.label(cl_device)
        reason = devices.why_broken(cl_device)
        marks = [pytest.mark.skip(reason=reason)] if reason else []
        return [
            pytest.param((cl_device, False), id=name, marks=marks),
            pytest.param((cl_device, True), id=f"{name}-as-other-kind", marks=marks),
        ]

    VIEWS = [view for cl_device in devices.visible() for view in views(cl_device)]

    @pytest.fixture(scope="session", params=VIEWS or [None])
    def device(request: pytest.FixtureRequest) -> Iterator[Device]:
        if request.param is None:
            pytest.skip("no OpenCL device is visible in this process")
        cl_device, as_other_kind = request.param
        limits = Limits.of(cl_device)
        if as_other_kind:
            limits = replace(limits, is_cpu=not limits.is_cpu)
        with Device.open(cl_device, limits=limits) as opened:
            yield opened


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(20260821)
