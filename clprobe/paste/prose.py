# SPDX-License-Identifier: MIT
"""Reads the little that a sentence tells for sure: distribution, WSL, VM, "works only as root"."""

import re
from collections.abc import Iterator

from clprobe.model.hardware import Gpu
from clprobe.model.opencl import Answer, Device, Platform, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, Package, System, Virtualization
from clprobe.model.unknown import NOT_STATED
from clprobe.paste.distributions import distribution_named
from clprobe.paste.reading import Context, Paste, Reading

_LONGEST = 600
_NEGATED = re.compile(
    r"(?i)\b(?:not|never|isn't|wasn't|instead of|other|another|unlike|used to|previously"
    r"|before|earlier|different|machine without)\b"
)
_WSL = re.compile(r"(?i)\bWSL ?-?(?P<version>[12])?\b")
_WINDOWS_DRIVER = re.compile(r"(?i)\bdriver (?P<version>\d{2}\.\d{1,2}\.\d{1,3}\.\d{3,4})\b")
_ONLY_ROOT = re.compile(
    r"(?i)\b(?:only|just) (?:\w+ ){0,3}(?:as|with|using|for|under) (?:root|sudo)\b"
    r"|\b(?:with|using|as) (?:sudo|root) (?:only|it works|works)\b|\bworks? (?:fine |only "
    r"|correctly |well )?(?:as|with|under|for|when run as|using) (?:root|sudo)\b"
    r"|\bruns only (?:for|as) root\b|\b(?:found|visible|shown|detected|listed) (?:only "
    r")?(?:with|as|by) (?:sudo|root)\b|\bgone when run as root\b|\brequires? (?:root"
    r"|sudo)\b"
)
_VIRTUALBOX = re.compile(r"(?i)\bvirtual ?box\b")
_MACHINES = (
    (r"vmware", "vmware"),
    (r"hyper-?v", "microsoft"),
    (r"\bkvm\b|\bqemu\b|proxmox vm|pass-?through", "kvm"),
)
_CONTAINERS = (
    (r"\bdocker\b(?! ?-?toolkit)|dockerfile", "docker"), (r"\bpodman\b", "podman"),
    (r"\bflatpak\b", "flatpak"), (r"\bsnap\b(?= |\.|$)", "snap"),
    (r"\bkubernetes\b|\bk3s\b", "kubernetes"),
)  # fmt: skip
_LINUX = re.compile(
    r"(?i)\b(?:linux |kernel |kernel version:? |linux kernel "
    r")(?P<release>\d{1,2}\.\d{1,3}(?:\.\d{1,3})?(?:-[\w.+-]{1,50})?)\b(?! fine| works| "
    r"worked)"
)
_NEO = re.compile(
    r"(?i)\b(?:NEO|compute-runtime|intel-opencl-icd|compute runtime)(?: version| "
    r"release)? v?(?P<version>\d\d\.\d\d(?:\.\d{4,6}(?:\.\d{1,3})?)?)\b"
)
_PACKAGE = re.compile(
    r"\b(?:intel-opencl-icd|intel-compute-runtime|rocm-opencl-runtime|nvidia-opencl-icd"
    r"|pocl-opencl-icd|beignet-opencl-icd|amdgpu-pro)\b"
)
_KINDS = re.compile(r"\b(?:integrated|discrete)\b")
_SEES_NOTHING = re.compile(
    r"(?i)\b(?P<viewer>clinfo|pyopencl|hashcat|darktable|ffmpeg)\b[^;]{0,60}? (?:finds"
    r"|sees|shows|lists) (?:nothing|no platforms?|no devices?)\b"
)
_GPU = re.compile(
    r"\b(?P<name>(?:Intel(?:\(R\)| Corporation)? )?(?:Arc(?:\(TM\))? (?:Pro "
    r")?[AB]\d{2,3}M?|U?HD Graphics(?: [A-Z]?\d{3,4})?|Iris(?:\(R\))? (?:Xe(?: MAX| "
    r"Graphics)?|Plus(?: Graphics)?(?: \d{3})?|Pro(?: Graphics)?(?: \w?\d{3,4})?)|UHD "
    r"\d{3}|HD \d{3,4})"
    r"|(?:NVIDIA )?(?:GeForce )?(?:GTX|RTX|GT) ?\d{3,4}(?: ?Ti| ?SUPER)?|(?:AMD "
    r")?(?:Radeon )?(?:RX ?\d{3,4}(?: ?XTX?)?|R[579] \d{3}X?|Vega ?\d{1,2}))\b"
)


def read_prose(paste: Paste, *, stated: bool) -> Iterator[Reading]:
    """Give what free sentences tell; `stated` ones were set down as facts, others are weaker.

    They rank below all evidence: whoever merges them keeps what is known already.
    """
    for index, line in paste.free():
        is_stated = line.startswith("# stated:")
        if is_stated != stated or len(line) > _LONGEST:
            continue
        facts = facts_of_sentence(line.removeprefix("# stated:").strip(), sure=is_stated)
        if facts != Snapshot():
            yield Reading(lines=(index,), facts=facts)
        only_root = _ONLY_ROOT.search(line)
        if only_root is not None:
            yield _as_root(index)


def _as_root(index: int) -> Reading:
    answer = Answer(platforms=(Platform(devices=(Device(type="gpu"),)),))
    facts = Snapshot(views=(View(viewer="application", answer=answer),))
    return Reading(lines=(index,), facts=facts, private=True, context=Context(who="root"))


def facts_of_sentence(text: str, *, sure: bool) -> Snapshot:
    """Return the facts of a sentence; a doubtful one (a negation in it) gives none."""
    if not sure and (_NEGATED.search(text) or text.endswith("?")):
        return Snapshot()
    distribution = distribution_named(text)
    linux = _LINUX.search(text)
    system = System(virtualization=_virtualization(text, sure=sure))
    if distribution is not None and (
        sure or not isinstance(distribution.version, type(NOT_STATED))
    ):
        system = System(distribution=distribution, virtualization=system.virtualization)
    if linux is not None and not _NEGATED.search(text):
        system = System(
            distribution=system.distribution,
            virtualization=system.virtualization,
            linux=Linux(release=linux["release"]),
        )
    if not sure:
        neo = _NEO.search(text)
        package = Package(name="intel-opencl-icd", version=neo["version"]) if neo else None
        return Snapshot(system=system, packages=(package,) if package else NOT_STATED)
    names = [found["name"] for found in _GPU.finditer(text)]
    names += (
        [f"Intel {found[0]} GPU" for found in _KINDS.finditer(text)] if "Intel GPU" in text else []
    )
    return Snapshot(
        system=system,
        packages=_packages(text) or NOT_STATED,
        gpus=tuple(Gpu(name=name) for name in dict.fromkeys(names[:4])) or NOT_STATED,
        views=_views(text) or NOT_STATED,
    )


def _packages(text: str) -> tuple[Package, ...]:
    """Return the drivers that the reporter says to have installed."""
    neo = _NEO.search(text)
    if neo is not None:
        return (Package(name="intel-opencl-icd", version=neo["version"]),)
    if (named := _PACKAGE.search(text)) is not None and not _NEGATED.search(text):
        return (Package(name=named[0]),)
    if re.search(r"\bNEO\b.{0,40}\b(?:built|installed)\b", text):
        origin = "built from source" if "from source" in text else NOT_STATED
        return (Package(name="intel-opencl-icd", origin=origin),)
    return ()


def _views(text: str) -> tuple[View, ...]:
    """Return the programs that are said to find nothing."""
    found = _SEES_NOTHING.search(text)
    if found is None:
        return ()
    return (View(viewer=found["viewer"].lower(), answer=Answer(platforms=())),)


def _virtualization(text: str, *, sure: bool) -> Virtualization:
    wsl = _WSL.search(text)
    windows = _WINDOWS_DRIVER.search(text) if sure else None
    machine = "oracle" if _VIRTUALBOX.search(text) else None
    for pattern, name in _MACHINES:
        if machine is None and re.search(pattern, text, re.IGNORECASE):
            machine = name
    container = None
    for pattern, name in _CONTAINERS:
        if container is None and sure and re.search(pattern, text, re.IGNORECASE):
            container = name
    return Virtualization(
        wsl=int(wsl["version"] or 2) if wsl else NOT_STATED,
        machine=machine if machine and sure else NOT_STATED,
        windows_driver=windows["version"] if windows else NOT_STATED,
        container=container or NOT_STATED,
    )
