# SPDX-License-Identifier: MIT
"""The running Linux: release, boot parameters, log, modules, firmware and lockdown."""

import errno
import re
from collections.abc import Iterator

from clprobe.model.hardware import GPU_MODULES, module_name
from clprobe.model.system import Linux
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask, ask_text, ask_text_unless_absent, reason, unless_absent
from clprobe.probe.host import Host

_SECURITY = "/sys/kernel/security"


def probe_linux(host: Host, container: str | Unknown | None) -> Linux:
    """Return what Linux tells of itself; `container` is what this process runs in."""
    machine = ask(host.machine)
    command_line = ask_text(host.read, "/proc/cmdline")
    log = probe_linux_log(host)
    modules = loaded_modules(host)
    return Linux(
        release=machine if isinstance(machine, Unknown) else machine.release,
        version=machine if isinstance(machine, Unknown) else machine.version,
        command_line=_stripped(command_line),
        log=_stripped(log),
        modules=modules,
        module_versions={} if isinstance(modules, Unknown) else module_versions(host, modules),
        blacklisted_modules=forbidden_modules(host, command_line, container),
        firmware=probe_firmware(host, container),
        lockdown=_lockdown(host),
    )


def _stripped(text: str | Unknown) -> str | Unknown:
    return text if isinstance(text, Unknown) else text.strip()


def _lockdown(host: Host) -> str | Unknown | None:
    """Return the word in brackets of, say, `[none] integrity confidentiality`."""
    try:
        text = host.read(f"{_SECURITY}/lockdown").decode("utf-8", "replace")
    except OSError as error:
        # The folder stands empty where nobody mounted securityfs.
        is_mounted = isinstance(names := ask(host.list_folder, _SECURITY), tuple) and names
        return (
            None
            if error.errno in ABSENT and is_mounted
            else Unknown(f"{reason(error)}; dmesg tells of a lockdown")
        )
    found = re.search(r"\[(\w+)\]", text)
    return found[1] if found else Unknown(f"{_SECURITY}/lockdown does not say")


NAMES = ("amdgpu", "i915", "nouveau", "nvidia", "radeon", "xe")
_FOLDERS = ("/lib/firmware", "/lib/firmware/updates")
# NixOS names its folder here.
_MORE = "/sys/module/firmware_class/parameters/path"


def probe_firmware(host: Host, container: str | Unknown | None) -> tuple[str, ...] | Unknown:
    """Return the folders that hold files, sorted; unknown in a `container`, whose host loads it."""
    if container is not None:
        return Unknown("Linux loads firmware of the host, which a container does not see")
    more = ask_text(host.read, _MORE)
    own = [more.strip()] if isinstance(more, str) and more.strip() else []
    try:
        return tuple(sorted({name for folder in (*own, *_FOLDERS) for name in _in(host, folder)}))
    except OSError as error:
        return Unknown(reason(error))


def _in(host: Host, folder: str) -> list[str]:
    present = set(unless_absent(host.list_folder, folder) or ()) & set(NAMES)
    return [name for name in present if unless_absent(host.list_folder, f"{folder}/{name}")]


_LOADED = "/proc/modules"
_WITH_BUILT_IN = "/sys/module"


def loaded_modules(host: Host) -> tuple[str, ...] | Unknown:
    """Return the GPU modules that are loaded or built in, sorted."""
    listed = ask(host.read, _LOADED)
    known = ask(host.list_folder, _WITH_BUILT_IN)
    if isinstance(listed, Unknown) and isinstance(known, Unknown):
        return Unknown(f"{listed.unknown}; lsmod tells, on the host of a container")
    names = set() if isinstance(known, Unknown) else set(known)
    if isinstance(listed, bytes):
        names |= {line.split()[0] for line in listed.decode("utf-8", "replace").splitlines()}
    return tuple(sorted(names & GPU_MODULES))


def module_versions(host: Host, modules: tuple[str, ...]) -> dict[str, str | Unknown | None]:
    """Return the version of each module; None for those of Linux itself, which have none."""
    versions = {name: _version(host, name) for name in modules}
    # Rules compare NVIDIA's with its libraries; None: it is not loaded, and clashes with nothing.
    return {"nvidia": None, **versions}


def _version(host: Host, module: str) -> str | Unknown | None:
    text = ask_text_unless_absent(host.read, f"{_WITH_BUILT_IN}/{module}/version")
    return (text.strip() or None) if isinstance(text, str) else text


# A file hides those of its name in later folders, see modprobe.d(5).
FOLDERS = (
    "/etc/modprobe.d",
    "/run/modprobe.d",
    "/usr/local/lib/modprobe.d",
    "/usr/lib/modprobe.d",
    "/lib/modprobe.d",
)
_BLACKLIST = re.compile(r"blacklist\s+(?P<module>\S+)")
_NO_INSTALL = re.compile(r"install\s+(?P<module>\S+)\s+(?:/usr)?/?(?:s?bin/)?(?:true|false)\b")
_PARAMETER = re.compile(r"(?:^|\s)(?:module_blacklist|modprobe\.blacklist)=(?P<modules>\S+)")


def forbidden_modules(
    host: Host, command_line: str | Unknown, container: str | Unknown | None
) -> tuple[str, ...] | Unknown:
    """Return the GPU modules that do not load by themselves, sorted.

    The files in a `container` forbid nothing; its host's do, and are not seen.
    """
    if container is not None:
        return Unknown("a container does not see its host's modprobe.d; grep blacklist there")
    if isinstance(command_line, Unknown):
        return command_line
    try:
        texts = list(_configuration(host))
    except OSError as error:
        return Unknown(reason(error))
    names = {name for text in texts for name in _forbidden_in(text)}
    for found in _PARAMETER.finditer(command_line):
        names |= set(found["modules"].split(","))
    return tuple(sorted({module_name(name) for name in names} & GPU_MODULES))


def _configuration(host: Host) -> Iterator[str]:
    seen = set()
    for folder in FOLDERS:
        for name in unless_absent(host.list_folder, folder) or ():
            if name.endswith(".conf") and name not in seen:
                seen.add(name)
                yield host.read(f"{folder}/{name}").decode("utf-8", "replace")


def _forbidden_in(text: str) -> Iterator[str]:
    for line in text.replace("\\\n", " ").splitlines():
        found = _BLACKLIST.match(line.strip()) or _NO_INSTALL.match(line.strip())
        if found is not None:
            yield found["module"]


KMSG = "/dev/kmsg"
FILES = ("/var/log/kern.log", "/var/log/messages")
# In lower case, as Host.lines_in has it; "linux version" is where a boot begins.
MATTERS = (
    # Each alternative begins with a letter: Python skips to those eight times as fast as to \b.
    r"drm|i915|xe 0|xe: |amdgpu|radeon|nouveau|nvidia|nvrm|kfd|vfio|vga|gpu|dxg|efifb|hypervisor"
    r"|firmware|huc|guc|dmc|smem|gtt|hang:|hanging|hung|d3cold|bbswitch|power state"
    r"|rejects|atomics|resizable|iommu(?! group)|dmar|amd-vi|vt-d|failed to assign"
    r"|bar \d.*(?:fail|can't|no space)"
    r"|lockdown|locked down|secure boot|module verification|loading of.* module|unsigned module"
    r"|signature|key was rejected|dkms|apparmor|avc: |oom-kill|oom_reaper|out of mem|mlock"
    # Programs crash for many reasons; those count that did in a driver or what it needs.
    r"| in [\w.+-]*(?:opencl|ocl|igdrcl|igc|iga64|gmm|libze_|pocl|gallium|hsa|comgr|cuda|llvm"
    r"|clang|mali)[\w.+-]*\[|linux version"
)
LAST_BYTES = 1 << 20  # searched in some 60 ms
_FIRST_LINES, _LAST_LINES = 80, 120
_RECORD = re.compile(r"(?P<priority>\d+),\d+,\d+,[^;]*;(?P<text>.*)")
_FILE_LINE = re.compile(r"\S.*? kernel(?:\[\d+\])?: (?:\[ *(?P<seconds>\d+)\.\d+\] ?)?(?P<text>.*)")
# What differs between two crashes of one kind: who crashed, and where it lay in memory.
_OCCASION = re.compile(r"\[\d+\]|\b(?:0x)?[0-9a-f]{10,}\b|likely on CPU.*")
_FACILITIES = 8  # priority = 8 · facility + level; facility 0 is Linux itself
_DENIED = (errno.EACCES, errno.EPERM)


def probe_linux_log(host: Host) -> str | Unknown:
    """Return the lines that are about GPUs and what stops them, oldest first, each once.

    Where Linux shows its log to root only, the file that a log daemon writes may be open.
    """
    try:
        records = host.lines_in(KMSG, MATTERS, LAST_BYTES)
    except OSError as error:
        refusal = error
    else:
        return _chosen([text for line in records if (text := _of_linux(line)) is not None])
    texts = next(filter(None, (_in_file(host, path) for path in FILES)), None)
    return _why_not(refusal) if texts is None else _chosen(texts)


def _why_not(error: OSError) -> Unknown:
    if error.errno in _DENIED:
        # The system's words are "Operation not permitted"; users know dmesg's.
        return Unknown("Permission denied: Linux shows its log to root only; sudo dmesg tells")
    return Unknown(f"{reason(error)}; sudo dmesg tells, on the host of a container")


def _of_linux(record: str) -> str | None:
    """Return a record's text; programs may write to the log too, and are left out."""
    found = _RECORD.match(record)
    return found["text"] if found and int(found["priority"]) < _FACILITIES else None


def _in_file(host: Host, path: str) -> list[str] | None:
    """Return the lines of a log file since the running Linux was started; None if that is unsure.

    A file may have been left by a log daemon that is gone. So the last start in it must be one of
    this release, and its last line must not be later after the start than now is.
    """
    lines = ask(host.lines_in, path, MATTERS, LAST_BYTES)
    machine, uptime = ask(host.machine), ask_text(host.read, "/proc/uptime")
    if isinstance(lines, Unknown) or isinstance(machine, Unknown) or isinstance(uptime, Unknown):
        return None
    found = [match for line in lines if (match := _FILE_LINE.match(line))]
    starts = [n for n, match in enumerate(found) if match["text"].startswith("Linux version ")]
    if not starts or f"Linux version {machine.release} " not in found[starts[-1]]["text"]:
        return None
    since = found[starts[-1] :]
    latest = max(int(match["seconds"] or 0) for match in since)
    return [match["text"] for match in since] if latest <= float(uptime.split()[0]) else None


def _chosen(texts: list[str]) -> str:
    """Return a bounded text: what was said at the start, and what was said last."""
    own = [text.strip() for text in texts if not text.startswith("Linux version ")]
    kinds: dict[str, str] = {}
    for text in own:
        kinds.setdefault(_OCCASION.sub("", text), text)
    distinct = [text for text in kinds.values() if text]
    if len(distinct) > _FIRST_LINES + _LAST_LINES:
        distinct = distinct[:_FIRST_LINES] + distinct[-_LAST_LINES:]
    return "\n".join(distinct)
