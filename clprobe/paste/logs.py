# SPDX-License-Identifier: MIT
"""Reads the log of Linux (dmesg, journalctl) and its modules (lsmod, modinfo)."""

import re
from collections.abc import Iterator

import msgspec

from clprobe.model.hardware import GPU_MODULES, module_name
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Linux, System, Virtualization
from clprobe.paste.reading import Context, Paste, Reading

_STAMP = re.compile(
    r"(?:<\d>)?\[ *(?:\d{1,7}\.\d{3,6}|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d[^\]]{6,20})\](?:\[ "
    r"*[TC]\d+\])? ?(?P<text>.*)$"
)
_JOURNAL = re.compile(
    r"(?:[A-Za-zÀ-ÿ.]{2,6} +\d{1,2} [\d:.]{8,15}|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,25}) "
    r"\S{1,80} kernel(?:\[\d+\])?: (?P<text>.*)$"
)
_BARE = re.compile(
    r"(?P<text>(?:(?:i915|xe|amdgpu|radeon|nouveau|nvidia|vfio-pci|pci|snd_hda_intel|kfd"
    r"|amdkfd) (?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d: "
    r"|\[drm(?::\w+)?\] |\[drm:[\w.]+(?: \[\w+\])?\] |NVRM: |nvidia-(?:modeset|uvm"
    r"|nvlink): |kfd: |amdgpu: |i915: |xe: |drm: ).*)$"
)
_MATTERS = re.compile(
    r"(?i)drm|i915|\bxe\b|amdgpu|radeon|nouveau|nvidia|nvrm|kfd|vfio|vga|gpu|firmware|huc"
    r"|guc|dmc|iommu|dmar|bar \d|resizable|lockdown"
    r"|secure boot|module verification|unsigned module|segfault|apparmor|audit|oom"
    r"|general protection|command line|dxg|simpledrm|efifb|smem|gtt|ggtt|hang"
)
_COMMAND_LINE = re.compile(r"(?:Kernel command line|Command line): (?P<line>\S.*)$")
_VERSION = re.compile(r"Linux version (?P<release>\d\S{2,80})")
_HYPERVISOR = re.compile(r"Hypervisor detected: (?P<name>\w+)")
_HYPERVISORS = {"KVM": "kvm", "VMware": "vmware", "Xen": "xen", "Microsoft": "microsoft"}
_LSMOD = re.compile(r"(?P<name>[a-z][a-z0-9_]{1,50}) +\d{3,10} +-?\d{1,5}(?: +[\w,-]{1,1500})?$")
_WHOLE_LSMOD = 25
_SURELY_LSMOD = 8
_MODINFO = re.compile(
    r"(?P<key>filename|version|license|description|author|srcversion|alias|depends"
    r"|retpoline|intree|name|vermagic|sig_id|signer|sig_key|sig_hashalgo|signature|parm"
    r"|firmware|import_ns|supported):\s+(?P<value>.*)$"
)
_NVRM = re.compile(
    r"NVRM version: NVIDIA UNIX (?:Open )?(?:\S+ )*Kernel Module(?: for \S+)? "
    r"+(?P<version>\d[\d.]{3,20})"
)
_MOST_LOG_LINES = 400


def read_log(paste: Paste) -> Iterator[Reading]:
    """Give the lines of the log that are about GPUs; all others are understood and dropped."""
    logs: dict[Context, tuple[list[int], list[str]]] = {}
    for index, line in paste.free():
        found = _STAMP.match(line) or _JOURNAL.match(line) or _BARE.match(line)
        if found is None:
            continue
        indexes, texts = logs.setdefault(paste.contexts[index], ([], []))
        indexes.append(index)
        if _MATTERS.search(found["text"]) and len(texts) < _MOST_LOG_LINES:
            texts.append(found["text"])
    for indexes, texts in logs.values():
        linux, machine = _typed(texts)
        facts = (
            Snapshot(system=System(linux=linux, virtualization=machine)) if texts else Snapshot()
        )
        yield Reading(lines=tuple(indexes), facts=facts)


def _typed(texts: list[str]) -> tuple[Linux, Virtualization]:
    linux = Linux(log="\n".join(dict.fromkeys(texts)))
    for text in texts:
        if found := _COMMAND_LINE.search(text):
            linux = msgspec.structs.replace(linux, command_line=found["line"])
        if found := _VERSION.match(text):
            linux = msgspec.structs.replace(linux, release=found["release"])
    named = next((found["name"] for text in texts if (found := _HYPERVISOR.search(text))), None)
    machine = _HYPERVISORS.get(named or "")
    return linux, Virtualization(machine=machine) if machine else Virtualization()


def read_lsmod(paste: Paste) -> Iterator[Reading]:
    """Give the loaded modules; a grep'ed list proves no absence, so it is told as a message."""
    lists: dict[Context, list[tuple[int, str]]] = {}
    for index, line in paste.free():
        found = _LSMOD.match(line)
        is_header = line.split()[:2] == ["Module", "Size"]
        if found is not None or is_header:
            name = found["name"] if found is not None else ""
            lists.setdefault(paste.contexts[index], []).append((index, name))
    for context, entries in lists.items():
        loaded = tuple(name for _, name in entries if name in GPU_MODULES)
        asked = context.command.startswith(("lsmod", "cat /proc/modules"))
        if not asked and not loaded and len(entries) < _SURELY_LSMOD:
            continue
        if len(entries) >= _WHOLE_LSMOD and "grep" not in context.command:
            facts = Snapshot(system=System(linux=Linux(modules=loaded)))
        elif loaded:
            facts = Snapshot(messages=(f"lsmod shows {', '.join(dict.fromkeys(loaded))}",))
        else:
            facts = Snapshot()
        yield Reading(lines=tuple(index for index, _ in entries), facts=facts)


def read_module_versions(paste: Paste) -> Iterator[Reading]:
    """Give versions of kernel modules: NVIDIA's in /proc, and modinfo's of the module asked for."""
    for index, line in paste.free():
        found = _NVRM.search(line)
        if found is not None:
            linux = Linux(module_versions={"nvidia": found["version"]})
            yield Reading(lines=(index,), facts=Snapshot(system=System(linux=linux)))
            continue
        command = paste.contexts[index].command.split()
        told = _MODINFO.match(line) if command[:1] == ["modinfo"] else None
        if told is None:
            continue
        module = module_name(command[-1])
        is_version = told["key"] == "version" and module in GPU_MODULES
        # modinfo tells the file on disk; what is loaded may still be another one.
        text = f"modinfo {module} version: {told['value']}"
        facts = Snapshot(messages=(text,)) if is_version else Snapshot()
        yield Reading(lines=(index,), facts=facts)
