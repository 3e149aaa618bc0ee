# SPDX-License-Identifier: MIT
"""Tells on stderr what bench measures, how far it is, and what mends what failed."""

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence

import click
from msgspec import structs
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

from clprobe.bench.protocol import Progress as Show
from clprobe.bench.protocol import Step
from clprobe.diagnosis.diagnose import diagnose
from clprobe.diagnosis.knowledge import Knowledge
from clprobe.model.measurement import Result
from clprobe.model.snapshot import Snapshot
from clprobe.report.terminal import safe
from clprobe.ruleset.consequences import consequences_of

_CONSEQUENCE = "device-cannot-build-kernels"


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
        f"matrices, then convolutions{each}, about {minutes * devices:.0f} minutes; then the "
        "measuring begins"
    )


def tell_remedy(results: Sequence[Result], snapshot: Snapshot) -> None:
    """Say why kernels failed to build and what to do, if a rule explains what was said of them."""
    failures = dict.fromkeys(one.detail for one in results if one.status == "error" and one.detail)
    if not failures:
        return
    knowledge = Knowledge.load()
    by_id = {rule.id: rule for rule in knowledge.rules}
    explaining = {one for one in by_id if _CONSEQUENCE in consequences_of(one, by_id)}
    told = snapshot.messages if isinstance(snapshot.messages, tuple) else ()
    findings = diagnose(structs.replace(snapshot, messages=(*told, *failures)), knowledge).findings
    for finding in findings:
        if finding.verdict == "present" and finding.id in explaining:
            say(f"{finding.title}. clprobe explain {finding.id}")
            for remedy in finding.remedies[:1]:
                say(f"do: {' '.join(remedy.argv)}" if remedy.argv else f"do: {remedy.title}")
            return


@contextlib.contextmanager
def showing(begun: float, limit_seconds: float | None) -> Iterator[Show]:
    """Yield what shows each step: on a terminal one line that lives, elsewhere a line for each.

    `begun`, by time.monotonic(): when the command did; `limit_seconds`: what it may take from then.
    """
    if not sys.stderr.isatty():
        yield lambda step: say(
            f"{time.monotonic() - begun:.0f} s, {step.done} of {step.total} done, "
            f"{step.device}: {step.workload}"
        )
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
