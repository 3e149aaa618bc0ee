# SPDX-License-Identifier: MIT
"""Reads what hashcat prints of platforms and devices when it starts to work."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("answers")
_MOST_GAP = 4


def read_hashcat_runs(paste: Paste) -> Iterator[Reading]:
    """Give the platforms that hashcat names, each run of lines as one view."""
    for lines, found in paste.runs(_of_hashcat, most_gap=_MOST_GAP):
        platforms: list[tuple[str, list[Device]]] = []
        for is_device, name in found:
            if not is_device:
                platforms.append((name, []))
            elif platforms:
                platforms[-1][1].append(Device(name=name))
        if not platforms:
            continue
        shown = tuple(Platform(name=name, devices=tuple(devices)) for name, devices in platforms)
        is_empty = not any(devices for _, devices in platforms)
        answer = Answer(platforms=shown, outcome="no-devices" if is_empty else NOT_STATED)
        facts = Snapshot(views=(View(viewer="hashcat", answer=answer),))
        yield Reading(lines=tuple(lines), facts=facts, private=True)


def _of_hashcat(line: str, _: str) -> tuple[bool, str] | None:
    """Return whether the line is about a device, and the name; None: it is another program's."""
    platform, device = _FORMS.run_platform.match(line), _FORMS.run_device.match(line)
    if platform is not None:
        return False, platform["name"]
    return (True, device["name"]) if device is not None else None
