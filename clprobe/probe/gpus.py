# SPDX-License-Identifier: MIT
"""PCI functions of class display, from sysfs."""

from clprobe.model.hardware import Gpu
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text, reason
from clprobe.probe.host import Host

_PCI = "/sys/bus/pci/devices"
_DISPLAY = "0x03"


def probe_gpus(host: Host) -> tuple[Gpu, ...] | Unknown:
    """Return all display functions, driven or not; empty where the machine has no PCI bus."""
    try:
        addresses = host.list_folder(_PCI)
    except OSError as error:
        # Without /sys nothing is known; with it, a missing bus means that there is none.
        has_sysfs = not isinstance(ask(host.list_folder, "/sys/bus"), Unknown)
        return () if error.errno in ABSENT and has_sysfs else Unknown(reason(error))
    gpus = (_gpu(host, address) for address in addresses)
    return tuple(gpu for gpu in gpus if gpu is not None)


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
    )


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
