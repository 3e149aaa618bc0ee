# SPDX-License-Identifier: MIT
"""The errors of the tensor package, each with parts that the command line lays out."""

from typing import ClassVar

from clprobe.model.errors import ClprobeError


class _TensorError(ClprobeError):
    NAME: ClassVar[str]

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(reference=self.NAME, message=message, hint=hint)


class DeviceError(_TensorError):
    """A device refused an allocation, a launch or a transfer."""

    NAME = "opencl-device-failed"


class OutOfMemoryError(DeviceError):
    """A device had no room left for what was asked."""


class BuildError(_TensorError):
    """A kernel did not build; the message holds file, options, device and the first errors."""

    NAME = "kernel-does-not-build"


class ShapeError(_TensorError, ValueError):
    """The shapes of the operands do not fit the operation."""

    NAME = "shapes-do-not-fit"


class DtypeError(_TensorError, TypeError):
    """An operand is neither float32 data nor int32 labels where those are needed."""

    NAME = "dtype-not-supported"
