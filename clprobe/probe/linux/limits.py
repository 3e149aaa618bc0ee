# SPDX-License-Identifier: MIT
"""What this process may use at most: resource limits and the memory of its control group."""

import re

from clprobe.model.system import Limits
from clprobe.model.unknown import Unknown
from clprobe.probe.facts import ABSENT, ask_text, names_in, reason
from clprobe.probe.host import Host
from clprobe.probe.linux.control_groups import v1_path, v2_path

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
        if not names_in(host.list_folder, _GROUPS):
            return Unknown(f"{_GROUPS} is not mounted here")
        found = [_limit(host, file) for file in _files(groups)]
    except OSError as error:
        return Unknown(reason(error))
    return min((limit for limit in found if limit is not None), default=None)


def _files(groups: str) -> list[str]:
    own, older = v2_path(groups), v1_path(groups, "memory")
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
    try:
        text = host.read(file).decode("ascii", "replace").strip()
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise
    return int(text) if text.isdigit() and int(text) < _NO_LIMIT_V1 else None
