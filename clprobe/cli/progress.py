# SPDX-License-Identifier: MIT
"""Says on stderr what keeps us waiting, and which step runs; stdout stays clean."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO, TypeVar

from clprobe.report.escaping import safe
from clprobe.threads import started

T = TypeVar("T")
_SILENCE_S = 1.0
_TICK_S = 1.0
_SHORTEST_S = 0.3
_DEFAULT_WIDTH = 80


class Progress:
    """Shows what takes over a second: on a terminal one line that is erased again.

    Elsewhere, with `verbose`, a line per wait without control characters; else nothing.
    `shown_as` takes out of a name what tells who waits: such lines are posted with the rest.
    """

    def __init__(
        self,
        *,
        limit_s: float,
        verbose: bool,
        stream: TextIO | None = None,
        shown_as: Callable[[str], str] = str,
    ) -> None:
        self._stream = stream or sys.stderr
        self._limit_s = limit_s
        self._shown_as = shown_as
        self._on_terminal = self._stream.isatty()
        self._speaks = self._on_terminal or verbose
        self._started = time.monotonic()
        self._shown = 0

    @contextlib.contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Tell that `what` is slow while the block runs, if it is."""
        if not self._speaks:
            yield
            return
        done = threading.Event()
        teller = started(lambda: self._tell(what, done))
        try:
            yield
        finally:
            done.set()
            if teller is not None:
                teller.join()

    def _tell(self, what: str, done: threading.Event) -> None:
        pause = max(_SILENCE_S - self._waited_s(), _SHORTEST_S)
        while not done.wait(pause):
            pause = _TICK_S
            name = safe(self._shown_as(what)).replace("\n", " ").replace("\t", " ")
            line = self._line(name, f", {self._waited_s():.0f} s of {self._limit_s:g} s")
            if not self._on_terminal:
                _write(self._stream, f"{line}\n")
                break
            self._show(line)
        self._show("")

    def _waited_s(self) -> float:
        """Return the time since the start: all drivers were started then, and end together."""
        return time.monotonic() - self._started

    def _line(self, name: str, time: str) -> str:
        """Return the line; a path that is too long for the terminal loses its beginning."""
        room = self._width() - 1 - len("waiting for ") - len(time)
        if self._on_terminal and len(name) > room > len("..."):
            name = f"...{name[len('...') - room :]}"
        return f"waiting for {name}{time}"

    def _show(self, line: str) -> None:
        """Replace the line that is shown; an empty one erases it. No escape sequences."""
        if not self._on_terminal or (not line and not self._shown):
            return
        line = line[: self._width() - 1]
        blank = " " * self._shown
        _write(self._stream, f"\r{blank}\r{line}")
        self._shown = len(line)

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _DEFAULT_WIDTH
        except (OSError, ValueError):
            return _DEFAULT_WIDTH


class StepProgress:
    """Hears how steps go: a line as each begins and ends, on a terminal the seconds too."""

    def __init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._shown = 0

    def say(self, text: str) -> None:
        """Print a warning, or what is waited for."""
        self._line(f"      {text}")

    def begin(self, number: int, total: int, title: str) -> None:
        """Print which step begins."""
        self._line(f"[{number}/{total}] {title}")

    def tick(self, seconds: float) -> None:
        """Show the seconds so far, on a terminal."""
        if self._on_terminal:
            text = f"      {seconds:.0f} s"
            _write(sys.stderr, f"\r{text}")
            self._shown = len(text)

    def end(self, how: str) -> None:
        """Print how the step ended."""
        self._line(f"      {how}")

    def _line(self, text: str) -> None:
        blank = "\r" + " " * self._shown + "\r" if self._shown else ""
        self._shown = 0
        _write(sys.stderr, f"{blank}{safe(text)}\n")


class CountProgress:
    """Shows on a terminal how many of how many are done, twice a second; then it erases that."""

    def __init__(self, total: int, *, silent: bool = False) -> None:
        self._total = total
        self._speaks = sys.stderr.isatty() and not silent
        self._next = time.monotonic() + _SILENCE_S

    def of(self, results: Iterator[T]) -> Iterator[T]:
        """Yield the results, counted."""
        shown = 0
        for number, result in enumerate(results, 1):
            if self._speaks and time.monotonic() >= self._next:
                self._next = time.monotonic() + _TICK_S / 2
                text = f"{number} of {self._total}"
                shown = len(text)
                _write(sys.stderr, f"\r{text}")
            yield result
        if shown:
            _write(sys.stderr, f"\r{' ' * shown}\r")


def _write(stream: TextIO, text: str) -> None:
    # A terminal that went away is no reason to end a diagnosis, or to leave a step half-done.
    with contextlib.suppress(OSError, UnicodeEncodeError):
        stream.write(text)
        stream.flush()
