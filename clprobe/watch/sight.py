# SPDX-License-Identifier: MIT
# ruff: noqa: PTH110, PTH115, PTH116, PTH123, PTH208 - looks are quick, and their paths are texts
"""One look at a process through /proc: its libraries, nodes, variables, user and sandbox.

What /proc does not show (another user's process, one that has ended) is an Unknown, never empty.
"""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from clprobe.model.unknown import Fact, Unknown
from clprobe.probe.processes import group_ids, status_fields
from clprobe.watch.privileged import privileged_file

T = TypeVar("T")
GPU_NODE = re.compile(r"/dev/(?:dri/(?:renderD|card)\d+|kfd|nvidia(?:\d+|ctl|-uvm)|dxg|mali\d+)$")
NO_VARIABLE_YET = Unknown("/proc does not show it: ENODATA")
"""There is none: so it looks in the first moments of a program, and after env -i for good."""
_MOST_BYTES = 4 << 20
_MOST_NAMES = 64
_DEEPEST = 16
_MARKS = (
    ("flatpak", "/.flatpak-info"),
    ("podman", "/run/.containerenv"),
    ("docker", "/.dockerenv"),
)
_VENDORS = "etc/OpenCL/vendors"
_OPTIONS_AT = 5
"""Where mountinfo has a mount's options: proc_pid_mountinfo(5)."""
_NODE_FOLDERS = ("dev", "dev/dri")


class Sight(NamedTuple):
    """What /proc shows of a process at one moment.

    `has_ended`: it is gone, or waits to be reaped, and shows no more than its number.
    `inside` are .icd files and GPU nodes in its own view of files, where that is not ours; `nodev`
    are those of the nodes that lie where it is mounted without device files. `folder` is its
    working folder.
    """

    pid: int
    exe: Fact[str]
    argv: Fact[tuple[str, ...]]
    libraries: Fact[tuple[str, ...]]
    environment: Fact[dict[str, str]]
    nodes: Fact[tuple[str, ...]]
    uid: Fact[int]
    groups: Fact[tuple[int, ...]]
    seccomp: Fact[bool]
    file_limit_bytes: Fact[int | None]
    sandbox: Fact[str | None]
    inside: Fact[tuple[tuple[str, ...], tuple[str, ...]]]
    nodev: Fact[tuple[str, ...]]
    folder: Fact[str]
    has_ended: bool

    @classmethod
    def none(cls, pid: int) -> "Sight":
        """Return the look that never was: nothing about the process is known."""
        unknown = Unknown("the process ended before the first look")
        return cls(pid, *(unknown,) * 13, True)


def look(pid: int) -> Sight:
    """Return what there is to see of a process."""
    status = _ask(status_fields, pid)
    sandbox = _ask(_sandbox, pid)
    unknown = status if isinstance(status, Unknown) else None
    fields = {} if isinstance(status, Unknown) else status
    return Sight(
        pid=pid,
        exe=_ask(_exe, pid),
        argv=_ask(_argv, pid),
        libraries=_ask(_libraries, pid),
        environment=_ask(_environment, pid),
        nodes=_ask(_nodes, pid),
        uid=unknown or int(fields["Uid"].split()[1]),
        groups=unknown or group_ids(fields),
        seccomp=unknown or fields.get("Seccomp", "0") != "0",
        file_limit_bytes=_ask(_file_limit, pid),
        sandbox=sandbox,
        has_ended=fields.get("State", "").startswith("Z") or isinstance(status, Unknown),
        inside=_ask(_inside, pid) if isinstance(sandbox, str) else Unknown("it sees our files"),
        nodev=_ask(_nodev, pid) if isinstance(sandbox, str) else (),
        folder=_ask(os.readlink, f"/proc/{pid}/cwd"),
    )


def descendants(pid: int) -> tuple[int, ...]:
    """Return the process and all below it, itself first; ended ones may be among them."""
    found = [pid]
    for one in found:
        try:
            tasks = os.listdir(f"/proc/{one}/task")
        except OSError:
            continue
        for task in tasks:
            text = _ask(_text, f"/proc/{one}/task/{task}/children")
            if isinstance(text, str):
                found += [int(child) for child in text.split() if int(child) not in found]
    return tuple(found)


def exe_of(pid: int) -> Fact[str]:
    """Return the program that the process is now."""
    return _ask(_exe, pid)


def _ask(question: Callable[..., T], *of: object) -> T | Unknown:
    try:
        return question(*of)
    except OSError as error:
        return Unknown(f"/proc does not show it: {errno.errorcode.get(error.errno or 0, '?')}")
    except (KeyError, ValueError) as error:
        return Unknown(f"/proc shows it otherwise than Linux does: {error}")


def _text(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(_MOST_BYTES).decode("utf-8", "replace")


def _exe(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)")
    except PermissionError:
        # Of a program that gains rights only its words are shown; others are another user's.
        found = privileged_file(_argv(pid)[0]) if _argv(pid) else None
        if found is None:
            raise
        return found


def _argv(pid: int) -> tuple[str, ...]:
    return tuple(_text(f"/proc/{pid}/cmdline").split("\0")[:-1])


def _libraries(pid: int) -> tuple[str, ...]:
    paths = (line.split(None, 5)[5:] for line in _text(f"/proc/{pid}/maps").splitlines())
    files = (path[0] for path in paths if path and ".so" in path[0].rpartition("/")[2])
    return tuple(dict.fromkeys(file.removesuffix(" (deleted)") for file in files))


def _environment(pid: int) -> dict[str, str]:
    pairs = (item.partition("=") for item in _text(f"/proc/{pid}/environ").split("\0") if item)
    found = {name: value for name, _, value in pairs}
    if not found:
        raise OSError(errno.ENODATA, NO_VARIABLE_YET.unknown)
    return found


def _nodes(pid: int) -> tuple[str, ...]:
    folder = f"/proc/{pid}/fd"
    targets = (_ask(os.readlink, f"{folder}/{name}") for name in os.listdir(folder))
    nodes = {path for path in targets if isinstance(path, str) and GPU_NODE.match(path)}
    return tuple(sorted(nodes))


def _sandbox(pid: int) -> str | None:
    """Return what gives the process a view of files of its own; None: it has ours."""
    if os.readlink(f"/proc/{pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt"):
        is_ours = os.readlink(f"/proc/{pid}/root") == os.readlink("/proc/self/root")
        return None if is_ours else "chroot"
    for sandbox, mark in _MARKS:  # ours may lie in a container, too
        if os.path.exists(f"/proc/{pid}/root{mark}") and not os.path.exists(mark):
            return sandbox
    if "SNAP" in _environment(pid):
        return "snap"
    return "bubblewrap" if _is_below(pid, "bwrap") else "own mount namespace"


def _is_below(pid: int, name: str) -> bool:
    """Whether a process of that name is among those above it."""
    for _ in range(_DEEPEST):
        fields = status_fields(pid)
        if fields["Name"] == name:
            return True
        pid = int(fields["PPid"])
        if pid <= 1:
            break
    return False


def _inside(pid: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    root = f"/proc/{pid}/root"
    os.stat(f"{root}/.")  # another user's root is refused here, which is not "nothing inside"
    files = tuple(f"/{_VENDORS}/{name}" for name in _names(f"{root}/{_VENDORS}"))
    icds = tuple(path for path in files if path.endswith(".icd"))
    nodes = (f"/{folder}/{one}" for folder in _NODE_FOLDERS for one in _names(f"{root}/{folder}"))
    return icds, tuple(path for path in nodes if GPU_NODE.match(path))


def _nodev(pid: int) -> tuple[str, ...]:
    """Return the nodes on mounts whose device files nobody may open, whatever their mode."""
    mounts = (line.split() for line in _text(f"/proc/{pid}/mountinfo").splitlines())
    options = {fields[4]: fields[5].split(",") for fields in mounts if len(fields) > _OPTIONS_AT}
    return tuple(
        node for node in _inside(pid)[1] if "nodev" in options.get(_mount_of(node, options), ())
    )


def _mount_of(path: str, mounts: Iterable[str]) -> str:
    """Return the mount that a path lies on."""
    above = (one for one in mounts if path == one or path.startswith(f"{one.rstrip('/')}/"))
    return max(above, key=len, default="/")


def _file_limit(pid: int) -> int | None:
    """Return the bytes that a file may have; None: any number."""
    found = re.search(r"^Max file size +(\S+)", _text(f"/proc/{pid}/limits"), re.MULTILINE)
    if found is None:
        raise ValueError("no limit on files in limits")
    return int(found[1]) if found[1].isdecimal() else None


def _names(folder: str) -> Iterator[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    yield from names[:_MOST_NAMES]
