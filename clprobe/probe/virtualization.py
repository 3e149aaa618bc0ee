# SPDX-License-Identifier: MIT
"""Containers, virtual machines, WSL and user namespaces: what stands before the hardware."""

import re

from clprobe.model.system import Virtualization
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_text
from clprobe.probe.host import Host

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
_CGROUP_MARKS = {"kubepods": "kubernetes", "docker": "docker", "libpod": "podman", "lxc": "lxc"}


def probe_virtualization(host: Host) -> Virtualization:
    """Return what this system runs in."""
    return Virtualization(
        container=_container(host),
        machine=_machine(host),
        wsl=_wsl(host),
        user_namespace=_user_namespace(host),
    )


def _container(host: Host) -> str | Unknown | None:
    environment = host.environment()
    signs = (
        ("flatpak", _exists(host, "/.flatpak-info")),
        ("snap", "SNAP" in environment and "SNAP_NAME" in environment),
        ("kubernetes", "KUBERNETES_SERVICE_HOST" in environment),
        ("podman", _exists(host, "/run/.containerenv")),
        ("docker", _exists(host, "/.dockerenv")),
    )
    if found := next((name for name, present in signs if present), None):
        return found
    announced = ask_text(host.read, "/run/systemd/container")
    if isinstance(announced, str):
        return announced.strip()
    return environment.get("container") or _container_of_init(host)


def _container_of_init(host: Host) -> str | Unknown | None:
    variables = ask(host.read, "/proc/1/environ")
    if isinstance(variables, bytes):
        for variable in variables.split(b"\0"):
            if variable.startswith(b"container="):
                return variable[10:].decode("utf-8", "replace")
    groups = ask_text(host.read, "/proc/1/cgroup")
    if isinstance(groups, Unknown):
        return groups
    return next((name for mark, name in _CGROUP_MARKS.items() if mark in groups), None)


def _machine(host: Host) -> str | Unknown | None:
    hypervisor = ask_text(host.read, "/sys/hypervisor/type")
    if isinstance(hypervisor, str) and hypervisor.strip():
        return hypervisor.strip()
    texts = [ask_text(host.read, f"/sys/class/dmi/id/{name}") for name in _DMI_FILES]
    joined = " ".join(text.strip() for text in texts if isinstance(text, str))
    for mark, name in _MACHINES.items():
        if mark in joined:
            return name
    cpu = ask(host.read, "/proc/cpuinfo", 65536)
    if isinstance(cpu, Unknown):
        return cpu
    return "unnamed hypervisor" if re.search(rb"^flags\s*:.*\bhypervisor\b", cpu, re.M) else None


def _wsl(host: Host) -> int | Unknown | None:
    version = ask_text(host.read, "/proc/version")
    if isinstance(version, Unknown):
        return version
    if "microsoft" not in version.lower():
        return None
    return 1 if "Microsoft@Microsoft.com" in version else 2


def _user_namespace(host: Host) -> bool | Unknown:
    mapping = ask_text(host.read, "/proc/self/uid_map")
    if isinstance(mapping, Unknown):
        return mapping
    # The initial namespace maps every id to itself (user_namespaces(7)).
    return mapping.split() != ["0", "0", "4294967295"]


def _exists(host: Host, path: str) -> bool:
    return not isinstance(ask(host.link_status, path), Unknown)
