# SPDX-License-Identifier: MIT
"""clprobe's own framework on one OpenCL device, as a contestant."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyopencl as cl

from clprobe.bench.engines.opencl import OpenClEngine
from clprobe.tensor import Device, Recorded


class OpenClRecording:
    """Commands and what the device's own clock says of them."""

    def __init__(self, commands: list[Recorded]) -> None:
        self._commands = commands

    def total_ms(self) -> float | None:
        """Return the time of all; None where the device keeps none.

        rusticl of Mesa 22.3 says 1 ns of every command.
        """
        elapsed_ns = [command.elapsed_ns for command in self._commands]
        return sum(elapsed_ns) / 1e6 if any(one > 1 for one in elapsed_ns) else None


class OpenClSubject(OpenClEngine):
    """The device under test."""

    framework = "clprobe"

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self.is_cpu = bool(device.cl_device.type & cl.device_type.CPU)

    def compile_ns(self) -> int:
        """Return the time spent on building kernels so far."""
        return self.device.compile_ns

    @contextmanager
    def recording(self) -> Iterator[OpenClRecording]:
        """Watch the commands of a `with` block."""
        with self.device.record_events() as commands:
            yield OpenClRecording(commands)
