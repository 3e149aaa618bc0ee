# SPDX-License-Identifier: MIT
"""Reads what the kernel tells of a GPU in /sys/class/drm/card*/device/uevent: id, place, driver."""

from collections.abc import Iterator

from clprobe.knowledge.printed import Forms
from clprobe.model.hardware import Gpu
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.reading import Paste, Reading

_FORMS = Forms("uevent")
_MOST = 40
"""Such blocks in a paste; a machine has a few GPUs, and a node of each kind of them."""
_LONGEST_BLOCK = 30


def read_uevents(paste: Paste) -> Iterator[Reading]:
    """Give the GPU of each block of a PCI device's events, a display's by its class."""
    block: dict[str, str] = {}
    lines: list[int] = []
    given = 0
    for index, line in paste.free():
        found = _FORMS.entry.match(line)
        is_next = bool(lines) and index - lines[-1] <= 1 and len(lines) < _LONGEST_BLOCK
        goes_on = found is not None and is_next and found["key"] not in block
        if lines and not goes_on:
            yield from _told(block, lines)
            given, block, lines = given + 1, {}, []
            if given >= _MOST:
                return
        if found is not None:
            block[found["key"]] = found["value"]
            lines.append(index)
        elif _FORMS.title.match(line):
            yield Reading(lines=(index,), facts=Snapshot())
    yield from _told(block, lines)


def _told(block: dict[str, str], lines: list[int]) -> Iterator[Reading]:
    """Give the GPU; a block without a PCI id, or of no display, is left to other readers."""
    if "PCI_ID" not in block:
        return
    shown = block.get("PCI_CLASS", "3")
    gpu = Gpu(
        pci_id=block["PCI_ID"].lower(),
        pci_address=block.get("PCI_SLOT_NAME", "").lower() or NOT_STATED,
        kernel_driver=block.get("DRIVER", NOT_STATED),
        pci_class=f"0x{int(shown, 16):06x}" if len(shown) > 1 else NOT_STATED,
    )
    facts = Snapshot(gpus=(gpu,)) if shown.startswith("3") else Snapshot()
    yield Reading(lines=tuple(lines), facts=facts)
