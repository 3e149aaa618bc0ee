# SPDX-License-Identifier: MIT
"""One answer of a driver from those of its children, each of which tried one of its devices."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from clprobe.model.opencl import Answer, Device
from clprobe.model.unknown import listed


def with_others(answer: Answer, others: Sequence[Answer]) -> Answer:
    """Return the first child's answer with what the others' kernels came to, in their order.

    All of them asked for everything; what the first one was told counts. Where it ended well and
    another one did not, that end is the driver's, and its device is named.
    """
    tried = [list(_devices(other)) for other in others]
    number = 0
    platforms = []
    for platform in listed(answer.platforms):
        devices = []
        for device in listed(platform.devices):
            own = tried[number - 1] if 0 < number <= len(tried) else []
            devices.append(_with_kernel(device, own[number]) if number < len(own) else device)
            number += 1
        platforms.append(replace(platform, devices=tuple(devices)))
    merged = replace(answer, platforms=tuple(platforms))
    if answer.outcome != "ok":
        return merged
    for index, other in enumerate(others, start=1):
        if other.outcome not in ("ok", answer.outcome):
            return _ended_as(merged, other, list(_devices(merged)), index)
    return merged


def _devices(answer: Answer) -> Iterator[Device]:
    for _, device in answer.shown():
        yield device


def _with_kernel(device: Device, tried: Device) -> Device:
    return replace(device, kernel_result=tried.kernel_result, build_log=tried.build_log)


def _ended_as(answer: Answer, other: Answer, devices: Sequence[Device], index: int) -> Answer:
    name = devices[index].name if index < len(devices) else None
    message = other.message
    if isinstance(name, str) and isinstance(message, str):
        message = f"{message}, on device {index} ({name})"
    return replace(
        answer,
        stage=other.stage,
        outcome=other.outcome,
        error_code=other.error_code,
        signal=other.signal,
        exit_status=other.exit_status,
        message=message,
        printed=other.printed,
    )
