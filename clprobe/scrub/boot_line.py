# SPDX-License-Identifier: MIT
"""Boot parameters: those of drivers, devices and permissions stay, of others only the name."""

import re

REMOVED, ARGUMENTS = "removed", "removed-arguments"
_PARAMETER = re.compile(r'(?:[^\s"]|"[^"]*")+')
_END = re.compile(r"\s--(?:\s|$)")
# What a log or a paste puts before a boot command line.
LINE = re.compile(
    r"(?m)(?:\b(?:Kernel )?[Cc]ommand line: *|(?=\bBOOT_IMAGE=|\binitrd=\S+ \w))(?P<line>[^\n]+)"
)
_DOTTED = re.compile(r"(?!rd\.|systemd\.|luks\.|inst\.|ip\.|ks\.|zfs\.|cloud-)[\w-]+\.[\w-]+")
_KEPT = re.compile(
    r"BOOT_IMAGE|acpi\w*|amd_\w+|apparmor|audit|blacklist|cgroup\w*|clocksource|cma|console|"
    r"default_hugepagesz|drm|earlyprintk|efi|enforcing|fbcon|hugepages\w*|hugetlb\w*|init_on_\w+|"
    r"initcall_blacklist|initrd|intel_\w+|intremap|iomem|iommu|isolcpus|kvm|lockdown|loglevel|lsm|"
    r"mem|mem_sleep_default|memmap|mitigations|modprobe|module_blacklist|nomodeset|nopat|"
    r"no_console_suspend|nosmt|panic|pci|pcie_\w+|pci-stub|preempt|processor|rdblacklist|reboot|"
    r"rootfstype|security|selinux|split_lock_detect|swiotlb|threadirqs|transparent_hugepage|"
    r"tsc|unified_cgroup_hierarchy|vga|video|vt|zswap"
)


def scrubbed_line(line: str) -> tuple[str, int]:
    """Return a boot command line without what only this host has, and how much was left out."""
    parameters, dashes, arguments = _split(line)
    removed = 0

    def kept(match: re.Match[str]) -> str:
        nonlocal removed
        name, equals, value = match[0].partition("=")
        name = name.strip('"')
        if not equals or value in {"", REMOVED} or _DOTTED.fullmatch(name):
            return match[0]
        if _KEPT.fullmatch(name):
            return match[0]
        removed += 1
        return f"{name}={REMOVED}"

    text = _PARAMETER.sub(kept, parameters)
    if arguments.strip() not in {"", ARGUMENTS}:
        removed += 1
        arguments = ARGUMENTS
    return text + dashes + arguments, removed


def _split(line: str) -> tuple[str, str, str]:
    """Return parameters, the ` -- ` that ends them, and what is meant for init alone."""
    found = _END.search(line)
    if found is None:
        return line, "", ""
    return line[: found.start()], found[0], line[found.end() :]
