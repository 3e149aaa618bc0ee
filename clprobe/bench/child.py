# SPDX-License-Identifier: MIT
"""Runs one job in a child process of its own, which may crash or hang without harm to others."""

import math
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

import msgspec

from clprobe.bench.protocol import Failed, Finished, Job, Message
from clprobe.probe.wards import Ward

_CHUNK_BYTES = 1 << 16
_SHOWN_CHARACTERS = 300
_TRACEBACK = "Traceback (most recent call last):"


def run_job(job: Job, silence_seconds: float) -> Generator[Message, None, None]:
    """Yield the child's messages as they come, the last one Finished or Failed.

    A child that says nothing for `silence_seconds` is ended, and so is one that takes longer than
    the job's seconds. Closing the iterator ends it too.
    """
    deadline = math.inf if job.seconds is None else time.monotonic() + job.seconds
    ward = Ward("clprobe-bench-")
    try:
        chatter = ward.folder / "chatter"
        reading, writing = os.pipe()
        try:
            with chatter.open("wb") as output:
                process = ward.start(
                    [sys.executable, "-m", "clprobe.bench.start_worker", str(writing)],
                    _environment(job, ward.folder),
                    # Emulated Intel devices leave files in the current folder.
                    cwd=_new_folder(ward.folder / "scratch"),
                    stdin=subprocess.PIPE,
                    stdout=output,
                    pass_fds=(writing,),
                )
        finally:
            os.close(writing)
        with os.fdopen(reading, "rb", buffering=0):
            _hand_over(process, msgspec.json.encode(job))
            complete = False
            for line in _lines(reading, silence_seconds, deadline):
                message = msgspec.json.decode(line, type=Message)
                complete = complete or isinstance(message, Finished | Failed)
                yield message
            if not complete:
                if time.monotonic() >= deadline:
                    problem = f"not done when the device's {job.seconds:.0f} s were over."
                    yield Failed(detail=problem, status="skipped")
                else:
                    yield Failed(detail=_epitaph(process, silence_seconds, chatter))
    finally:
        ward.end()
        ward.close()


def _environment(job: Job, folder: Path) -> dict[str, str]:
    """Return an environment in which a loader, any of them, finds this job's driver first.

    Torch's own devices look for their drivers themselves.
    """
    if not job.target.library:
        return with_package()
    vendors = _new_folder(folder / "vendors")
    (vendors / "device.icd").write_bytes(os.fsencode(job.target.library) + b"\n")
    environment = {key: value for key, value in os.environ.items() if key != "OCL_ICD_FILENAMES"}
    # ocl-icd takes a path without a slash at its end for one file.
    return with_package(environment | {"OCL_ICD_VENDORS": f"{vendors}/"})


def with_package(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment for another folder, where no checkout on a relative path is found."""
    package_parent = str(Path(__file__).resolve().parents[2])
    search = [package_parent, *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(search)}


def _new_folder(path: Path) -> Path:
    path.mkdir()
    return path


def _hand_over(process: "subprocess.Popen[bytes]", job: bytes) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    try:
        process.stdin.write(job)
        process.stdin.close()
    except BrokenPipeError:
        # It died before it read; how it ended says why.
        return


def _lines(pipe: int, silence_seconds: float, deadline: float) -> Iterator[bytes]:
    """Yield whole lines until the child ends, is silent for too long or runs out of time."""
    pending = b""
    while True:
        seconds = max(0.0, min(silence_seconds, deadline - time.monotonic()))
        speaking, _, _ = select.select([pipe], [], [], seconds)
        if not speaking:
            return
        chunk = os.read(pipe, _CHUNK_BYTES)
        if not chunk:
            return
        *lines, pending = (pending + chunk).split(b"\n")
        yield from lines


def _epitaph(process: "subprocess.Popen[bytes]", silence_seconds: float, chatter: Path) -> str:
    """Say how a child ended that did not finish."""
    try:
        # Its end of the pipe closes a moment before it is gone.
        status = process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        return f"nothing finished within {silence_seconds:.0f} s."
    words = chatter.read_text(encoding="utf-8", errors="replace").strip()
    if _TRACEBACK in words:
        # Python's last line says what, and nobody but us can use the rest.
        words = words.splitlines()[-1]
    last = "".join(c if c.isprintable() else " " for c in words[-_SHOWN_CHARACTERS:]).strip()
    said = f": {last}" if last else "."
    if status < 0:
        return f"the driver crashed: {signal.strsignal(-status)}{said}"
    return f"the process ended with status {status}{said}"
