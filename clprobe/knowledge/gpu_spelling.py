# SPDX-License-Identifier: MIT
"""Readings of a name as tools print it: `Mesa Intel(R) UHD Graphics 620 (KBL GT2)`."""

import re

from clprobe.knowledge.printed import Forms

_FORMS = Forms("hardware_names")


def pci_id(name: str) -> str | None:
    """Return the PCI id, such as 8086:0412, that stands in the name, whoever made it."""
    for pattern in _FORMS.patterns["pci_ids"].values():
        found = pattern.search(name)
        if found is not None:
            return f"{found[1]}:{found[2]}".lower()
    device = _FORMS.device.search(name)
    return f"8086:{device[1]}".lower() if device is not None else None


def plain(name: str) -> str:
    """Return the name without what lspci, Mesa and os-release put around it."""
    text = re.sub(r"^(Intel|AMD|NVIDIA)(?=U?HD|Iris|Arc|Radeon|GeForce|[RG]TX)", r"\1 ", name)
    if _FORMS.loader.search(text):
        return "loader"
    for pattern in _FORMS.patterns["decoration"].values():
        text = " ".join(pattern.sub(" ", text).split()) or text
    return text


def inside(name: str, brackets: str) -> list[str]:
    """Return what stands in brackets of that kind and tells more than that it is a GPU."""
    left, right = map(re.escape, brackets)
    found = re.findall(rf"{left}([^{left}{right}]+){right}", name)
    return [text for text in found if not is_general(text)]


def is_general(name: str) -> bool:
    """Whether a name says no more than that it is about a GPU or a driver."""
    found = set(re.findall(r"[a-z0-9]+", name.lower()))
    return bool(found) and found <= _FORMS.words["general"]
