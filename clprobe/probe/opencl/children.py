# SPDX-License-Identifier: MIT
"""Has drivers asked behind guardians, and watches what these print and how they end."""

import functools
import os
import resource
import select
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from clprobe.probe.forking import let_all_begin
from clprobe.probe.host import ChildResult, OpenclRequest
from clprobe.probe.opencl.kept_builds import KeptBuilds
from clprobe.probe.opencl.reports import Report, read_reports
from clprobe.probe.opencl.starting import Worker, start_worker
from clprobe.probe.wards import Ward
from clprobe.threads import started

_MOST_PRINTED = 8192
_TRIES = b'"compile"'
_MOST_AT_ONCE = 16
"""Devices of one driver on which kernels run; each has a process of its own."""
_POLL_S = 0.02
_MUCH_MEMORY = 1 << 30
# Whoever sleeps so much longer than a slice was stopped: a container was paused, say.
_SLICE_S, _PAUSED_S = 1.0, 1.0


class Child:
    """A question to one worker, which is put again where another driver was in the way.

    The worker starts at once; one that cannot be started is an answer as well. `python` is the
    interpreter whose packages are asked; drivers are asked by our own. Where kernels are to run,
    each device beyond the first gets a worker of its own, once it is known how many there are.
    `own` are variables besides that only drivers read.
    """

    def __init__(
        self,
        request: OpenclRequest,
        environment: Mapping[str, str],
        python: str,
        own: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._request = request
        self._ends = time.monotonic() + request.timeout_s
        keeps = request.kernels and not request.anew
        self._kept = KeptBuilds(request.library, environment) if keeps else None
        self._attempt = functools.partial(
            _attempt, request, environment, python, self._kept, own=own
        )
        self._others: list[NotStarted | _RunningChild] = []
        starts_others = self._start_others if request.kernels else None
        self._first = self._attempt(on_devices=starts_others)

    def wait(self) -> ChildResult:
        """Return what the child reported, once it has ended or its time is up."""
        return self._result

    @functools.cached_property
    def _result(self) -> ChildResult:
        let_all_begin()
        result = self._settled(self._first)
        if not self._request.kernels:
            return result
        self._start_others(devices_to_try(result.reports))
        others = tuple(
            self._settled(other, index) for index, other in enumerate(self._others, start=1)
        )
        if self._kept is not None:
            self._kept.take([one.reports for one in (result, *others)])
        return replace(result, others=others)

    def _settled(self, attempt: "NotStarted | _RunningChild", device: int = 0) -> ChildResult:
        result = attempt.wait()
        # One that used up its time gets no more: no folder that is gone makes a driver hang.
        if result.ended == "timeout" or not attempt.was_disturbed:
            return result
        # Alone, so that what is missing now is this driver's own doing.
        for other in tuple(_AT_WORK):
            other.wait()
        return self._attempt(device).wait()

    def _start_others(self, devices: int) -> None:
        """Start a worker for each device beyond the first, unless that was done or time is up."""
        left_s = self._ends - time.monotonic()
        if not self._others and left_s > 0:
            wanted = range(1, min(devices, _MOST_AT_ONCE))
            self._others += [self._attempt(device, timeout_s=left_s) for device in wanted]


def _attempt(  # noqa: PLR0913 - what Child binds, and what differs from worker to worker
    request: OpenclRequest,
    environment: Mapping[str, str],
    python: str,
    kept: KeptBuilds | None,
    device: int = 0,
    *,
    own: Mapping[str, str],
    timeout_s: float | None = None,
    on_devices: Callable[[int], None] | None = None,
) -> "NotStarted | _RunningChild":
    try:
        ward = Ward("clprobe-")
    except OSError as error:
        return NotStarted(str(error))
    try:
        kernels = "no-kernels"
        if request.kernels:
            builds = ward.folder / "builds" if kept is not None else ""
            if kept is not None:
                kept.give(ward.folder / "builds")
            kernels = f"{device}:{builds}"
        worker = start_worker(ward, request, environment, python, kernels, own)
        limit_s = request.timeout_s if timeout_s is None else timeout_s
        return _RunningChild(ward, worker, limit_s, on_devices)
    except OSError as error:
        ward.end()
        ward.close()
        return NotStarted(str(error))


class NotStarted:
    """A child that something of ours kept from starting."""

    # Its folder was gone at once, or there is no room for one more process beside the others.
    was_disturbed = True

    def __init__(self, problem: str) -> None:
        self._problem = problem

    def wait(self) -> ChildResult:
        """Return why it was not started."""
        return ChildResult(ended="not-started", problem=self._problem)


class _RunningChild:
    """One worker at work; a thread of ours empties its output, so that it never blocks on it."""

    def __init__(
        self,
        ward: Ward,
        worker: Worker,
        timeout_s: float,
        on_devices: Callable[[int], None] | None,
    ) -> None:
        self._looked_at = time.monotonic()
        self._deadline = self._looked_at + timeout_s
        self._ward = ward
        self._memory = worker.memory
        self._on_devices = on_devices
        self._process = worker.process
        self._output = worker.output
        self._exit_descriptor = _exit_descriptor(worker.process.pid)
        self._printed = b""
        self._prints = True
        self._timed_out = False
        self.was_disturbed = False
        self._reports: tuple[Report, ...] = ()
        self._damage = ""
        _AT_WORK.append(self)
        os.set_blocking(self._output.fileno(), False)
        self._thread = started(lambda: _follow([self]))
        if self._thread is None:
            _WITHOUT_THREAD.append(self)

    def wait(self) -> ChildResult:
        """Return what the child reported, once it has ended or its time is up."""
        return self._result

    @functools.cached_property
    def _result(self) -> ChildResult:
        if self._thread is not None:
            self._thread.join()
        elif self in _WITHOUT_THREAD:
            # All of them: one that is waited for later must not block on its output until then.
            for child in _WITHOUT_THREAD:
                child.look()  # it ran while nobody looked, and that is no pause
            _follow(_WITHOUT_THREAD)
            _WITHOUT_THREAD.clear()
        printed = self._printed.decode("utf-8", "replace")
        status = self._process.returncode
        told = ChildResult(
            ended="timeout",
            reports=self._reports,
            damage=self._damage,
            printed=printed,
            peak_bytes=_own_peak_bytes(self._ward.usage),
        )
        if self._timed_out or status is None:
            return replace(told, stopped_by=max(0, status or 0))
        if status < 0:
            return replace(told, ended="signal", status=-status)
        return replace(told, ended="exit", status=status)

    def listen(self, events: select.poll) -> float:
        """Have `events` wait for the child; return the seconds after which it must be looked at."""
        if self._prints:
            events.register(self._output, select.POLLIN)
        left_s = max(0.0, self._deadline - time.monotonic())
        if self._on_devices is not None:
            left_s = min(left_s, _POLL_S)
        if self._exit_descriptor is None:
            return min(left_s, _POLL_S)
        events.register(self._exit_descriptor, select.POLLIN)
        return left_s

    def is_over(self) -> bool:
        """Whether the child has ended, or must: then it and all that it started are gone."""
        self._take()
        self._tell_devices()
        if not self._ward.has_ended():
            if not self._is_time_up():
                return False
            self._timed_out = True
        self._ward.end()
        self._take()
        self._output.close()
        if self._exit_descriptor is not None:
            os.close(self._exit_descriptor)
        self._reports, self._damage = read_reports(self._memory.take())
        self.was_disturbed = self._ward.is_disturbed()
        # At once, not when somebody waits: no guardian would remove it any more.
        self._ward.close()
        _AT_WORK.remove(self)
        return True

    def look(self) -> float:
        """Note that we look at the child now; return the seconds since we did last."""
        last, self._looked_at = self._looked_at, time.monotonic()
        return self._looked_at - last

    def _tell_devices(self) -> None:
        """Tell how many devices there are, once: when the first one is about to be tried."""
        if self._on_devices is not None and _TRIES in (told := self._memory.peek()):
            tell, self._on_devices = self._on_devices, None
            tell(devices_to_try(read_reports(told)[0]))

    def _is_time_up(self) -> bool:
        """Whether the child had all of its time; while we were stopped, most likely it was, too.

        From look to look, as a pause may begin anywhere, even before the first slice.
        """
        stopped_s = self.look() - _SLICE_S
        if stopped_s > _PAUSED_S:
            self._deadline += stopped_s
        return self._looked_at >= self._deadline

    def _take(self) -> None:
        """Keep the last of what was printed."""
        try:
            piece = os.read(self._output.fileno(), 65536)
        except BlockingIOError:
            return
        self._printed = (self._printed + piece)[-_MOST_PRINTED:]
        self._prints = bool(piece)


def devices_to_try(reports: Sequence[Report]) -> int:
    """Return how many devices a driver shows, 0 before it is asked to compile anything."""
    if not any(report.get("stage") == "compile" for report in reports):
        return 0
    listed = {one["platform"]: one.get("devices", 0) for one in reports if "platform" in one}
    return sum(listed.values())


_AT_WORK: list[_RunningChild] = []
_WITHOUT_THREAD: list[_RunningChild] = []


def _follow(children: Sequence[_RunningChild]) -> None:
    """Empty the outputs of children until each of them is over."""
    at_work = list(children)
    while at_work:
        events = select.poll()
        pause_s = min([_SLICE_S, *(child.listen(events) for child in at_work)])
        events.poll(pause_s * 1000)
        at_work = [child for child in at_work if not child.is_over()]


def _own_peak_bytes(usage: resource.struct_rusage | None) -> int:
    """Return the memory that a child took at most, 0 if little, or if it may have been ours.

    Between fork and exec a child counts as large as this process (getrusage(2), ru_maxrss).
    """
    if usage is None:
        return 0
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak_bytes = usage.ru_maxrss * 1024
    return peak_bytes if usage.ru_maxrss > ours and peak_bytes >= _MUCH_MEMORY else 0


def _exit_descriptor(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process ends; None before Linux 5.3."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
