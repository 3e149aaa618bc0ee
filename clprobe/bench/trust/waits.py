# SPDX-License-Identifier: MIT
"""Whether whoever waits for a device has waited: nothing may be left to do for the read after."""

import time
from collections.abc import Callable

import pyopencl as cl

from clprobe.bench.trust.work import Work

_TRIES = 3
"""A busy machine may hold up one read for as long as the work takes, never three in a row."""
_LONGEST_POLL_SECONDS = 5.0
_POLL_SECONDS = 0.0005
_LEAST_SECONDS = 0.002

STALE = (
    "what is read after {named} is not what the kernel before it computes: the driver left it out, "
    "in part or whole, or reads what was there before."
)

Wait = Callable[[cl.CommandQueue, cl.Event], None]


def problem_of_waits(work: Work) -> str:
    """Return which way of waiting does not wait; "": all do.

    **Raises** pyopencl.Error.
    """
    for named, wait in _WAYS.items():
        problems = []
        for _ in range(_TRIES):
            problem = _problem(work, wait)
            if not problem:
                break
            problems.append(problem)
        if len(problems) == _TRIES:
            return problems[-1].format(named=named)
    return ""


def _problem(work: Work, wait: Wait) -> str:
    queue = work.device.queue
    started = time.perf_counter()
    event = work.enqueue(queue)
    queue.flush()
    wait(queue, event)
    waited = time.perf_counter()
    is_right = work.read(queue)
    after = time.perf_counter() - waited
    if not is_right:
        return STALE
    before = waited - started
    # Whatever else may hold up a read, work that had ended does not.
    if after > max(before, work.seconds / 4, _LEAST_SECONDS):
        return (
            f"{{named}} says that a kernel has ended after {1e3 * before:.3g} ms, and then a read "
            f"of its result takes {1e3 * after:.3g} ms: it had not ended."
        )
    return ""


def _by_polling(queue: cl.CommandQueue, event: cl.Event) -> None:
    """Ask again and again; a driver that never says so is waited for by the read."""
    del queue
    deadline = time.perf_counter() + _LONGEST_POLL_SECONDS
    while event.command_execution_status > cl.command_execution_status.COMPLETE:
        if time.perf_counter() > deadline:
            return
        time.sleep(_POLL_SECONDS)


_WAYS: dict[str, Wait] = {
    "clFinish": lambda queue, _: queue.finish(),
    "clWaitForEvents": lambda _, event: event.wait(),
    "the state of an event": _by_polling,
}
