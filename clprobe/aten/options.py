# SPDX-License-Identifier: MIT
"""What users may ask of the compile backend, and the device that they mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import pyopencl as cl

from clprobe.model.errors import ClprobeError
from clprobe.tensor import Device
from clprobe.tensor.choose import is_called, name_of, visible

Fallback = Literal["cpu", "error"]
_KNOWN = ("device", "fallback", "check")
_KINDS = {"gpu": cl.device_type.GPU, "cpu": cl.device_type.CPU}


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `torch.compile(…, backend="clprobe", options=…)`."""

    device: str = "gpu"
    fallback: Fallback = "cpu"
    check: int = 0

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Options":
        """Return options, the ones left out as usual.

        **Raises** ClprobeError for a name or a value that is none.
        """
        for name in given:
            if name not in _KNOWN:
                raise _wrong(f"there is no option {name!r}", f"Options are {', '.join(_KNOWN)}.")
        fallback, check = given.get("fallback", "cpu"), given.get("check", 0)
        if fallback not in {"cpu", "error"}:
            raise _wrong(f"fallback={fallback!r}", "It is 'cpu' or 'error'.")
        if not isinstance(check, int) or check < 0:
            raise _wrong(f"check={check!r}", "It is a number of runs, 0 or more.")
        return cls(str(given.get("device", "gpu")), cast("Fallback", fallback), check)


def device_of(asked: str) -> Device:
    """Return the device that an index, gpu, cpu, a driver such as pocl or part of a name means.

    No CPU is taken unless it is asked for.

    **Raises** ClprobeError where none is meant or several are, naming those that there are.
    """
    found = visible()
    names = [f"{at}: {name_of(each)}" for at, each in enumerate(found)]
    if asked.lower() in _KINDS:
        meant = [each for each in found if each.type & _KINDS[asked.lower()]]
    else:
        meant = [each for at, each in enumerate(found) if is_called(each, at, asked)]
    if len(meant) != 1:
        listed = "; ".join(names) or "none at all"
        what = "means no device" if not meant else f"means {len(meant)} devices"
        raise _wrong(f"device={asked!r} {what}", f"Devices are: {listed}.")
    return Device.open(meant[0])


def _wrong(problem: str, hint: str) -> ClprobeError:
    return ClprobeError(
        reference="compile-options",
        message=f'torch.compile(backend="clprobe"): {problem}.',
        hint=hint,
    )
