# SPDX-License-Identifier: MIT
"""The child process that measures one device, started by start_worker.py: the job is on stdin.

Messages go to the file descriptor that it is given, as soon as there are any, because drivers
print to stdout, crash and hang.
"""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import msgspec
import pyopencl as cl

from clprobe.bench.cases import inference_case, inference_started
from clprobe.bench.conditions.readings import EnergyMeter
from clprobe.bench.effort import EFFORTS
from clprobe.bench.engines.opencl import OpenClSubject
from clprobe.bench.entering import Entered, enter
from clprobe.bench.half import half_precision
from clprobe.bench.measure import Contest, measure
from clprobe.bench.nets import Net
from clprobe.bench.plan import CASES, NETS, Allowance, left_to_do, started
from clprobe.bench.proof import Proof
from clprobe.bench.protocol import (
    Alive,
    Asked,
    Failed,
    Finished,
    Halved,
    Job,
    Message,
    Outcome,
    OwnNet,
    Started,
    Tuned,
)
from clprobe.bench.training import measure_steps, measure_training
from clprobe.bench.trust.trial import Trial
from clprobe.bench.tuning import tune_device
from clprobe.bench.verdicts import without_figures
from clprobe.model.errors import ClprobeError
from clprobe.model.measurement import HalfPrecision, ResultStatus
from clprobe.model.workload import Operation, TrainingSteps, WholeTraining, Workload
from clprobe.tensor import DeviceError, OutOfMemoryError

# After these, whatever the process asks of the device fails.
_LOST = {
    cl.status_code.DEVICE_NOT_AVAILABLE,
    cl.status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    cl.status_code.INVALID_CONTEXT,
    cl.status_code.INVALID_COMMAND_QUEUE,
}

Send = Callable[[Message], None]
Measuring = Callable[[Contest], Outcome]


def main() -> None:
    """Do the job and report."""
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
    allowance = Allowance(job.seconds, left_to_do(job))
    entered = _entered(job, send)
    if entered is None:
        return
    contest = Contest(
        label=job.target.label,
        device=entered.device,
        reference=entered.references[0],
        others=entered.references[1:],
        effort=EFFORTS[job.effort],
        alive=lambda: send(Alive()),
        energy=EnergyMeter(),
    )
    if job.tune:
        stage = "which kernels are fastest"
        send(Started(workload=Operation(stage)))
        tuning = tune_device(contest, lambda far: send(Alive(now=far and f"{stage}: {far}")))
        send(Tuned(tuning=tuning))
    look_at_half(job, contest, send)
    for workload in job.workloads:
        skipped: Outcome | None = None
        kind: type[Workload] | None = None
        for step, measuring in _steps(workload, contest, job):
            if type(step.workload) is not kind:
                # To use a net takes less than to train it.
                kind, skipped = type(step.workload), None
            if step.name in job.done:
                continue
            effort = allowance.next_effort(contest.effort)
            if effort is None:
                problem = allowance.problem
                send(without_figures(step, contest.label, "skipped", problem, is_slower=False))
                continue
            send(step)
            outcome = _attempt(step, measuring, replace(contest, effort=effort), skipped)
            send(outcome)
            # Who has no time for a whole training may have it for a step.
            is_step = not isinstance(step.workload, WholeTraining)
            if outcome.results[0].status == "skipped" and is_step and skipped is None:
                skipped = outcome
    send(Finished())


def _entered(job: Job, send: Send) -> Entered | None:
    """Return who takes part; None where the device must not, which is said."""
    send(Started(workload=Operation("opening the device")))
    try:
        entered = enter(job)
    except (ClprobeError, cl.Error, ImportError, OSError) as error:
        send(Failed(detail=str(error)))
        return None
    if entered.disguise is not None:
        send(Failed(detail=entered.disguise, status="wrong-result"))
        return None
    send(entered.joined)
    if entered.trial.refuses:
        _refuse_all(job, entered.trial, send)
        return None
    return entered


def _refuse_all(job: Job, trial: Trial, send: Send) -> None:
    """Send of every workload that the device is not to be used for it, and why."""
    status: ResultStatus = "wrong-result" if trial.wrong else "error"
    proof = Proof(None, 0.0) if trial.wrong else None
    for step in left_to_do(job):
        problem = trial.wrong or f"refused, as {trial.early}"
        send(without_figures(step, job.target.label, status, problem, proof=proof))
    send(Finished())


def look_at_half(job: Job, contest: Contest, send: Send) -> None:
    """Say what half precision is worth in products; if that fails, nothing else depends on it."""
    is_first = "matmul" in job.workloads and not job.done
    if not is_first or not isinstance(contest.device, OpenClSubject):
        return
    send(Alive(now="half precision"))
    try:
        send(Halved(half=half_precision(contest.label, contest.device.device)))
    except Exception as error:
        if is_lost(error):
            raise
        first = _in_words(error).partition("\n")[0]
        text = f"Half precision on {contest.label} failed: {first}"
        send(Halved(half=HalfPrecision(device=contest.label, pays=False, text=text)))


def _attempt(
    step: Started, measuring: Measuring, contest: Contest, skipped: Outcome | None
) -> Outcome:
    if skipped is not None:
        # What takes too long or too much at one size does so at the next.
        why, decision = skipped.results[0].detail, skipped.verdict.decision
        problem = f"not run, as a smaller case was skipped already: {why}"
        return without_figures(step, contest.label, "skipped", problem, is_slower=decision == "cpu")
    try:
        return measuring(contest)
    except Exception as error:
        # A bug in one workload must not cost the others.
        if is_lost(error):
            # They need another process.
            raise
        if is_out_of_memory(error):
            return without_figures(
                step, contest.label, "skipped", f"it does not fit: {_in_words(error)}"
            )
        problem = failure_of(contest.device.framework, error)
        return without_figures(step, contest.label, "error", problem)


def is_lost(error: Exception) -> bool:
    """Return whether the driver has given the device up."""
    return any(isinstance(one, cl.Error) and one.code in _LOST for one in (error, error.__cause__))


def is_out_of_memory(error: Exception) -> bool:
    """Return whether a device, or this process, had no room left."""
    if isinstance(error, MemoryError | cl.MemoryError | OutOfMemoryError):
        return True
    # torch says so in words alone.
    return not isinstance(error, DeviceError) and "out of memory" in str(error).lower()


def failure_of(framework: str, error: Exception) -> str:
    """Return what failed in a workload; torch tells of its devices' failures by RuntimeErrors."""
    if framework == "torch" and isinstance(error, RuntimeError):
        return f"torch failed: {error}"
    return _in_words(error)


def _in_words(error: Exception) -> str:
    """Return what the error says, and what it is where users would not know."""
    if isinstance(error, ClprobeError | cl.Error):
        return str(error)
    return f"clprobe failed: {type(error).__name__}: {error}"


def _steps(workload: Asked, contest: Contest, job: Job) -> Iterator[tuple[Started, Measuring]]:
    if isinstance(workload, OwnNet):
        from clprobe.bench.own_net.contest import own_net_steps  # noqa: PLC0415 - it needs torch

        yield from own_net_steps(workload, contest, job)
        return
    if workload in NETS:
        net = NETS[workload]
        yield started(WholeTraining(net.name)), partial(measure_training, net)
        for size in contest.effort.batches:
            yield started(TrainingSteps(net.name, size)), partial(measure_steps, net, size)
        for size in contest.effort.batches:
            yield inference_started(net.name, size), partial(_measure_inference, net, size)
        return
    for case in CASES[workload](contest.effort):
        yield case.started, partial(measure, case)


def _measure_inference(net: Net, batch: int, contest: Contest) -> Outcome:
    return measure(inference_case(net, batch), contest)


def _write(pipe: int, message: Message) -> None:
    line = msgspec.json.encode(message) + b"\n"
    while line:
        line = line[os.write(pipe, line) :]
