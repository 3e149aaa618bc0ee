# SPDX-License-Identifier: MIT
"""PCI functions of class display, from sysfs."""

from msgspec.structs import replace

from clprobe.model.hardware import Gpu
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text, reason
from clprobe.probe.host import Host
from clprobe.probe.linux.module_aliases import claiming_modules

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
    return (
        modalias if isinstance(modalias, Unknown) else claiming_modules(host, modalias, container)
    )


def _gpu(host: Host, address: str) -> Gpu | None:
    pci_class = _attribute(host, address, "class")
    if isinstance(pci_class, str) and not pci_class.startswith(_DISPLAY):
        return None
    if isinstance(pci_class, Unknown):
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
    try:
        text = host.read(f"{_PCI}/{address}/power/runtime_status").decode("utf-8", "replace")
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(reason(error))
    state = text.strip()
    return None if state == "unsupported" else _ON_THE_WAY.get(state, state)


def _attribute(host: Host, address: str, name: str) -> str | Unknown:
    text = ask_text(host.read, f"{_PCI}/{address}/{name}")
    return text.strip() if isinstance(text, str) else text


def _driver(host: Host, address: str) -> str | Unknown | None:
    path = f"{_PCI}/{address}/driver"
    try:
        host.link_status(path)
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(reason(error))
    target = ask(host.real_path, path)
    return target if isinstance(target, Unknown) else target.rpartition("/")[2]


def _node(host: Host, address: str, prefix: str) -> str | Unknown | None:
    try:
        names = host.list_folder(f"{_PCI}/{address}/drm")
    except OSError as error:
        return None if error.errno in ABSENT else Unknown(reason(error))
    return next((f"/dev/dri/{name}" for name in names if name.startswith(prefix)), None)
