# SPDX-License-Identifier: MIT
"""What Linux has logged about GPUs since it was started."""

import errno
import re

from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ask, ask_text, reason
from clprobe.probe.host import Host

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
