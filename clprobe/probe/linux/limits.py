# SPDX-License-Identifier: MIT
"""What this process may use at most, and which policies deny what file permissions allow."""

import errno
import re

from clprobe.model.system import Limits, Security
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask_text, reason, unless_absent
from clprobe.probe.host import Host

_LIMITS = "/proc/self/limits"
_GROUPS = "/sys/fs/cgroup"
_NO_LIMIT_V1 = 1 << 60  # version 1 says "unlimited" by a number near 2^63


def probe_limits(host: Host) -> Limits:
    """Return the soft limits of this process and of its control groups."""
    text = ask_text(host.read, _LIMITS)
    return Limits(
        address_space_bytes=_soft(text, "Max address space"),
        locked_memory_bytes=_soft(text, "Max locked memory"),
        memory_bytes=_memory(host),
    )


def _soft(text: str | Unknown, name: str) -> int | Unknown | None:
    if isinstance(text, Unknown):
        return text
    found = re.search(rf"^{name} +(\S+)", text, re.M)
    if found is None:
        return Unknown(f"{_LIMITS} has no line {name}; ulimit -a tells")
    if found[1] == "unlimited":
        return None
    return int(found[1]) if found[1].isdigit() else Unknown(f"{_LIMITS}: {found[1]!r}")


def _memory(host: Host) -> int | Unknown | None:
    """Return the smallest limit of the group and of those above it; None: none has one."""
    groups = ask_text(host.read, "/proc/self/cgroup")
    if isinstance(groups, Unknown):
        return groups
    try:
        if not unless_absent(host.list_folder, _GROUPS):
            return Unknown(f"{_GROUPS} is not mounted here")
        found = [_limit(host, file) for file in _files(groups)]
    except OSError as error:
        return Unknown(reason(error))
    return min((limit for limit in found if limit is not None), default=None)


def _files(groups: str) -> list[str]:
    # Number, controllers, path; the unified hierarchy names no controllers.
    lines = [line.split(":", 2) for line in groups.splitlines() if line.count(":") > 1]
    paths = {name: path for _, names, path in lines for name in names.split(",")}
    own, older = paths.get(""), paths.get("memory")
    files = []
    for mount in (_GROUPS, f"{_GROUPS}/unified"):
        files += [f"{mount}{folder}/memory.max" for folder in _upwards(own)]
    # The path is the host's in a container, whose own limit stands at the top then.
    return files + [f"{_GROUPS}/memory{folder}/memory.limit_in_bytes" for folder in _upwards(older)]


def _upwards(path: str | None) -> list[str]:
    """Return a group and all above it, up to the empty path of the root."""
    if path is None:
        return []
    parts = path.strip("/").split("/") if path.strip("/") else []
    return ["".join(f"/{part}" for part in parts[:count]) for count in range(len(parts), -1, -1)]


def _limit(host: Host, file: str) -> int | None:
    raw = unless_absent(host.read, file) or b""
    text = raw.decode("ascii", "replace").strip()
    return int(text) if text.isdigit() and int(text) < _NO_LIMIT_V1 else None


# Below user.slice stand units of a user's own manager, which are no services of the system.
SYSTEM_SERVICE = re.compile(
    r"/system\.slice/(?:[^/\n]+\.slice/)*(?P<name>[^/\n]+\.service)(?=/|$)", re.M
)


def system_service(groups: str) -> str | None:
    """Return the systemd service that this process belongs to, None if it is no service's."""
    found = SYSTEM_SERVICE.search(groups)
    return found["name"] if found else None


_ENFORCE = "/sys/fs/selinux/enforce"
# The second is of the one module that came first; Linux had no other before 5.8.
_LABELS = ("/proc/self/attr/apparmor/current", "/proc/self/attr/current")
# Where no module keeps labels, reading one is EINVAL.
_NO_LABEL = (*ABSENT, errno.EINVAL)
_SELINUX_LABEL = re.compile(r"[^:\s]+:[^:\s]+:[^:\s]+")
_APPARMOR_LABEL = re.compile(r"(?P<profile>.+?)(?: \((?P<mode>\w+)\))?")
# These let everything pass: complain only writes it down.
_HARMLESS_MODES = ("complain", "unconfined", "prompt")


def probe_security(host: Host) -> Security:
    """Return which policies apply to this process."""
    return Security(selinux=_selinux(host), apparmor_profile=_apparmor(host))


def _selinux(host: Host) -> str | Unknown | None:
    try:
        return "enforcing" if host.read(_ENFORCE).strip() == b"1" else "permissive"
    except OSError as error:
        if error.errno not in ABSENT:
            return Unknown(reason(error))
    label = _label(host, _LABELS[1])
    if isinstance(label, str) and _SELINUX_LABEL.match(label):
        # Containers on Fedora and its kin: the label is there, the folder is not.
        return Unknown(f"SELinux labels this process, {_ENFORCE} is not shown; getenforce tells")
    return label if isinstance(label, Unknown) else None


def _apparmor(host: Host) -> str | Unknown | None:
    label = _label(host, _LABELS[0])
    label = _label(host, _LABELS[1]) if label is None else label
    if label is None or isinstance(label, Unknown):
        return label
    parts = _APPARMOR_LABEL.fullmatch(label)
    if parts is None or parts["profile"] == "unconfined" or parts["mode"] in _HARMLESS_MODES:
        return None
    return None if parts["mode"] is None and _SELINUX_LABEL.match(label) else parts["profile"]


def _label(host: Host, path: str) -> str | Unknown | None:
    """Return a label of this process, None where Linux keeps none."""
    try:
        text = host.read(path).decode("utf-8", "replace").strip("\0\n ")
    except OSError as error:
        return None if error.errno in _NO_LABEL else Unknown(reason(error))
    return text or None
