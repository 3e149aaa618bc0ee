# SPDX-License-Identifier: MIT
"""Chooses a device by what it is called, what it is and what it can do; says why not the others."""

from collections.abc import Sequence
from typing import Literal

import pyopencl as cl

from clprobe.tensor.errors import DeviceError
from clprobe.tensor.limits import said

Kind = Literal["gpu", "cpu", "accelerator"]
_KINDS: dict[Kind, int] = {
    "gpu": cl.device_type.GPU,
    "cpu": cl.device_type.CPU,
    "accelerator": cl.device_type.ACCELERATOR,
}


def visible() -> list[cl.Device]:
    """Return every device that the ICD loader shows, in its order."""
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # no ICD at all is an error to the loader
        return []
    return [device for platform in platforms for device in _devices_of(platform)]


def name_of(device: cl.Device) -> str:
    """Return the device's name and its platform's."""
    return f"{said(device, 'name').strip()} ({said(device.platform, 'name').strip()})"


def choose(  # noqa: PLR0913 - each a thing that one may ask for
    name: str = "",
    *,
    kind: Kind | None = None,
    extensions: Sequence[str] = (),
    local_memory_bytes: int = 0,
    memory_bytes: int = 0,
    work_group_size: int = 0,
) -> cl.Device:
    """Return the first device that has all that is asked for.

    `name` is one that `is_called` takes; sizes are the least.
    `extensions=["cl_khr_fp16"]` asks for arithmetic in half precision.

    **Raises** DeviceError, which says for each device what it lacks.
    """
    why = []
    for index, device in enumerate(visible()):
        has = device.extensions.split()
        sizes = {
            "local memory": (device.local_mem_size, local_memory_bytes),
            "memory": (device.global_mem_size, memory_bytes),
            "work-group size": (device.max_work_group_size, work_group_size),
        }
        lacks = [
            *([f"is not called {name!r}"] if not is_called(device, index, name) else []),
            *([f"is no {kind}"] if kind and not device.type & _KINDS[kind] else []),
            *(f"has no {one}" for one in extensions if one not in has),
            *(f"has {own} of {what}, not {least}" for what, (own, least) in sizes.items()
              if own < least),
        ]  # fmt: skip
        if not lacks:
            return device
        why.append(f"{index}: {name_of(device)} {', '.join(lacks)}")
    raise DeviceError(
        "No device has all that is asked for: " + ("; ".join(why) or "there is none at all") + ".",
        hint="`clprobe info` lists the devices.",
    )


def _devices_of(platform: cl.Platform) -> list[cl.Device]:
    try:
        return list(platform.get_devices())
    except cl.Error:  # a platform without devices is one, too
        return []


def is_called(device: cl.Device, index: int, name: str) -> bool:
    """Say whether a name is a device's index, or part of its, its platform's or its driver's."""
    if name.isdecimal():
        return index == int(name)
    # PoCL's platform is called Portable Computing Language; its version names it.
    names = (name_of(device), said(device.platform, "version"))
    return any(name.lower() in each.lower() for each in names)
