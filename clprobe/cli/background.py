# SPDX-License-Identifier: MIT
"""Work done in a thread while the main one waits for drivers."""

from collections.abc import Callable
from typing import Generic, TypeVar

from clprobe.threads import started

T = TypeVar("T")


class Background(Generic[T]):
    """Starts `work` at once; an error in it surfaces where the result is asked for.

    Where no thread may start, it is done there, too.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._errors: list[Exception] = []
        self._thread = started(self._run)

    def result(self) -> T:
        """Return what the work returned, once it is done."""
        if self._thread is None:
            return self._work()
        self._thread.join()
        if self._errors:
            raise self._errors[0]
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            self._errors.append(error)
