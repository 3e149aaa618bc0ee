# SPDX-License-Identifier: MIT
"""PyTorch on a device that is not the CPU, as a contestant: `xpu`, or pytorch_dlprim's `ocl`."""

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

from clprobe.bench.engines.torch_cpu import TorchEngine
from clprobe.tensor import DeviceError


class NoRecording:
    """Torch's commands, whose times it does not tell."""

    def total_ms(self) -> float | None:
        """Return that it is not known."""
        return None


class TorchSubject(TorchEngine):
    """The first device of one type, `xpu` or `ocl`.

    **Raises** DeviceError if torch cannot compute on it.
    """

    framework = "torch"
    is_cpu = False

    def __init__(self, device_type: str) -> None:
        if device_type == "ocl" and importlib.util.find_spec("pytorch_ocl"):
            importlib.import_module("pytorch_ocl")  # which registers the device
        try:
            super().__init__(f"{device_type}:0")
        except (RuntimeError, AssertionError, NotImplementedError) as error:
            first = str(error).strip().partition("\n")[0] or type(error).__name__
            raise DeviceError(f"torch cannot use {device_type}: {first}") from error

    def compile_ns(self) -> int:
        """Return nothing, as torch does not tell."""
        return 0

    @contextmanager
    def recording(self) -> Iterator[NoRecording]:
        """Watch nothing."""
        yield NoRecording()
