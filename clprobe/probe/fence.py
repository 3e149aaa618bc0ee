# SPDX-License-Identifier: MIT
"""Keeps a driver from ending or stopping clprobe and the processes above it, and from leavings.

Part of the child (opencl_worker.py): nothing but the standard library. A filter of system calls
(seccomp(2)) ends a driver's process with SIGSYS once it sends a signal to one of them, to their
groups or to everybody, or changes their limits; so that driver is named, and all others are still
asked. Other processes of the user are not protected: a driver ends its own, whose ids the filter
cannot know. A second filter refuses, with EPERM, what would outlast the driver and whatever is
removed behind it: mounts, and files that nobody may change.
"""

import ctypes
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_ANCESTORS = 32
_SET_NO_NEW_PRIVILEGES = 38  # prctl(2)
_SYS_ADMIN = 21  # capabilities(7)
_SET_MODE_FILTER = 1
# Without it, Linux before 5.16 slows down what is filtered: spec_store_bypass_disable=seccomp.
_FILTER_FLAG_SPEC_ALLOW = 1 << 2
_RETURN_ALLOW, _RETURN_KILL_PROCESS = 0x7FFF0000, 0x80000000
_RETURN_EPERM = 0x00050000 | 1

# Driver programs that Linux must run with root's rights (set-user-ID), which a filter that an
# ordinary user sets forbids: NVIDIA's drivers load their module and make their nodes by it.
_PROGRAMS_WITH_RIGHTS = ("/usr/bin/nvidia-modprobe", "/run/wrappers/bin/nvidia-modprobe")

# machine of uname(2) → value of linux/audit.h; number of seccomp(2); of the calls whose first
# argument is a process, by the argument that is zero where nothing happens: the second (kill,
# tkill, rt_sigqueueinfo), the third (tgkill, rt_tgsigqueueinfo, prlimit64), none (pidfd_open).
_MACHINES = {
    "x86_64": (0xC000003E, 317, (62, 200, 129), (234, 297, 302), (434,)),
    "aarch64": (0xC00000B7, 277, (129, 130, 138), (131, 240, 261), (434,)),
}

# machine of uname(2) → numbers of mount, umount2, pivot_root, setns, move_mount and mount_setattr;
# number of ioctl.
_LASTING = {
    "x86_64": ((165, 166, 155, 308, 429, 442), 16),
    "aarch64": ((40, 39, 41, 268, 429, 442), 29),
}
_SET_FLAGS = (0x40086602, 0x401C5820)  # FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR: linux/fs.h

# Instructions of a filter, and where seccomp_data has what they look at: linux/filter.h, seccomp.h.
_LOAD, _JUMP, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x05, 0x15, 0x06
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16


def fence_driver(beside: int = 0) -> None:
    """Let this process and all that it starts reach no process above and leave no mounts behind.

    `beside` is one more process out of reach, which leads a group; 0: there is none. On other
    processors, without /proc and where a filter is refused, nothing changes.
    """
    name = os.uname().machine
    numbers = _MACHINES.get(name)
    if numbers is None:
        return
    try:
        above = tuple(_processes_above())
    except (OSError, ValueError, IndexError):  # no /proc in this container
        return
    machine, seccomp, by_second, by_third, always = numbers
    libc = ctypes.CDLL(None)
    if not _may_filter(libc):
        return
    calls, ioctl = _LASTING[name]
    _set(libc, seccomp, _lasting_filter(machine, calls, ioctl))
    forbidden = (-1, *above, *((beside, -beside) if beside else ()))
    _set(libc, seccomp, _filter(machine, (by_second, by_third, always), forbidden))


def _set(libc: ctypes.CDLL, seccomp: int, code: bytes) -> None:
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    for flags in (_FILTER_FLAG_SPEC_ALLOW, 0):  # Linux before 4.17 knows no flag
        if libc.syscall(seccomp, _SET_MODE_FILTER, flags, program) == 0:
            return


def _may_filter(libc: ctypes.CDLL) -> bool:
    with open("/proc/self/status", "rb") as file:  # noqa: PTH123 - pathlib takes longer to import than this child lives
        effective = next((line for line in file if line.startswith(b"CapEff:")), b"CapEff: 0")
    if int(effective.split()[1], 16) >> _SYS_ADMIN & 1:
        return True
    if any(map(os.path.exists, _PROGRAMS_WITH_RIGHTS)):
        return False
    refused: int = libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return not refused


def _processes_above() -> "Iterator[int]":
    """Yield the ids of the processes above this one, and their groups as kill(2) takes them."""
    pid = os.getppid()
    for _ in range(_MOST_ANCESTORS):
        if not pid:
            return
        yield pid
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - see above
            # Behind the name, which may hold anything: state, parent, group.
            _, parent, group = file.read().rpartition(b")")[2].split()[:3]
        if int(group):
            yield -int(group)
        pid = int(parent)


def _filter(
    machine: int, calls: "tuple[tuple[int, ...], ...]", forbidden: "tuple[int, ...]"
) -> bytes:
    """Return the filter: what kills if its first argument is in `forbidden`, all else allowed."""
    by_second, by_third, always = calls
    allow = [_instruction(_RETURN, _RETURN_ALLOW)]
    process = [
        _instruction(_LOAD, _ARGUMENTS),
        *_jumps_to_the_end(tuple(dict.fromkeys(forbidden)), len(allow)),
        *allow,
        _instruction(_RETURN, _RETURN_KILL_PROCESS),
    ]
    third = _unless_zero(2)
    second = [*_unless_zero(1), _instruction(_JUMP, len(third))]
    return b"".join(
        (
            _instruction(_LOAD, _MACHINE),
            _instruction(_JUMP_IF_EQUAL, machine, 1, 0),
            *allow,
            _instruction(_LOAD, _NUMBER),
            *_jumps_to_the_end(always, len((*by_third, *by_second, *allow, *second, *third))),
            *_jumps_to_the_end(by_third, len((*by_second, *allow, *second))),
            *_jumps_to_the_end(by_second, len(allow)),
            *allow,
            *second,
            *third,
            *process,
        )
    )


def _lasting_filter(machine: int, calls: "tuple[int, ...]", ioctl: int) -> bytes:
    """Return the filter: what refuses these calls, and ioctl with what closes files to changes."""
    allow = _instruction(_RETURN, _RETURN_ALLOW)
    flags = [
        _instruction(_LOAD, _ARGUMENTS + 8),
        *_jumps_to_the_end(_SET_FLAGS, 1),
    ]
    return b"".join(
        (
            _instruction(_LOAD, _MACHINE),
            _instruction(_JUMP_IF_EQUAL, machine, 1, 0),
            allow,
            _instruction(_LOAD, _NUMBER),
            *_jumps_to_the_end(calls, 1 + len(flags) + 1),
            _instruction(_JUMP_IF_EQUAL, ioctl, 0, len(flags)),
            *flags,
            allow,
            _instruction(_RETURN, _RETURN_EPERM),
        )
    )


def _unless_zero(argument: int) -> list[bytes]:
    """Return instructions that allow the call if that argument's lower half is zero."""
    return [
        _instruction(_LOAD, _ARGUMENTS + 8 * argument),
        _instruction(_JUMP_IF_EQUAL, 0, 0, 1),
        _instruction(_RETURN, _RETURN_ALLOW),
    ]


def _jumps_to_the_end(values: "tuple[int, ...]", beyond: int) -> list[bytes]:
    """Return a jump per value, which leads behind the last one and `beyond` more."""
    last = len(values) - 1
    return [
        _instruction(_JUMP_IF_EQUAL, value, last - index + beyond, 0)
        for index, value in enumerate(values)
    ]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value & 0xFFFFFFFF)
