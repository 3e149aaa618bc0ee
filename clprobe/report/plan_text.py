# SPDX-License-Identifier: MIT
"""Install plans for people: the routes, the steps of one, what was rejected, and the matrix."""

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clprobe.compat.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route, Target, VersionRow
from clprobe.model.shell_words import command_line
from clprobe.report.plan_script import rejections, title
from clprobe.report.terminal import in_ascii, safe, speaks_utf8
from clprobe.report.version_rows import SHORT_HEADINGS, of_release, reasons, short_cells

_STYLES = {"supported": "fine", "workaround": "warning", "unverified": "note"}
_MATRIX_COLUMNS = {
    "compute-runtime": "compute-runtime",
    "compute-runtime-legacy1": "legacy1",
    "rusticl": "rusticl",
    "beignet": "beignet",
}
_DRIVES = {"yes": "fine", "some": "warning", "no": "label", "unknown": "note"}


class PlanText:
    """Prints plans to one console."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._plain = not speaks_utf8(console)

    def show(self, plan: InstallPlan, route: Route | None) -> None:
        """Print the plan, with the steps of `route`; None where there is no route at all."""
        self._heading(f"Plan for {target_line(plan.target)}")
        self._routes(plan)
        if route is not None:
            self._route(route)
        self._order(plan)
        self._rejected(plan)

    def matrix(self, rows: Sequence[MatrixRow]) -> None:
        """Print a line per release, a column per implementation, and why some cells say no."""
        if not rows:
            return
        self._console.print()
        self._heading(f"Which release drives {rows[0].generation}")
        gpu_rows = [row for row in rows if row.implementation in _MATRIX_COLUMNS]
        table = _table("release", *_MATRIX_COLUMNS.values())
        for release in dict.fromkeys(_release(row) for row in gpu_rows):
            cells = {row.implementation: row for row in gpu_rows if _release(row) == release}
            table.add_row(
                self._text(release), *(self._cell(cells.get(key)) for key in _MATRIX_COLUMNS)
            )
        self._console.print(table)
        for row in {(r.implementation, r.why): r for r in gpu_rows if r.why}.values():
            self._wrapped(f"{row.implementation}, {row.drives}: {row.why}", 2)

    def versions(self, rows: Sequence[VersionRow], release: str | None) -> None:
        """Print which stack runs in which versions, on the release that the plan is for."""
        if not rows:
            return
        shown = of_release(rows, release)
        self._console.print()
        self._heading(f"Versions that go together on {release or 'any release'}")
        table = _table(*SHORT_HEADINGS)
        for *words, status in short_cells(shown):
            style = _STYLES.get(status, "error")
            table.add_row(*map(self._text, words), self._text(status, style))
        self._console.print(table)
        for stack, why in reasons(shown):
            self._wrapped(f"{stack}: {why}", 2)

    def _cell(self, row: MatrixRow | None) -> Text:
        if row is None:
            return self._text("-", "label")
        version = ".".join(row.version.split(".")[:2])  # in full with --format json or markdown
        return self._text(f"{row.drives} {version}", _DRIVES[row.drives])

    def _heading(self, text: str) -> None:
        self._console.print(self._text(text, "heading"))
        self._console.print()

    def _routes(self, plan: InstallPlan) -> None:
        if not plan.routes:
            self._console.print(self._text("No route leads there.", "error"))
            return
        table = _table("", "route", "on", "status", "because")
        for route in plan.routes:
            table.add_row(
                self._text(str(route.rank)),
                self._text(title(route)),
                self._text("GPU" if route.uses_gpu else "CPU"),
                self._text(route.status, _STYLES[route.status]),
                self._text(route.because),
            )
        self._console.print(table)

    def _route(self, route: Route) -> None:
        self._console.print()
        self._heading(f"Steps of route {route.rank}, {title(route)}")
        for number, step in enumerate(route.steps, 1):
            root = " (as root)" if step.needs_root else ""
            self._wrapped(f"{number}. {step.title}{root}", 3)
            # Not wrapped, so that it can be copied.
            line = Text("     ").append(self._text(command_line(step.argv), "command"))
            self._console.print(line, soft_wrap=True)
        if not route.steps:
            self._wrapped("There are no commands for it here.", 0)
        for caveat in route.caveats:
            self._wrapped(f"! {caveat}", 2)
        for source in route.sources:
            self._console.print(
                self._text(f"  see {source.url} ({source.checked})", "label"), soft_wrap=True
            )

    def _order(self, plan: InstallPlan) -> None:
        said = [route for route in plan.routes if route.ranking]
        if len(said) < 2:
            return
        self._console.print()
        self._heading("Why in this order")
        for route in said:
            self._wrapped(f"{route.rank}. {title(route)}: {route.ranking}", 3)

    def _rejected(self, plan: InstallPlan) -> None:
        if not plan.rejected:
            return
        self._console.print()
        self._heading("Rejected")
        table = _table("route", "because")
        for names, because in rejections(plan):
            table.add_row(self._text(names), self._text(because))
        self._console.print(table)

    def _wrapped(self, text: str, hang: int) -> None:
        """Print a paragraph two columns in, its further lines `hang` columns deeper."""
        width = max(self._console.width, 20)
        # Names of files and packages stay whole, so that they can be copied.
        lines = textwrap.wrap(
            text,
            width,
            initial_indent="  ",
            subsequent_indent=" " * (2 + hang),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in lines:
            self._console.print(self._text(line), soft_wrap=True)

    def _text(self, text: str, style: str = "") -> Text:
        clean = safe(text)
        return Text(in_ascii(clean) if self._plain else clean, style=style)


def _release(row: MatrixRow) -> str:
    return f"{row.distribution} {row.pocket}" if row.pocket == "backports" else row.distribution


def target_line(target: Target) -> str:
    """Return the target in one line."""
    gpu = "no GPU" if target.gpu == "none" else target.gpu or "a GPU not stated"
    parts = [gpu, target.os or "a distribution not stated"]
    parts += [f"Linux {target.linux}"] if target.linux is not None else []
    parts += [f"Python {target.python}"] if target.python is not None else []
    parts += [target.arch] if target.arch is not None else []
    return ", ".join(parts)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="label")
    for column in columns:
        wraps = column in ("because", "why", "route", "on", "stack")
        table.add_column(column, no_wrap=not wraps, overflow="fold")
    return table
