# SPDX-License-Identifier: MIT
"""Reads inxi's sections: keys and values one after another, wrapped at will."""

import re
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, System
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.inventories import of_linux, of_os
from clprobe.paste.reading import Paste, Reading
from clprobe.paste.systems import cpu_named

_FORMS = Forms("inxi")
_MOST_LINES = 40


def read_inxi(paste: Paste) -> Iterator[Reading]:
    """Give the system and the GPUs; the other sections are understood and passed over."""
    name, texts, lines = "", [""], [-9]
    for index, line in paste.free():
        section = _FORMS.section.match(line)
        following = paste.lines[index + 1].strip() if index + 1 < len(paste.lines) else ""
        device = _FORMS.first_key.match(line) if line.startswith(("Device-", "Card-")) else None
        near = index - lines[-1] == 1 and len(lines) < _MOST_LINES
        if section is not None and _FORMS.first_key.match(section["rest"] or following):
            yield from _told(name, texts, lines)
            name, texts, lines = section["name"], [section["rest"] or ""], [index]
        elif name and near and section is None:
            texts.append(line)
            lines.append(index)
        elif device is not None and re.search(r"chip-ID|bus-ID|driver:", f"{line} {following}"):
            yield from _told(name, texts, lines)
            name, texts, lines = "Graphics", [line], [index]
        elif name and not near:
            yield from _told(name, texts, lines)
            name = ""
    yield from _told(name, texts, lines)


def _told(name: str, texts: list[str], lines: list[int]) -> Iterator[Reading]:
    if not name:
        return
    parts = _FORMS.key.split(" ".join(texts)[:4000])
    pairs = list(zip(parts[1::2], (value.strip() for value in parts[2::2]), strict=False))
    facts = Snapshot()
    if name == "System":
        values = dict(pairs)
        linux = of_linux(values.get("Kernel", "")) or Snapshot()
        named = of_os(values.get("Distro", "")) or Snapshot()
        system = msgspec.structs.replace(named.system, linux=linux.system.linux)
        facts = Snapshot(system=system)
    elif name == "Graphics":
        of_drivers = System(linux=Linux(module_versions=_driver_versions(pairs)))
        facts = Snapshot(gpus=tuple(_inxi_gpus(pairs)) or NOT_STATED, system=of_drivers)
    elif name == "CPU":
        model = next((value for key, value in pairs if key == "model"), "")
        if model:
            facts = Snapshot(system=System(cpu=cpu_named(model)))
    is_whole = name == "Graphics" and len(texts[0]) == 0
    yield Reading(lines=tuple(lines), facts=facts, whole=("gpus",) if is_whole else ())


def _driver_versions(pairs: list[tuple[str, str]]) -> dict[str, str | Unknown | None]:
    """Return the versions that stand behind drivers of GPUs which are no part of Linux."""
    return {
        driver: version
        for (key, driver), (next_key, version) in pairwise(pairs)
        if (key, next_key) == ("driver", "v") and driver == "nvidia" and version[:1].isdigit()
    }


def _inxi_gpus(pairs: list[tuple[str, str]]) -> Iterator[Gpu]:
    gpu: Gpu | None = None
    for key, value in pairs:
        if re.match(r"(?:Device|Card)(?:-\d)?$", key):
            if gpu is not None:
                yield gpu
            gpu = Gpu(name=value)
        elif gpu is None:
            continue
        elif key == "driver" and value != "X:":  # which names the display server's own
            gpu = msgspec.structs.replace(
                gpu,
                kernel_driver=None if value == "N/A" else value.split()[0] if value else NOT_STATED,
            )
        elif key == "bus-ID" and re.fullmatch(r"[0-9a-f]{2}:[0-9a-f]{2}\.\d", value):
            gpu = msgspec.structs.replace(gpu, pci_address=f"0000:{value}")
        elif key == "chip-ID" and re.fullmatch(r"[0-9a-f]{4}:[0-9a-f]{4}", value):
            gpu = msgspec.structs.replace(gpu, pci_id=value)
    if gpu is not None:
        yield gpu
