# SPDX-License-Identifier: MIT
"""Reads /proc/self/cgroup: where systemd and container engines put this process."""

import re

# Below user.slice stand units of a user's own manager, which are no services of the system.
SYSTEM_SERVICE = re.compile(
    r"/system\.slice/(?:[^/\n]+\.slice/)*(?P<name>[^/\n]+\.service)(?=/|$)", re.M
)


def system_service(groups: str) -> str | None:
    """Return the systemd service that this process belongs to, None if it is no service's."""
    found = SYSTEM_SERVICE.search(groups)
    return found["name"] if found else None


def v2_path(groups: str) -> str | None:
    """Return the path in the unified hierarchy, None where there is none."""
    return next((line[3:] for line in groups.splitlines() if line.startswith("0::")), None)


def v1_path(groups: str, controller: str) -> str | None:
    """Return the path in the hierarchy of a controller of version 1, None where it has none."""
    for line in groups.splitlines():
        fields = line.split(":", 2)  # number, controllers, path
        if len(fields) == 3 and controller in fields[1].split(","):
            return fields[2]
    return None
