# SPDX-License-Identifier: MIT
"""The errors of the tensor package, each with parts that the command line lays out."""

from clprobe.model.errors import ClprobeError


class DeviceError(ClprobeError):
    """A device refused an allocation, a launch or a transfer."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(reference="opencl-device-failed", message=message, hint=hint)


class OutOfMemoryError(DeviceError):
    """A device had no room left for what was asked."""


class BuildError(ClprobeError):
    """A kernel did not build; the message holds file, options, device and the first errors."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(reference="kernel-does-not-build", message=message, hint=hint)


class ShapeError(ClprobeError, ValueError):
    """The shapes of the operands do not fit the operation."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(reference="shapes-do-not-fit", message=message, hint=hint)


class DtypeError(ClprobeError, TypeError):
    """An operand is neither float32 data nor int32 labels where those are needed."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(reference="dtype-not-supported", message=message, hint=hint)
