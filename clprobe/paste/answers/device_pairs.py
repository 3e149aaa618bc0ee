# SPDX-License-Identifier: MIT
"""Reads listings of platforms by their bare names, each with its devices on the lines below."""

from collections.abc import Iterator, Sequence

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.crashes import viewer_of
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("answers")
_PROGRAMS = Forms("programs")
_Listed = tuple[str, list[str]]


def read_device_pairs(paste: Paste) -> Iterator[Reading]:
    """Give the platforms and devices of each such listing as what a program sees."""
    lines: list[int] = []
    listed: list[_Listed] = []
    for index, line in paste.free():
        is_next = bool(lines) and index == lines[-1] + 1
        is_platform = _FORMS.platform_name.match(line) or _FORMS.other_platform.match(line)
        device = _FORMS.device_of_platform.match(line) if is_next else None
        if not (is_platform or device) or not is_next:
            yield from _told(lines, listed, paste)
            lines, listed = [], []
        if is_platform:
            listed.append((line, []))
            lines.append(index)
        elif device is not None:
            listed[-1][1].append(device["name"])
            lines.append(index)
    yield from _told(lines, listed, paste)


def _told(lines: Sequence[int], listed: Sequence[_Listed], paste: Paste) -> Iterator[Reading]:
    """Give the listing, unless a platform in it has no device: then it is a mere name."""
    if not listed or not all(devices for _, devices in listed):
        return
    platforms = tuple(
        Platform(name=name, devices=tuple(map(_device, devices)))
        for name, devices in listed
        if not _FORMS.other_platform.match(name)
    )
    if platforms:
        viewer = viewer_of(paste.contexts[lines[0]], [])
        view = View(viewer=viewer, answer=Answer(platforms=platforms))
        yield Reading(lines=tuple(lines), facts=Snapshot(views=(view,)), private=True)


def _device(name: str) -> Device:
    kind = _PROGRAMS.meaning("types", name)
    return Device(name=name, type=NOT_STATED if kind is None else kind)
