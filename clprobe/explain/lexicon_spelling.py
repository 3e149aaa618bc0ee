# SPDX-License-Identifier: MIT
"""Readings of a name as tools print it: `Mesa Intel(R) UHD Graphics 620 (KBL GT2)`."""

import re
from collections.abc import Iterator

from clprobe.knowledge.lspci_names import readings as hardware_readings
from clprobe.knowledge.printed import Forms

_FORMS = Forms("hardware_names")
_MAKERS = {"8086": "Intel", "1002": "AMD", "10de": "NVIDIA"}


def pci_id(name: str) -> str | None:
    """Return the PCI id, such as 8086:0412, that a known maker's GPU is named by."""
    for pattern in _FORMS.patterns["pci_ids"].values():
        found = pattern.search(name)
        if found is not None and found[1].lower() in _MAKERS:
            return f"{found[1]}:{found[2]}".lower()
    device = _FORMS.device.search(name)
    return f"8086:{device[1]}".lower() if device is not None else None


def maker(found: str) -> str:
    """Return who makes the GPUs that the first half of a PCI id stands for."""
    return _MAKERS[found.partition(":")[0]]


def plain(name: str) -> str:
    """Return the name without what lspci, Mesa and os-release put around it."""
    text = re.sub(r"^(Intel|AMD|NVIDIA)(?=U?HD|Iris|Arc|Radeon|GeForce|[RG]TX)", r"\1 ", name)
    if _FORMS.loader.search(text):
        return "loader"
    for pattern in _FORMS.patterns["decoration"].values():
        text = " ".join(pattern.sub(" ", text).split()) or text
    return text


def hardware(name: str) -> Iterator[str]:
    """Yield which chip lspci or the number of a processor may mean; nothing for other names."""
    if _FORMS.from_lspci.search(name):
        for reading in hardware_readings(name):
            if reading != name and not is_general(reading):
                yield reading


def inside(name: str, brackets: str) -> list[str]:
    """Return what stands in brackets of that kind and tells more than that it is a GPU."""
    left, right = map(re.escape, brackets)
    found = re.findall(rf"{left}([^{left}{right}]+){right}", name)
    return [text for text in found if not is_general(text)]


def is_general(name: str) -> bool:
    """Whether a name says no more than that it is about a GPU or a driver."""
    found = set(re.findall(r"[a-z0-9]+", name.lower()))
    return bool(found) and found <= _FORMS.words["general"]
