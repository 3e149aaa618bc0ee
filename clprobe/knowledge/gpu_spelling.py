# SPDX-License-Identifier: MIT
"""Readings of a name as tools print it: `Mesa Intel(R) UHD Graphics 620 (KBL GT2)`."""

import re
from collections.abc import Iterator

from clprobe.knowledge.lspci_names import readings as hardware_readings

_ID = r"([0-9a-f]{4})"
_PCI_IDS = (
    rf"\[{_ID}:{_ID}\]",  # lspci -nn
    rf"VEN_{_ID}&DEV_{_ID}",  # Windows
    rf"v0000{_ID}d0000{_ID}",  # modalias
    rf"^(?:0x)?{_ID}[: ]\s*(?:0x)?{_ID}$",  # written by hand
)
_DEVICE = rf"\b(?:U?HD|Iris|Arc|Intel).*[\[(]0x{_ID}[\])]"  # compute-runtime's device names
_DECORATION = (
    r"^\s*(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\s+",
    r"\b(?:VGA compatible|Display|3D) controller\b(?: \[03[0-9a-f]{2}\])?:?",
    rf"\[{_ID}:{_ID}\]",
    r"\(rev [0-9a-f]+\)",
    r"\((?:R|TM|C)\)|[®™]",
    r"^\s*Mesa (?:DRI )?(?=Intel|AMD|HD|UHD|Iris)",
    r"\b(?:Intel|NVIDIA) Corporation\b",
    r"\bAdvanced Micro Devices, Inc\. \[AMD/ATI\]",
    r"\bGNU/Linux\b|\bLTS\b",
    r"^\s*OpenCL (?:C )?\d\.\d (?=\S)",  # how platforms and devices write their versions
    r"(?:_(?:amd64|all)\.deb|\.(?:x86_64|noarch)(?:\.rpm)?)$",
    r"(?<=[a-z\d])(?::amd64|\.fc\d+)$",
    r"\([^()]*\)\s*$",  # what stands behind a name explains it: (KBL GT2), (bookworm)
)
_LOADER = re.compile(r"^(?:.*/)?libOpenCL\.so[\d.]*$|^(?:OpenCL )?(?:ICD )?loader$", re.IGNORECASE)
_FROM_LSPCI = re.compile(
    r"controller|processor|\bi[3579]-|\bultra [579]\b|\bN\d{2,3}\b|[a-z]Lake", re.IGNORECASE
)
_GENERAL = frozenset(
    ("intel", "amd", "ati", "radeon", "geforce", "gpu", "gpus", "igpu", "dgpu", "card", "video",
     "graphics", "integrated", "discrete", "opencl", "driver", "drivers", "icd", "r", "tm", "the",
     "my", "a", "for", "with", "linux")
)  # fmt: skip


def pci_id(name: str) -> str | None:
    """Return the PCI id, such as 8086:0412, that stands in the name, whoever made it."""
    for pattern in _PCI_IDS:
        found = re.search(pattern, name, re.IGNORECASE)
        if found is not None:
            return f"{found[1]}:{found[2]}".lower()
    device = re.search(_DEVICE, name, re.IGNORECASE)
    return f"8086:{device[1]}".lower() if device is not None else None


def plain(name: str) -> str:
    """Return the name without what lspci, Mesa and os-release put around it."""
    text = re.sub(r"^(Intel|AMD|NVIDIA)(?=U?HD|Iris|Arc|Radeon|GeForce|[RG]TX)", r"\1 ", name)
    if _LOADER.search(text):
        return "loader"
    for pattern in _DECORATION:
        text = " ".join(re.sub(pattern, " ", text, flags=re.IGNORECASE).split()) or text
    return text


def hardware(name: str) -> Iterator[str]:
    """Yield which chip lspci or the number of a processor may mean; nothing for other names."""
    if _FROM_LSPCI.search(name):
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
    return bool(found) and found <= _GENERAL
