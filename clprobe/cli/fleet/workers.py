# SPDX-License-Identifier: MIT
"""Does one thing for each of many files, on every core; what a process died of ends nothing."""

import contextlib
import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
_FEW = 100
"""So many files are done before a second process would have started to pay."""
_MOST_PROCESSES = 4
"""Each holds some 60 MiB."""


class Workers(Generic[T]):
    """Yields `work(path)` for each path, in their order; closed, it ends the processes."""

    def __init__(self, work: Callable[[Path], T], lost: Callable[[Path], T]) -> None:
        self._work = work
        self._lost = lost
        """What stands for the result of a file at which a process died."""
        self._children: list[Connection | None] = []

    def results(self, paths: Sequence[Path]) -> Iterator[T]:
        """Yield the results; one process after the other has a file of its own."""
        count = min(len(os.sched_getaffinity(0)), _MOST_PROCESSES)
        if len(paths) > _FEW and count > 1:
            gc.freeze()  # what a child looks through in vain would become its own copy
            with contextlib.suppress(OSError):  # where no process may start, this one does it all
                for number in range(count):
                    self._children.append(self._start(paths[number::count]))
        share = len(self._children)
        if 0 < share < count:
            self._children += [None] * (count - share)
        for number, path in enumerate(paths):
            yield self._result(number % count if self._children else None, path)

    def _result(self, child: int | None, path: Path) -> T:
        connection = None if child is None else self._children[child]
        if child is None or connection is None:
            return self._work(path)
        try:
            result: T = connection.recv()
        except (EOFError, OSError):
            self._children[child] = None  # the rest of its files is done here
            return self._lost(path)
        return result

    def _start(self, paths: Sequence[Path]) -> Connection:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe(duplex=False)
        others = (ours, *filter(None, self._children))
        # As a daemon it is ended with us.
        child = context.Process(target=self._serve, args=(paths, theirs, others), daemon=True)
        child.start()
        theirs.close()
        return ours

    def _serve(
        self, paths: Sequence[Path], answers: Connection, others: Sequence[Connection]
    ) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started us is told, and ends us
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        for one in others:
            one.close()  # else nobody would learn that their reader is gone
        with contextlib.suppress(BrokenPipeError):
            for path in paths:
                answers.send(self._work(path))
