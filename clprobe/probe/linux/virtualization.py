# SPDX-License-Identifier: MIT
"""Containers, virtual machines, WSL and user namespaces: what stands before the hardware."""

import re

from clprobe.model.system import Virtualization
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_text
from clprobe.probe.host import Host
from clprobe.probe.linux.containers import probe_container
from clprobe.probe.linux.control_groups import system_service
from clprobe.probe.linux.wsl import probe_windows_driver, probe_wsl_libraries, probe_wsl_version

# DMI vendor or product → what systemd-detect-virt calls the machine.
_MACHINES = {
    "QEMU": "qemu",
    "KVM": "kvm",
    "Amazon EC2": "amazon",
    "Google Compute Engine": "google",
    "VMware": "vmware",
    "innotek GmbH": "oracle",
    "VirtualBox": "oracle",
    "Oracle Corporation": "oracle",
    "Xen": "xen",
    "Bochs": "bochs",
    "Parallels": "parallels",
    "BHYVE": "bhyve",
    "Microsoft Corporation Virtual Machine": "microsoft",
    "Apple Virtualization": "apple",
}
_DMI_FILES = ("sys_vendor", "product_name", "board_vendor", "bios_vendor")


def probe_virtualization(host: Host) -> Virtualization:
    """Return what this system runs in."""
    wsl = probe_wsl_version(host)
    not_wsl = Unknown("this is not WSL") if wsl is None else wsl
    return Virtualization(
        container=probe_container(host),
        machine=_machine(host),
        wsl=wsl,
        user_namespace=_user_namespace(host),
        service=_service(host),
        windows_driver=probe_windows_driver(host) if isinstance(wsl, int) else wsl,
        wsl_libraries=probe_wsl_libraries(host) if isinstance(not_wsl, int) else not_wsl,
    )


def _service(host: Host) -> str | Unknown | None:
    groups = ask_text(host.read, "/proc/self/cgroup")
    return groups if isinstance(groups, Unknown) else system_service(groups)


def _machine(host: Host) -> str | Unknown | None:
    hypervisor = ask_text(host.read, "/sys/hypervisor/type")
    if isinstance(hypervisor, str) and hypervisor.strip():
        return hypervisor.strip()
    texts = [ask_text(host.read, f"/sys/class/dmi/id/{name}") for name in _DMI_FILES]
    joined = " ".join(text.strip() for text in texts if isinstance(text, str))
    for mark, name in _MACHINES.items():
        if mark in joined:
            return name
    tree = ask_text(host.read, "/proc/device-tree/hypervisor/compatible")
    if isinstance(tree, str):  # ARM has neither DMI nor the processor's flag
        return "kvm" if "kvm" in tree else "xen" if "xen" in tree else "unnamed hypervisor"
    cpu = ask(host.read, "/proc/cpuinfo", 65536)
    if isinstance(cpu, Unknown):
        return cpu
    return "unnamed hypervisor" if re.search(rb"^flags\s*:.*\bhypervisor\b", cpu, re.M) else None


def _user_namespace(host: Host) -> bool | Unknown:
    mapping = ask_text(host.read, "/proc/self/uid_map")
    if isinstance(mapping, Unknown):
        return mapping
    # The initial namespace maps every id to itself (user_namespaces(7)).
    return mapping.split() != ["0", "0", "4294967295"]
