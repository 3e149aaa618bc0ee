# SPDX-License-Identifier: MIT
"""Starts opencl_worker.py: forked from a process that has it ready, or run by path."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

from clprobe.probe.forking import fork_server
from clprobe.probe.host import OpenclRequest
from clprobe.probe.opencl.driver_caches import with_own_cache
from clprobe.probe.scratch import ReportMemory
from clprobe.probe.wards import ForkedProcess, Ward

_WORKER = str(Path(__file__).with_name("opencl_worker.py"))
# Those need the packages of a Python, which may be another one; a vendor library needs none.
_WITH_PACKAGES = ("pyopencl", "torch")


class Worker(NamedTuple):
    """A worker at work: its guardian, what it prints, and where it reports."""

    process: "subprocess.Popen[bytes] | ForkedProcess"
    output: IO[bytes]
    memory: ReportMemory


def start_worker(  # noqa: PLR0913, PLR0917 - what is asked, and of whom
    ward: Ward,
    request: OpenclRequest,
    environment: Mapping[str, str],
    python: str,
    kernels: str,
    own: Mapping[str, str] = MappingProxyType({}),
) -> Worker:
    """Return the worker of a request, which has been started behind its ward's guardian.

    `own` are variables that drivers read and nothing that starts a program does.

    Raises: OSError if it cannot be started.
    """
    # Nothing that a driver drops in its working folder (Intel's writes *.aub) may stay.
    working_folder = ward.folder / "work"
    working_folder.mkdir()
    libraries = (request.library, request.beside) if request.beside else (request.library,)
    whole: Mapping[str, str] = {**environment, **own}
    if request.role != "torch":
        whole = with_own_cache(whole, ward.folder, anew=request.anew)
    is_ours = request.role not in _WITH_PACKAGES
    if is_ours and (server := fork_server(environment)) is not None:
        forked = ward.fork(server, (request.role, kernels, *libraries), whole, cwd=working_folder)
        if forked is not None:
            return Worker(forked, forked.stdout, forked.memory)
    program = (sys.executable, "-I", "-S") if is_ours else (python,)
    memory = ReportMemory()
    try:
        process = ward.start(
            [*program, _WORKER, request.role, str(memory.descriptor), kernels, *libraries],
            whole,
            cwd=working_folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            pass_fds=(memory.descriptor,),
        )
    except OSError:
        memory.close()
        raise
    assert process.stdout is not None  # noqa: S101 - Popen was given a pipe
    return Worker(process, process.stdout, memory)
