# SPDX-License-Identifier: MIT
"""PCI functions of class display, from sysfs, and which kernel modules claim them."""

import fnmatch
import re
from collections.abc import Iterable

from msgspec.structs import replace

from clprobe.model.hardware import Gpu
from clprobe.model.unknown import Unknown, listed
from clprobe.probe.facts import (
    ABSENT,
    ask,
    ask_text,
    ask_text_unless_absent,
    ask_unless_absent,
    reason,
)
from clprobe.probe.host import Host

_PCI = "/sys/bus/pci/devices"
_DISPLAY = "0x03"
# Where one of them is bound, nobody needs to know which others could be.
_COMPUTING_DRIVERS = ("i915", "xe", "amdgpu", "nvidia")
_WINDOWS = 6  # the lines after them are the ROM and windows of virtual functions
_IS_MEMORY = 0x200  # IORESOURCE_MEM in Linux's include/linux/ioport.h
_ON_THE_WAY = {"suspending": "suspended", "resuming": "active"}


def probe_gpus(host: Host, container: str | Unknown | None = None) -> tuple[Gpu, ...] | Unknown:
    """Return all display functions, driven or not; empty where the machine has no PCI bus.

    `container` is what this process runs in: it decides what a missing list of modules means.
    """
    try:
        addresses = host.list_folder(_PCI)
    except OSError as error:
        # Without /sys nothing is known; with it, a missing bus means that there is none.
        has_sysfs = not isinstance(ask(host.list_folder, "/sys/bus"), Unknown)
        return () if error.errno in ABSENT and has_sysfs else Unknown(reason(error))
    found = (_gpu(host, address) for address in addresses)
    gpus = [gpu for gpu in found if gpu is not None]
    if all(gpu.kernel_driver in _COMPUTING_DRIVERS for gpu in gpus):
        driven = Unknown("not looked up, a driver is bound; lspci -k tells")
        return tuple(replace(gpu, kernel_modules=driven) for gpu in gpus)
    return tuple(replace(gpu, kernel_modules=_modules(host, gpu, container)) for gpu in gpus)


def _modules(host: Host, gpu: Gpu, container: str | Unknown | None) -> tuple[str, ...] | Unknown:
    modalias = _attribute(host, str(gpu.pci_address), "modalias")
    if isinstance(modalias, Unknown):
        return modalias
    return claiming_modules(host, modalias, container)


def _gpu(host: Host, address: str) -> Gpu | None:
    pci_class = _attribute(host, address, "class")
    if isinstance(pci_class, Unknown) or not pci_class.startswith(_DISPLAY):
        return None
    vendor, device = _attribute(host, address, "vendor"), _attribute(host, address, "device")
    pci_id: str | Unknown
    name: str | Unknown | None
    if isinstance(vendor, Unknown):
        pci_id, name = vendor, vendor
    elif isinstance(device, Unknown):
        pci_id, name = device, device
    else:
        pci_id = f"{vendor.removeprefix('0x')}:{device.removeprefix('0x')}".lower()
        name = ask(host.pci_name, *pci_id.split(":"))
    return Gpu(
        pci_address=address,
        pci_id=pci_id,
        pci_class=pci_class,
        name=name,
        kernel_driver=_driver(host, address),
        render_node=_node(host, address, "renderD"),
        card_node=_node(host, address, "card"),
        memory_bar_bytes=_memory_bar(host, address),
        power_state=_power_state(host, address),
    )


def _memory_bar(host: Host, address: str) -> int | Unknown | None:
    """Return the size of the largest of the six windows into memory; ports do not count."""
    text = _attribute(host, address, "resource")
    if isinstance(text, Unknown):
        return text
    sizes = []
    for line in text.splitlines()[:_WINDOWS]:
        try:
            first, last, flags = (int(number, 16) for number in line.split())
        except ValueError:
            return Unknown(f"{_PCI}/{address}/resource: {line!r}")
        if flags & _IS_MEMORY and last > first:
            sizes.append(last - first + 1)
    return max(sizes, default=None)


def _power_state(host: Host, address: str) -> str | Unknown | None:
    """Return the state of runtime power management; None where the GPU has none."""
    text = ask_text_unless_absent(host.read, f"{_PCI}/{address}/power/runtime_status")
    if not isinstance(text, str):
        return text
    state = text.strip()
    return None if state == "unsupported" else _ON_THE_WAY.get(state, state)


def _attribute(host: Host, address: str, name: str) -> str | Unknown:
    text = ask_text(host.read, f"{_PCI}/{address}/{name}")
    return text.strip() if isinstance(text, str) else text


def _driver(host: Host, address: str) -> str | Unknown | None:
    path = f"{_PCI}/{address}/driver"
    link = ask_unless_absent(host.link_status, path)
    if link is None or isinstance(link, Unknown):
        return link
    target = ask(host.real_path, path)
    return target if isinstance(target, Unknown) else target.rpartition("/")[2]


def _node(host: Host, address: str, prefix: str) -> str | Unknown | None:
    names = ask_unless_absent(host.list_folder, f"{_PCI}/{address}/drm")
    if isinstance(names, Unknown):
        return names
    return next((f"/dev/dri/{name}" for name in names or () if name.startswith(prefix)), None)


# NixOS and Guix keep the modules of the Linux that was booted apart.
_FOLDERS = (
    "/lib/modules",
    "/run/booted-system/kernel-modules/lib/modules",
    "/run/booted-system/kernel/lib/modules",
)
_ALIAS = re.compile(r"alias (?P<pattern>pci:\S+) (?P<module>\S+)$")
_BUILT_IN_ALIAS = re.compile(r"(?P<module>[^.]+)\.alias=(?P<pattern>pci:\S+)$")
# Such as pci:v00008086d00005916sv000017AAsd00002245bc03sc00i00.
_IDENTITY = re.compile(r"pci:v(?P<vendor>[0-9A-F]{8})d(?P<device>[0-9A-F]{8})sv")


def claiming_modules(
    host: Host, modalias: str, container: str | Unknown | None
) -> tuple[str, ...] | Unknown:
    """Return the modules, built-in ones too, whose pattern the modalias matches, sorted.

    Empty where this Linux has none; unknown in a `container`, whose host has the modules.
    """
    machine, identity = ask(host.machine), _IDENTITY.match(modalias)
    if isinstance(machine, Unknown):
        return machine
    if identity is None:
        return Unknown(f"{modalias!r} is no modalias of a PCI function")
    pattern = alias_pattern(modalias)
    for folder in (f"{folder}/{machine.release}" for folder in _FOLDERS):
        path = f"{folder}/modules.alias"
        lines = ask_unless_absent(lambda path: host.lines_in(path, pattern), path)
        if isinstance(lines, Unknown):
            return lines
        if lines is not None:
            return _matching(modalias, (*lines, *_built_in(host, folder, identity)))
    if container is not None:
        return Unknown("a container does not see the host's modules; lspci -k on the host tells")
    return ()


def alias_pattern(modalias: str) -> str:
    """Return what finds, in lower case, the lines of modules.alias that may fit the modalias."""
    identity = _IDENTITY.match(modalias)
    vendor, device = identity.groups() if identity else ("", "")
    return rf"alias pci:v(?:{vendor.lower()}|\*)d(?:{device.lower()}|\*)sv"


def _built_in(host: Host, folder: str, identity: re.Match[str]) -> tuple[str, ...]:
    vendor, device = identity.groups()
    marks = (f"alias=pci:v{vendor}d{device}sv", f"alias=pci:v{vendor}d*", "alias=pci:v*")
    return listed(ask(host.texts_in, f"{folder}/modules.builtin.modinfo", marks))


def _matching(modalias: str, texts: Iterable[str]) -> tuple[str, ...]:
    found = (_ALIAS.match(text) or _BUILT_IN_ALIAS.match(text) for text in texts)
    claims = (match for match in found if match is not None)
    modules = {one["module"] for one in claims if fnmatch.fnmatchcase(modalias, one["pattern"])}
    return tuple(sorted(module.replace("-", "_") for module in modules))
