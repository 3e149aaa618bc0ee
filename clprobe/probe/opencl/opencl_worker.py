# SPDX-License-Identifier: MIT
"""The child that asks one driver, or one loader, so that a crash or a hang ends nobody else.

Run by path, without clprobe, site-packages or numpy: `python -I -S opencl_worker.py ROLE REPORT
KERNELS LIBRARY…`. Roles: `icd` asks a vendor library directly, or two in one process, `loader` asks
through a libOpenCL, `pyopencl` imports pyopencl, `torch` asks PyTorch for its devices. KERNELS is
`no-kernels`, or `INDEX:BUILDS`: run a kernel on that device, counted over all platforms; BUILDS is
the folder of earlier builds, or empty. Before every call that may not return, one JSON line goes to
the memory behind the descriptor REPORT, which is shared with the parent: it stays whatever a driver
does to this process, its descriptors and its folder.
"""

import ctypes
import mmap
import os
import resource
import sys

# Imports count: a dozen of these processes start at once. typing and json take longer than all
# else that a child does, so neither is imported.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Run by path and without site-packages; at the end, so that it hides nothing of the standard
# library. Only modules of this folder that need nothing else are imported from there.
_FOLDER = __file__.rpartition("/")[0]
sys.path.append(_FOLDER.removesuffix("/clprobe/probe/opencl"))

from clprobe.probe.fence import fence_driver  # noqa: E402 - see above
from clprobe.probe.guardian import stand_guard  # noqa: E402
from clprobe.probe.opencl.answers import (  # noqa: E402
    ask_platforms,
    platform_ids,
)
from clprobe.probe.opencl.calls import (  # noqa: E402
    Call,
    OpenclError,
    dispatched,
    entry_point,
    exported,
    mapped_loader,
)
from clprobe.probe.opencl.known_answer import KnownAnswer  # noqa: E402
from clprobe.probe.opencl.small_json import as_json  # noqa: E402

_RESERVED_BYTES = 1 << 16  # of the report, for the last words
_LONGEST_WORDS = 8000
_REAL_TIME_US = 500_000


def main(
    role: str, report_descriptor: int, libraries: list[str], kernels: str, *, beside: int = 0
) -> None:
    """Ask as `role` and report; returns normally even if the driver answers with errors.

    `beside` is a process of clprobe's that no driver may reach: the one this was forked from.
    """
    _prepare(beside)
    report = _Report(report_descriptor)
    try:
        if role == "pyopencl":
            _ask_pyopencl(report)
        elif role == "torch":
            _ask_torch(report, libraries[0])
        elif role == "loader":
            _ask_loader(report, libraries[0])
        else:
            _ask_icds(report, libraries, kernels)
    except OpenclError as failure:
        report.end(str(failure), failure.code)
    except Exception as error:  # noqa: BLE001 - whatever pyopencl raises is an answer too
        report.end(f"{type(error).__name__}: {error}", None)
    else:
        report.end()


class _Report:
    """Appends JSON lines to the shared memory, each whole before the next call is made."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
        self._room = len(self._memory) - _RESERVED_BYTES
        self._used = 0
        os.close(descriptor)

    def __call__(self, **record: "Any") -> None:
        line = as_json(record).encode()
        end = self._used + len(line)
        if end >= self._room:
            raise OpenclError(f"it tells more than the {self._room} bytes that there is room for")
        self._memory[self._used : end] = line
        # Written last: a line without its end is one that was never finished.
        self._memory[end] = ord("\n")
        self._used = end + 1

    def end(self, failed: str = "", code: int | None = None) -> None:
        """Write the last words, for which there always is room."""
        self._room = len(self._memory)
        if failed:
            self(failed=failed[:_LONGEST_WORDS], code=code)
        self(done=True)


def _prepare(beside: int) -> None:
    # A limit of 1 byte is the value that also stops core dumps piped to a crash collector: the
    # user asked for a diagnosis, not for a crash report (core(5)).
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (1 if hard else 0, hard))
    # In between, so that a driver that kills its parent kills no more than its guardian.
    stand_guard()
    fence_driver(beside)
    _limit_memory()
    # A driver that takes a processor for itself at real-time priority leaves others, asked at the
    # same time, to starve: SIGXCPU ends it. None needs half a second of that without a pause.
    hard = resource.getrlimit(resource.RLIMIT_RTTIME)[1]
    most = _REAL_TIME_US if hard == resource.RLIM_INFINITY else min(hard, _REAL_TIME_US)
    resource.setrlimit(resource.RLIMIT_RTTIME, (most, hard))


def _limit_memory() -> None:
    """Let a driver that eats memory end itself, or else be what Linux kills first."""
    # Not the address space: drivers of GPUs reserve terabytes of it, which this does not count.
    # All of the memory and not less: PoCL calls what the limit leaves its device's memory.
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:  # a read-only /proc in this container
        return
    try:
        os.write(descriptor, b"1000")
    finally:
        os.close(descriptor)


def _ask_loader(report: _Report, library: str) -> None:
    report(stage="load")
    opened = _opened(library)
    report(loader=mapped_loader(), loader_version=_loader_version(opened))
    report(stage="platforms")
    platforms = platform_ids(exported(opened)("clGetPlatformIDs"))
    ask_platforms(report, platforms, [exported(opened) for _ in platforms])


def _ask_icds(report: _Report, libraries: list[str], kernels: str) -> None:
    report(stage="load")
    opened = []
    for library in libraries:
        report(loading=library)
        opened.append(_opened(library))
    report(stage="entry-point")
    entries = [entry_point(library) for library in opened]
    report(stage="platforms")
    platforms = [platform for entry in entries for platform in platform_ids(entry)]
    functions: list[Call] = [dispatched(platform) for platform in platforms]
    devices = ask_platforms(report, platforms, functions)
    index, given, builds = kernels.partition(":")
    if given and int(index) < len(devices):
        place, function, device, name = devices[int(index)]
        KnownAnswer(report, place, function, device).run(builds, name)


def _opened(library: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(library)
    except OSError as error:
        raise OpenclError(str(error)) from None


def _loader_version(opened: ctypes.CDLL) -> str | None:
    find = getattr(opened, "clGetExtensionFunctionAddress", None)
    if find is None:
        return None
    find.restype, find.argtypes = ctypes.c_void_p, (ctypes.c_char_p,)
    address = find(b"clGetICDLoaderInfoOCLICD")
    if not address:
        return None
    version = 2
    buffer = ctypes.create_string_buffer(256)
    prototype = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p
    )
    code = prototype(address)(version, len(buffer), buffer, None)
    return None if code else buffer.value.decode("utf-8", "replace")


def _ask_pyopencl(report: _Report) -> None:
    sys.path[:] = [folder for folder in sys.path if folder != _FOLDER]
    from clprobe.probe.opencl.asking_pyopencl import ask_pyopencl  # noqa: PLC0415 - for this role alone

    ask_pyopencl(report)


def _ask_torch(report: _Report, device_type: str) -> None:
    sys.path[:] = [folder for folder in sys.path if folder != _FOLDER]
    from clprobe.probe.opencl.torch_devices import ask_torch  # noqa: PLC0415 - for this role alone

    ask_torch(report, device_type)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[4:], sys.argv[3])
