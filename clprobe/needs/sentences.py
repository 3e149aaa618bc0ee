# SPDX-License-Identifier: MIT
"""Why a need is fulfilled or not, in one sentence: the nearest device and what it lacks."""

from clprobe.needs.answer import DeviceAnswer, NeedAnswer
from clprobe.needs.truth import Truth

_MOST_POINTS = 3


def because_of_devices(
    answer: NeedAnswer, kind: str | None, unseen: str | None, kinds: tuple[bool, ...]
) -> str:
    """Return why; `kinds` tells which devices are, or may be, of the kind that is asked for."""
    if answer.answer == "yes":
        good = next(one for one in answer.devices if one.answer == "yes")
        more = f" and {answer.found - 1} more" if answer.found > 1 else ""
        return f"{_called(good)}{more}: {answer.needs}"
    if unseen is not None and not answer.of_kind:
        return f"which OpenCL devices there are is not known: {unseen}"
    too_few = f"{answer.found} of {answer.count} devices; " if answer.count > 1 else ""
    candidates = [
        one for one, fits in zip(answer.devices, kinds, strict=True) if fits and one.answer != "yes"
    ]
    if not candidates:
        return f"{too_few}{_none_there(answer, kind)}"
    if answer.answer == "not-known":
        candidates = [one for one in candidates if one.answer == "not-known"] or candidates
    nearest = min(candidates, key=_distance)
    return f"{too_few}{_called(nearest)} {_lacks(nearest)}"


def _none_there(answer: NeedAnswer, kind: str | None) -> str:
    if not answer.devices:
        return "there is no OpenCL device"
    if answer.found:
        return f"there is no other {kind or 'device'} with {answer.needs}"
    posing = [p.has for one in answer.devices for p in one.open if "posing" in p.has]
    told = f", though one is {posing[0]}" if posing else ""
    return f"no OpenCL device is of type {kind}{told}"


def _distance(device: DeviceAnswer) -> tuple[int, int]:
    refused = sum(point.answer == "no" for point in device.open)
    return refused, len(device.open)


def _called(device: DeviceAnswer) -> str:
    return f"device {device.index}, {device.name or 'without a name'}"


def _lacks(device: DeviceAnswer) -> str:
    deciding = [p for p in device.open if p.answer == "no"] or list(device.open)
    verb = "lacks" if deciding[0].answer == "no" else "may lack"
    told = [f"{point.needs} ({point.has})" for point in deciding[:_MOST_POINTS]]
    more = len(deciding) - len(told)
    return f"{verb} {', '.join(told)}" + (f" and {more} more" if more else "")


def because_of_group(kind: str, truth: Truth, because: str, parts: int) -> str:
    """Return why one of `any` or `none` holds or not; `because` is that of the deciding part."""
    if kind == "none":
        said = "what must not be there is" if truth else "nothing of what must not be there is"
        return f"{said}: {because}" if truth else said if truth is False else because
    return f"none of {parts} choices: {because}" if truth is False and parts > 1 else because
