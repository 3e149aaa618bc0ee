# SPDX-License-Identifier: MIT
"""Containers, virtual machines, WSL and user namespaces: what stands before the hardware."""

import re

from clprobe.model.system import Virtualization
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_text, ask_unless_absent, is_there
from clprobe.probe.host import Host
from clprobe.probe.libraries import Libraries
from clprobe.probe.linux.limits import system_service

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
        wsl_libraries=ask(_has_wsl_libraries, host) if isinstance(not_wsl, int) else not_wsl,
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


_CGROUP_MARKS = {"kubepods": "kubernetes", "docker": "docker", "libpod": "podman", "lxc": "lxc"}
# The constant build text of gVisor's kernel, pkg/sentry/syscalls/linux/linux64.go.
_GVISOR = "#1 SMP Sun Jan 10 15:06:54 PST 2016"
_FILES = {
    "/run/.toolboxenv": "toolbox",
    "/dev/.cros_milestone": "crostini",
    "/opt/google/cros-containers": "crostini",
    "/var/run/secrets/kubernetes.io": "kubernetes",
    "/run/.containerenv": "podman",
    "/.dockerenv": "docker",
}


def probe_container(host: Host) -> str | Unknown | None:
    """Return what the nearest one is called, None if there is none.

    What stands nearest to the program comes first: a toolbox is a podman container too.
    """
    environment, lstat = host.environment(), host.link_status
    signs = (
        ("flatpak", is_there(lstat, "/.flatpak-info")),
        ("snap", _is_in_snap(host)),
        ("apptainer", "APPTAINER_CONTAINER" in environment),
        ("singularity", "SINGULARITY_CONTAINER" in environment),
        ("singularity", is_there(lstat, "/.singularity.d")),
        ("gvisor", _is_gvisor(host)),
        ("distrobox", "DISTROBOX_ENTER_PATH" in environment),
        ("kubernetes", "KUBERNETES_SERVICE_HOST" in environment),
    )
    if found := next((name for name, present in signs if present), None):
        return found
    if found := next((name for file, name in _FILES.items() if is_there(lstat, file)), None):
        return found
    announced = ask_text(host.read, "/run/systemd/container")
    if isinstance(announced, str) and announced.strip():
        return announced.strip()
    return environment.get("container") or _container_of_init(host)


def _is_in_snap(host: Host) -> bool:
    """Tell whether a snap confines this process; a classic one, an editor's say, does not."""
    environment = host.environment()
    if "SNAP" not in environment or "SNAP_NAME" not in environment:
        return False
    label = ask_text(host.read, "/proc/self/attr/current")
    return isinstance(label, Unknown) or not label.strip("\0\n ").endswith("(complain)")


def _is_gvisor(host: Host) -> bool:
    machine = ask(host.machine)
    return not isinstance(machine, Unknown) and machine.version == _GVISOR


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


_DRIVERS = "/usr/lib/wsl/drivers"
_LIBRARIES = ("libdxcore.so", "libd3d12core.so")
# Folders of Windows' driver store: of Intel, NVIDIA and AMD, in the order in which OpenCL under
# WSL depends on them.
_FOLDERS = (
    re.compile(r"(?P<file>(?:iigd_dch|igdlh|igdarc)\w*\.inf)_amd64_\w+"),
    re.compile(r"(?P<file>nv(?:_disp\w*|[a-z]{2}i?)\.inf)_amd64_\w+"),
    re.compile(r"(?P<file>u\d{7}\.inf)_amd64_\w+"),
)
_VERSION = re.compile(r"(?im)^\s*DriverVer\s*=\s*[\d/]+\s*,\s*(?P<version>[\d.]+)")


def probe_wsl_version(host: Host) -> int | Unknown | None:
    """Return 1 or 2 under WSL, None elsewhere."""
    version = ask_text(host.read, "/proc/version")
    if isinstance(version, Unknown):
        return version
    if "microsoft" not in version.lower():
        return None
    return 1 if "Microsoft@Microsoft.com" in version else 2


def probe_windows_driver(host: Host) -> str | Unknown | None:
    """Return the version of Windows' display driver; None where its files are not shown here."""
    names = ask_unless_absent(host.list_folder, _DRIVERS)
    if names is None or isinstance(names, Unknown):
        return names
    for form in _FOLDERS:
        folders = [match for name in names if (match := form.fullmatch(name))]
        if not folders:
            continue
        found = {_version(host, f"{_DRIVERS}/{match[0]}/{match['file']}") for match in folders}
        versions = sorted(version for version in found if version is not None)
        if len(versions) == 1:
            return versions[0]
        # Windows keeps drivers that were replaced, and nothing here tells which one is in use.
        told = ", ".join(versions) or "none"
        return Unknown(f"{_DRIVERS} names several or no versions ({told}); dxdiag on Windows tells")
    return None


def _has_wsl_libraries(host: Host) -> bool:
    """Tell whether the linker finds what drivers under WSL load."""
    libraries = Libraries(host)
    return all(libraries.find(name) is not None for name in _LIBRARIES)


def _version(host: Host, path: str) -> str | None:
    raw = ask(host.read, path)
    if isinstance(raw, Unknown):
        return None
    is_wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    found = _VERSION.search(raw.decode("utf-16" if is_wide else "utf-8", "replace"))
    return found["version"] if found else None
