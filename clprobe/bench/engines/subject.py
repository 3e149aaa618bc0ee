# SPDX-License-Identifier: MIT
"""A contestant that is judged: an engine that also says what it spends its time on.

An adapter for another framework is these few lines around an engine; everything that proves, times
and judges knows no more of a contestant than this.
"""

from contextlib import AbstractContextManager
from typing import Protocol

from clprobe.bench.engines import Engine


class Recording(Protocol):
    """The commands that ran while it was open."""

    def total_ms(self) -> float | None:
        """Return the time that the device says they took; None where it keeps no time."""


class Subject(Engine, Protocol):
    """The engine under test."""

    framework: str
    """Whose kernels it runs."""
    is_cpu: bool
    """Whether it is, and says that it is, the CPU itself."""

    def compile_ns(self) -> int:
        """Return the time spent on building kernels so far."""

    def recording(self) -> AbstractContextManager[Recording]:
        """Watch the commands of a `with` block."""
