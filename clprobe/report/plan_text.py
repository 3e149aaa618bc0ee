# SPDX-License-Identifier: MIT
"""Install plans for people: the routes, the steps of one, what was rejected, and the matrix."""

import textwrap
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clprobe.compat.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route, VersionRow
from clprobe.model.shell_words import command_line
from clprobe.report import plan_words as words
from clprobe.report.terminal import Screen

_STYLES = {"supported": "fine", "workaround": "warning", "unverified": "note"}
_MATRIX_COLUMNS = {
    "compute-runtime": "compute-runtime",
    "compute-runtime-legacy1": "legacy1",
    "rusticl": "rusticl",
    "beignet": "beignet",
}
_DRIVES = {"yes": "fine", "some": "warning", "no": "label", "unknown": "note"}


def show_plan(
    console: Console,
    plan: InstallPlan,
    route: Route | None,
    rows: Sequence[MatrixRow],
    versions: Sequence[VersionRow],
) -> None:
    """Print the plan with the steps of `route`, None where there is none at all; and matrices."""
    screen = Screen(console)
    screen.heading(f"Plan for {words.target_line(plan.target)}", first=True)
    screen.blank()
    _show_routes(screen, plan.routes)
    if route is not None:
        _show_steps(screen, route)
    _show_order(screen, [one for one in plan.routes if one.ranking])
    if plan.rejected:
        _heading(screen, "Rejected")
        _show_table(screen, ("route", "because"), words.rejections(plan))
    if versions:
        _show_versions(screen, words.of_release(versions, plan.target.os), plan.target.os)
    if rows:
        _show_matrix(screen, rows)


def _show_routes(screen: Screen, routes: Sequence[Route]) -> None:
    if not routes:
        screen.line("No route leads there.", "error")
        return
    lines = (
        (
            str(one.rank),
            words.title(one),
            "GPU" if one.uses_gpu else "CPU",
            screen.styled(one.status, _STYLES[one.status]),
            one.because,
        )
        for one in routes
    )
    _show_table(screen, ("", "route", "on", "status", "because"), lines)


def _show_steps(screen: Screen, route: Route) -> None:
    _heading(screen, f"Steps of route {route.rank}, {words.title(route)}")
    for line in route.by_hand:
        screen.unbroken("  ", (line, "command"))
    for number, step in enumerate(route.steps, 1):
        _show_wrapped(screen, f"{number}. {words.step_line(step)}", 3)
        screen.unbroken("     ", (command_line(step.argv), "command"))
    if not route.steps and not route.by_hand:
        _show_wrapped(screen, "There are no commands for it here.", 0)
    for caveat in route.caveats:
        _show_wrapped(screen, f"! {caveat}", 2)
    for source in route.sources:
        screen.unbroken((f"  see {source.url} ({source.checked})", "label"))


def _show_order(screen: Screen, routes: Sequence[Route]) -> None:
    if len(routes) < 2:
        return
    _heading(screen, "Why in this order")
    for route in routes:
        _show_wrapped(screen, f"{route.rank}. {words.title(route)}: {route.ranking}", 3)


def _show_versions(screen: Screen, rows: Sequence[VersionRow], release: str | None) -> None:
    """Print which stack runs in which versions, on the release that the plan is for."""
    _heading(screen, f"Versions that go together on {release or 'any release'}")
    lines: list[list[str | Text]] = [
        [*cells, screen.styled(status, _STYLES.get(status, "error"))]
        for *cells, status in words.short_cells(rows)
    ]
    _show_table(screen, words.SHORT_HEADINGS, lines)
    for stack, why in words.reasons(rows):
        _show_wrapped(screen, f"{stack}: {why}", 2)


def _show_matrix(screen: Screen, rows: Sequence[MatrixRow]) -> None:
    """Print a line per release, a column per implementation, and why some cells say no."""
    _heading(screen, f"Which release drives {rows[0].generation}")
    gpu_rows = [row for row in rows if row.implementation in _MATRIX_COLUMNS]
    releases: dict[str, dict[str, MatrixRow]] = {}
    for row in gpu_rows:
        backports = " backports" if row.pocket == "backports" else ""
        releases.setdefault(f"{row.distribution}{backports}", {})[row.implementation] = row
    lines: list[list[str | Text]] = [
        [release, *(_cell(screen, cells.get(key)) for key in _MATRIX_COLUMNS)]
        for release, cells in releases.items()
    ]
    _show_table(screen, ("release", *_MATRIX_COLUMNS.values()), lines)
    for row in {(one.implementation, one.why): one for one in gpu_rows if one.why}.values():
        _show_wrapped(screen, f"{row.implementation}, {row.drives}: {row.why}", 2)


def _cell(screen: Screen, row: MatrixRow | None) -> Text:
    if row is None:
        return screen.styled("-", "label")
    version = ".".join(row.version.split(".")[:2])  # in full with --format json or markdown
    return screen.styled(f"{row.drives} {version}", _DRIVES[row.drives])


def _heading(screen: Screen, text: str) -> None:
    screen.heading(text)
    screen.blank()


def _show_wrapped(screen: Screen, text: str, hang: int) -> None:
    """Print a paragraph two columns in, its further lines `hang` columns deeper."""
    # Names of files and packages stay whole, so that they can be copied.
    lines = textwrap.wrap(
        text,
        max(screen.console.width, 20),
        initial_indent="  ",
        subsequent_indent=" " * (2 + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        screen.unbroken(line)


def _show_table(
    screen: Screen, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]
) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="label")
    for column in columns:
        wraps = column in ("because", "why", "route", "on", "stack")
        table.add_column(column, no_wrap=not wraps, overflow="fold")
    for row in rows:
        table.add_row(*(screen.styled(one) if isinstance(one, str) else one for one in row))
    screen.put(table)
