# SPDX-License-Identifier: MIT
"""Shows on stderr what bench measures and how far it is; stdout stays clean."""

import contextlib
import sys
import time
from collections.abc import Iterator

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

from clprobe.bench.progress import Progress as Show
from clprobe.bench.progress import Step
from clprobe.report.terminal import safe


def say(text: str) -> None:
    """Print a line."""
    click.echo(f"bench: {safe(text)}", err=True)


def announce_tuning(candidates: int, devices: int) -> None:
    """Say that tuning so many devices comes first, and about how long it takes."""
    # It needs pyopencl, which may have been absent until here.
    from clprobe.bench.tuning import tuned_products, tuning_minutes  # noqa: PLC0415

    minutes = tuning_minutes(candidates)
    each = "" if devices == 1 else f" on each of {devices} devices"
    say(
        f"tuning comes first: {candidates} kernels for each of {tuned_products()} products of "
        f"matrices{each}, about {minutes * devices:.0f} minutes; then the measuring begins"
    )


@contextlib.contextmanager
def showing(begun: float, limit_seconds: float | None) -> Iterator[Show]:
    """Yield what shows each step: on a terminal one line that lives, elsewhere a line for each.

    `begun`, by time.monotonic(): when the command did; `limit_seconds`: what it may take from then.
    """
    if not sys.stderr.isatty():
        yield lambda step: say(_as_line(step, time.monotonic() - begun))
        return
    rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    columns = (
        SpinnerColumn("line"),
        TextColumn("{task.completed}/{task.total}"),
        BarColumn(bar_width=12),
        _Seconds(begun, limit_seconds),
        TextColumn("{task.description}", table_column=rest),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, expand=True) as live:
        yield lambda step: _replace(live, step)


class _Seconds(ProgressColumn):
    """How long this step takes already, and everything."""

    def __init__(self, begun: float, limit_seconds: float | None) -> None:
        self._begun = begun
        self._most = "" if limit_seconds is None else f" of at most {limit_seconds:.0f}"
        super().__init__(Column(no_wrap=True))

    def render(self, task: Task) -> Text:
        """Return both."""
        whole = time.monotonic() - self._begun
        return Text(f"{task.elapsed or 0:.0f} s; in all {whole:.0f}{self._most} s", style="dim")


def _replace(live: Progress, step: Step) -> None:
    for earlier in live.task_ids:
        live.remove_task(earlier)
    named = escape(safe(f"{step.workload} on {step.device}"))
    live.add_task(named, total=step.total, completed=step.done)


def _as_line(step: Step, elapsed_seconds: float) -> str:
    done = f"{step.done} of {step.total} done"
    return f"{elapsed_seconds:.0f} s, {done}, {step.device}: {step.workload}"
