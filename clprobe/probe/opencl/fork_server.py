# SPDX-License-Identifier: MIT
"""The process that children are forked from: Python starts once, not once for every driver.

Run by path, as opencl_worker.py is: `python -I -S fork_server.py REQUESTS REPLIES TURNS HIGHEST
ROOM`: two pipes, an eventfd, the highest descriptor, and blanks, which make room for what children
are called. A child takes one of TURNS before it asks its driver, and its guardian gives it back. It
loads no driver and starts no thread, so that what is forked from it is as good as new. It ends when
clprobe closes REQUESTS, at the latest by its end.
"""

import ctypes
import marshal
import os
import select
import sys
import time

_FOLDER = __file__.rpartition("/")[0]
sys.path.append(_FOLDER.removesuffix("/clprobe/probe/opencl"))

from clprobe.probe.guardian import GUARD, TURN, prctl  # noqa: E402 - as in opencl_worker.py
from clprobe.probe.opencl import opencl_worker  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

SIZE_BYTES = 4
_SET_DUMPABLE = 4  # prctl(2)
_PATIENCE_S = 0.3
"""So long a child waits for its turn: others may hang."""
# clone(2): the child's parent is ours, so clprobe itself waits for it, and may signal it.
_CLONE_PARENT, _SIGCHLD = 0x8000, 17
_CLONE = {"x86_64": 56, "aarch64": 220}
"""Number of the call, by machine of uname(2)."""


def main(requests: int, replies: int, turns: int, highest: int) -> None:
    """Fork a child for every request, until there are no more."""
    # As clprobe does: nothing that a driver runs may trace this process, or get at its pipes.
    prctl(_SET_DUMPABLE, 0)
    server = os.getpid()
    while told := _request(requests):
        child = _clone()
        if not child:
            _become(told, turns, highest, server)
        for descriptor in told[0]:
            os.close(descriptor)
        os.write(replies, child.to_bytes(SIZE_BYTES, sys.byteorder, signed=True))


def _request(requests: int) -> "Any":
    """Return descriptors, arguments, environment, folder and guard of a child; None: no more."""
    size = os.read(requests, SIZE_BYTES)
    left = int.from_bytes(size, sys.byteorder)
    told = b""
    while len(told) < left and (piece := os.read(requests, left - len(told))):
        told += piece
    return marshal.loads(told) if size else None  # noqa: S302 - from clprobe alone


def _clone() -> int:
    """Return the process id of the child, 0 in the child itself, -1 if there can be none."""
    number = _CLONE.get(os.uname().machine)
    if number is None or sys.maxsize <= 1 << 32:
        return -1
    # os.fork() knows no flags. Python has nothing to put right behind it where no thread is.
    return int(ctypes.CDLL(None).syscall(number, _CLONE_PARENT | _SIGCHLD, 0, 0, 0, 0))


def _become(told: "Any", turns: int, highest: int, server: int) -> "NoReturn":
    """Be to the end what `python -I -S opencl_worker.py` would be in that environment."""
    (output, report, lifeline), (role, kernels, *libraries), environment, folder, guard = told
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    # Pipes and reports of others, which no driver may touch.
    last = 2
    for kept in (*sorted((report, lifeline, turns)), highest + 1):
        os.closerange(last + 1, kept)
        last = kept
    prctl(_SET_DUMPABLE, 1)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    os.environ[GUARD] = f"{lifeline}:{guard}"
    os.environ[TURN] = str(turns)
    _be_called(sys.executable, "-I", "-S", opencl_worker.__file__, role, str(report), *told[1][1:])
    _take(turns, lifeline)
    opencl_worker.main(role, report, libraries, kernels, beside=server)
    # Drivers do what they do when a program ends; to take Python apart takes longer than all else.
    ctypes.CDLL(None).exit(0)
    os._exit(1)  # exit() never returns


def _take(turns: int, lifeline: int) -> None:
    """Wait for a turn, until the lifeline tells that all is over, or for long enough."""
    events = select.poll()
    events.register(turns, select.POLLIN)
    events.register(lifeline, select.POLLIN)
    ends = time.monotonic() + _PATIENCE_S
    while (left_s := ends - time.monotonic()) > 0:
        ready = [descriptor for descriptor, _ in events.poll(left_s * 1000)]
        if lifeline in ready:
            return
        try:
            os.eventfd_read(turns)
        except BlockingIOError:  # another child was faster
            continue
        return


def _be_called(*words: str) -> None:
    """Have ps and the like show these words, so that people see which driver hangs."""
    try:
        with open("/proc/self/stat", "rb") as file:  # noqa: PTH123 - pathlib takes longer to import than this process lives
            # Behind the name, which may hold anything; proc_pid_stat(5): arg_start, arg_end.
            start, end = map(int, file.read().rpartition(b")")[2].split()[45:47])
    except (OSError, ValueError):  # no /proc in this container
        return
    room = end - start
    if room > 0:
        shown = "\0".join(words).encode("utf-8", "surrogateescape")[: room - 1]
        ctypes.memmove(start, shown.ljust(room, b"\0"), room)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:5]))
