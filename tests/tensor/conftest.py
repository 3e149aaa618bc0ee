# SPDX-License-Identifier: MIT
"""Every OpenCL device that this process sees, as a fixture."""

from collections.abc import Iterator

import numpy as np
import pytest

cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed")

from clprobe.tensor import Device  # noqa: E402 - needs pyopencl
from clprobe.tensor.program import first_errors  # noqa: E402

TRIVIAL = "kernel void nothing(global int *x) { x[0] = 0; }"


def visible_devices() -> list["cl.Device"]:
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # no ICD at all is an error to the loader
        return []
    return [device for platform in platforms for device in devices_of(platform)]


def devices_of(platform: "cl.Platform") -> list["cl.Device"]:
    try:
        return list(platform.get_devices())
    except cl.Error:  # so is a platform without devices
        return []


def label(device: "cl.Device") -> str:
    version = device.platform.version.split()
    return "-".join([device.platform.name, *version[2:4], device.name]).replace(" ", "-")


@pytest.fixture(
    scope="session", params=visible_devices() or [None], ids=lambda d: label(d) if d else "none"
)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    if request.param is None:
        pytest.skip("no OpenCL device is visible in this process")
    try:
        cl.Program(cl.Context([request.param]), TRIVIAL).build(cache_dir=False)
    except cl.Error as error:
        # PoCL 3.0 of the pyopencl wheel, for one, knows no processor newer than its LLVM.
        reason = "; ".join(first_errors(str(error)))
        pytest.skip(f"{request.param.name} builds not even an empty kernel: {reason}")
    with Device.open(request.param) as opened:
        yield opened


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(20260821)
