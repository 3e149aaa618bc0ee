# SPDX-License-Identifier: MIT
"""Registers drivers in a folder, collects with it in force, and finds things in the answer."""

import os
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from clprobe.model.opencl import Answer, Icd
from clprobe.model.snapshot import Snapshot
from clprobe.probe.collect import collect
from clprobe.probe.host import Python
from clprobe.probe.live_host import LiveHost

Build = Callable[..., Path]
"""Compiles the fixture driver with a fault, and more options of cc."""


class _WithoutPyopencl(LiveHost):
    """This machine, but for the child whose imports take longer than all drivers."""

    def python(self) -> Python:
        return replace(super().python(), pyopencl_folder=None)


def register(vendors: Path, text: str | bytes | Path) -> Path:
    """Write `broken.icd` into the folder."""
    path = vendors / "broken.icd"
    path.write_bytes(text if isinstance(text, bytes) else f"{text}\n".encode())
    return path


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment without what steers OpenCL, with `more` set."""
    steering = ("OCL_", "OPENCL_", "LD_LIBRARY", "POCL_", "RUSTICL_", "CONDA_", "PYTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    return {**kept, **more}


def ask(vendors: Path, *, timeout_s: float = 8.0, run_kernels: bool = False) -> Snapshot:
    """Collect with the folder in force."""
    host = _WithoutPyopencl(environment(OCL_ICD_VENDORS=str(vendors)))
    return collect(host, timeout_s=timeout_s, run_kernels=run_kernels)


def icd_named(snapshot: Snapshot, path: Path | str) -> Icd:
    """Return one ICD of the snapshot."""
    assert isinstance(snapshot.icds, tuple)
    return next(icd for icd in snapshot.icds if icd.path == str(path))


def device_names(answer: Answer) -> list[object]:
    """Return the names of all devices of an answer."""
    assert isinstance(answer.platforms, tuple)
    return [
        device.name
        for platform in answer.platforms
        for device in (platform.devices if isinstance(platform.devices, tuple) else ())
    ]
