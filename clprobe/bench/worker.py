# SPDX-License-Identifier: MIT
"""The child process that measures one device: `python -m clprobe.bench.worker FD`, job on stdin.

Messages go to the file descriptor FD as soon as there are any, because drivers print to stdout,
crash and hang.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import pyopencl as cl

from clprobe.bench.effort import EFFORTS
from clprobe.bench.engines import Engine
from clprobe.bench.engines.opencl import OpenClEngine
from clprobe.bench.measure import Contest, measure
from clprobe.bench.outcomes import without_figures
from clprobe.bench.plan import CASES, NETS, steps_started, training_started
from clprobe.bench.protocol import (
    Alive,
    Baseline,
    Failed,
    Finished,
    Job,
    Message,
    Outcome,
    Started,
    Target,
    Tuned,
    Workload,
)
from clprobe.bench.quiet import OtherLoad
from clprobe.bench.targets import printed
from clprobe.bench.training import measure_steps, measure_training
from clprobe.bench.tuning import tune_device
from clprobe.model.errors import ClprobeError
from clprobe.tensor import Device, DeviceError

_PR_SET_PDEATHSIG = 1

Send = Callable[[Message], None]


def main() -> None:
    """Do the job and report."""
    _die_with_parent()
    pipe = int(sys.argv[1])
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)

    def send(message: Message) -> None:
        _write(pipe, message)

    try:
        work(job, send)
    except Exception as error:  # noqa: BLE001 - a bug is reported, beside what was measured
        send(Failed(detail=_in_words(error)))


def work(job: Job, send: Send) -> None:
    """Measure every workload of the job and send what comes of each."""
    send(Started(workload="opening the device"))
    try:
        kernels = None if job.kernels is None else Path(job.kernels)
        device = Device.open(_find(job.target), kernels=kernels)
    except (ClprobeError, cl.Error) as error:
        send(Failed(detail=str(error)))
        return
    contest = Contest(
        job.target.label,
        OpenClEngine(device),
        _reference(job.baseline),
        EFFORTS[job.effort],
        lambda: send(Alive()),
    )
    other_load = OtherLoad()
    if job.tune:
        send(Started(workload="which kernels are fastest"))
        send(Tuned(tuning=tune_device(contest)))
    for workload in job.workloads:
        slow = False
        for started, measuring in _steps(workload, contest):
            send(started)
            outcome = _attempt(started, measuring, contest, slow=slow)
            send(outcome)
            slow = slow or outcome.results[0].status == "skipped"
    send(Finished(other_load_percent=other_load.percent()))


def _attempt(
    started: Started, measuring: Callable[[], Outcome], contest: Contest, *, slow: bool
) -> Outcome:
    if slow:
        # What takes too long at one size takes longer at the next.
        problem = "not run, as a smaller case was too slow already."
        return without_figures(started, contest.label, "skipped", problem)
    try:
        return measuring()
    except Exception as error:  # noqa: BLE001 - a bug in one workload must not cost the others
        return without_figures(started, contest.label, "error", _in_words(error))


def _in_words(error: Exception) -> str:
    """Return what the error says, and what it is where users would not know."""
    if isinstance(error, ClprobeError | cl.Error):
        return str(error)
    return f"clprobe failed: {type(error).__name__}: {error}"


def _steps(workload: Workload, contest: Contest) -> Iterator[tuple[Started, Callable[[], Outcome]]]:
    if workload in NETS:
        net = NETS[workload]
        yield training_started(net), partial(measure_training, net, contest)
        for size in contest.effort.large_batches:
            yield steps_started(net, size), partial(measure_steps, net, size, contest)
        return
    for case in CASES[workload](contest.effort):
        yield case.started, partial(measure, case, contest)


def _find(target: Target) -> cl.Device:
    """Return the device that the parent saw; its driver comes first among those loaded here.

    The loader inside pyopencl's wheel adds its own PoCL after what OCL_ICD_VENDORS names.
    """
    matching = [
        device
        for platform in cl.get_platforms()
        if target.platform in (None, printed(platform.name))
        for device in platform.get_devices()
        if target.name in (None, printed(device.name))
        and target.driver_version in (None, printed(device.driver_version))
    ]
    if target.position >= len(matching):
        raise DeviceError(
            f"{target.library} no longer shows the device {target.name or 'without a name'}."
        )
    return matching[target.position]


def _reference(baseline: Baseline) -> Engine:
    # Importing torch takes seconds and half a gigabyte, and it may be absent.
    if baseline == "torch":
        from clprobe.bench.engines.torch_cpu import TorchEngine  # noqa: PLC0415

        return TorchEngine()
    from clprobe.bench.engines.numpy_cpu import NumpyEngine  # noqa: PLC0415

    return NumpyEngine()


def _write(pipe: int, message: Message) -> None:
    line = msgspec.json.encode(message) + b"\n"
    while line:
        line = line[os.write(pipe, line) :]


def _die_with_parent() -> None:
    """Ask Linux to end this process with its parent: a hung driver must not outlive it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
