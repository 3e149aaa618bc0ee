# SPDX-License-Identifier: MIT
"""The values of `key: value` lines about users, logs, variables and traces."""

import re

from clprobe.model.hardware import DeviceNode, node_kind
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Group, Linux, System, User, Virtualization
from clprobe.model.unknown import NOT_STATED, Unknown
from clprobe.paste.forms import Forms

_FORMS = Forms("restated")


def identity(value: str) -> Snapshot | None:
    """Return the user and groups of `id`, bare numbers included; or one group that is stated."""
    numbers = re.match(
        r"uid=(?P<uid>\d{1,10})(?:\((?P<name>[^)]*)\))? gid=\d{1,10}\S* groups=(?P<groups>\S+)",
        value,
    )
    if numbers is None:
        told = re.match(r"(?:contains |includes |member of )(?P<name>[a-z][\w-]{1,30})", value)
        listed = value.split()
        if told is None and not all(re.fullmatch(r"[a-z_][\w-]{0,30},?", word) for word in listed):
            return None
        if told is not None:
            return Snapshot(messages=(f"groups: {value}",))
        names = tuple(Group(name=word.rstrip(",")) for word in listed)
        return Snapshot(user=User(groups=names))
    groups = tuple(
        Group(gid=int(gid), name=name or NOT_STATED)
        for gid, name in re.findall(r"(\d{1,10})(?:\(([^()]*)\))?", numbers["groups"])[:100]
    )
    return Snapshot(
        user=User(uid=int(numbers["uid"]), name=numbers["name"] or NOT_STATED, groups=groups)
    )


def log(value: str) -> Snapshot:
    """Return the value as lines of the log of Linux, and NVIDIA's mismatch in its own words."""
    differ = re.search(
        r"API mismatch.{0,40}?client (?P<client>[\d.]{3,20}).{0,60}?module (?P<module>[\d.]{3,20})",
        value,
    )
    versions: dict[str, str | Unknown | None] = {}
    if differ is not None:
        client, module = (differ[part].rstrip(".") for part in ("client", "module"))
        versions["nvidia"] = module
        value = (
            f"NVRM: API mismatch: the client has the version {client}, "
            f"but this kernel module has the version {module}"
        )
    return Snapshot(system=System(linux=Linux(log=value, module_versions=versions)))


def environment(value: str) -> Snapshot | None:
    """Return the variable."""
    found = _FORMS.variable.match(value)
    return Snapshot(environment={found["name"]: found["value"].strip("\"'")}) if found else None


def strace(value: str) -> Snapshot | None:
    """Return the nodes that did not open."""
    failed = {found["path"]: found["error"] for found in _FORMS.strace.finditer(value)}
    told = tuple(
        DeviceNode(path=path, kind=node_kind(path) or NOT_STATED, open_error=error)
        for path, error in failed.items()
        if node_kind(path) and error != "ENOENT"
    )
    return Snapshot(device_nodes=told, messages=(value,)) if told else Snapshot(messages=(value,))


def windows_driver(value: str) -> Snapshot | None:
    """Return the version of the display driver of Windows."""
    found = re.search(r"\d{2}\.\d{1,2}\.\d{1,3}\.\d{3,4}", value)
    return (
        Snapshot(system=System(virtualization=Virtualization(windows_driver=found[0])))
        if found
        else None
    )


def message(value: str) -> Snapshot:
    """Return the value as a message."""
    return Snapshot(messages=(value,))
