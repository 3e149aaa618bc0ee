# SPDX-License-Identifier: MIT
"""Shows on stderr which step runs and for how long; stdout stays clean."""

import contextlib
import sys

from clprobe.report.terminal import safe


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
            self._write(f"\r{text}")
            self._shown = len(text)

    def end(self, how: str) -> None:
        """Print how the step ended."""
        self._line(f"      {how}")

    def _line(self, text: str) -> None:
        blank = "\r" + " " * self._shown + "\r" if self._shown else ""
        self._shown = 0
        self._write(f"{blank}{safe(text)}\n")

    @staticmethod
    def _write(text: str) -> None:
        # A terminal that went away is no reason to leave a step half-done.
        with contextlib.suppress(OSError, UnicodeEncodeError):
            sys.stderr.write(text)
            sys.stderr.flush()
