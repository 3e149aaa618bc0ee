# SPDX-License-Identifier: MIT
"""Finds the output of `clinfo --raw -l`: `0: platform` and `0.1: device`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clprobe.paste.clinfo.blocks import Block, Found

_ENTRY = re.compile(r"\s{0,12}(\d{1,3})(?:([.:*])(\d{1,3}))?: (.{1,400})$")
_COMMAND = re.compile(r"\bclinfo\b.{0,60}--raw|--raw.{0,60}\bclinfo\b|\bclinfo-raw\b")


@dataclass
class RawTreeRun:
    """A list of platforms and devices: its lines and what they say."""

    lines: range
    found: Found


def raw_tree_runs(texts: Sequence[str]) -> list[RawTreeRun]:
    """Return the lists among plain lines; numbered lines alone are not enough to be one."""
    runs: list[RawTreeRun] = []
    index = 0
    while index < len(texts):
        entry = _ENTRY.match(texts[index][:420])
        if not entry or entry[1] != "0" or entry[2]:
            index += 1
            continue
        run, has_device = _run_from(texts, index)
        was_asked = index > 0 and _COMMAND.search(texts[index - 1][-200:])
        if has_device or was_asked:
            runs.append(run)
        index = run.lines.stop
    return runs


def _run_from(texts: Sequence[str], start: int) -> tuple[RawTreeRun, bool]:
    found = Found()
    has_device = False
    place = start
    while place < len(texts):
        entry = _ENTRY.match(texts[place][:420])
        if not entry:
            break
        platform, mark, device, name = (
            int(entry[1]),
            entry[2],
            entry[3],
            entry[4].strip().replace("\t", " "),
        )
        if mark is None:
            if platform != len(found.platforms):
                break
            found.platforms.append(Block({"CL_PLATFORM_NAME": name}, 0))
        elif platform != len(found.platforms) - 1:
            break
        elif mark != "*":
            block = found.platforms[-1]
            if int(device) != len(block.devices):
                break
            block.devices.append({"CL_DEVICE_NAME": name})
            block.announced = len(block.devices)
            has_device = True
        place += 1
    return RawTreeRun(range(start, max(place, start + 1)), found), has_device
