# SPDX-License-Identifier: MIT
"""Install plans for people: the answer; with -v all routes, steps and rejections; the matrix."""

import textwrap
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from clprobe.commands.pasted import Typist, pasted_step
from clprobe.compat.matrix import MatrixRow
from clprobe.model.plan import InstallPlan, Route, VersionRow
from clprobe.report import plan_words as words
from clprobe.report.plan_answer import Answer
from clprobe.report.terminal import Screen

_STYLES = {"supported": "fine", "workaround": "warning", "unverified": "note"}
_MATRIX_COLUMNS = {
    "compute-runtime": "compute-runtime",
    "compute-runtime-legacy1": "legacy1",
    "rusticl": "rusticl",
    "beignet": "beignet",
}
_MOST_LINES = 25
"""A plan's answer has no more, so that a terminal shows all of it."""
_MOST_REASONS, _MOST_NOTES = 3, 4
"""Lines for what an answer says of its route."""
_CUT = ", …"
_DRIVES = {"yes": "fine", "some": "warning", "no": "label", "unknown": "note"}


def show_answer(console: Console, answer: Answer, *, applies: bool = False) -> None:
    """Print what to do on one screen; with `applies`, the steps are run right after it."""
    screen = Screen(console)
    width = console.width
    heading = _wrapped(answer.heading, width)
    first = _wrapped(
        f"→ {' '.join((answer.use, *_fitting(answer.why, answer.needed, width)))}", width
    )
    named = words.more_names(answer.others, answer.impossible)
    tail = [_named(label, names, width) for label, names in named]
    tail += [] if applies else [_more(answer)]
    commands = len(answer.commands) + bool(answer.commands) + (answer.check is not None)
    room = _MOST_LINES - len(heading) - len(first) - commands - len(tail) - 1
    notes = _noted(answer.notes, min(room, _MOST_NOTES) if answer.commands else room, width)
    for line in heading:
        screen.unbroken((line, "heading"))
    for line in first:
        screen.unbroken(line)
    if answer.commands:
        screen.blank()
    for command in answer.commands:
        screen.unbroken("    ", (command, "command"))
    if answer.check is not None:
        screen.unbroken(("  Check  ", "label"), (answer.check, "command"))
    for line in notes:
        screen.unbroken(line)
    if tail:
        screen.blank()
    for line in tail:
        screen.unbroken((line, "label"))


def _fitting(sentences: Sequence[str], needed: int, width: int) -> list[str]:
    """Return the sentences that a few lines have room for; the first `needed` always."""
    kept: list[str] = []
    for one in sentences:
        if len(kept) >= needed and len(" ".join((*kept, one))) > _MOST_REASONS * width:
            break
        kept.append(one)
    return kept


def _wrapped(text: str, width: int, hang: str = "  ") -> list[str]:
    return textwrap.wrap(
        text, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
    )


def _noted(notes: Sequence[str], room: int, width: int) -> list[str]:
    """Return as many of the notes as have room, each whole."""
    lines: list[str] = []
    for note in notes:
        more = _wrapped(f"  ! {note}", width, "    ")
        if len(lines) + len(more) > room:
            break
        lines += more
    return lines


def _named(label: str, names: Sequence[str], width: int) -> str:
    """Return the label and the names that one line has room for; the first always."""
    line = f"{label}: {names[0]}"
    for number, name in enumerate(names[1:], 2):
        longer = f"{line}, {name}"
        if len(longer) > width - (len(_CUT) if number < len(names) else 0):
            return f"{line}{_CUT}"
        line = longer
    return line


def _more(answer: Answer) -> str:
    parts = ["-v (all details)"]
    parts += ["--backend NUMBER (another way)"] if answer.others else []
    parts += ["--apply (do it for me)"] if answer.commands else []
    return f"More: {' · '.join(parts)}"


def show_details(console: Console, plan: InstallPlan, route: Route | None, typist: Typist) -> None:
    """Print all routes, the steps of `route` one by one, the order, and what was rejected."""
    screen = Screen(console)
    screen.heading(f"Plan for {words.target_line(plan.target)}")
    screen.blank()
    if plan.routes:
        _show_routes(screen, plan)
    if route is not None:
        _show_steps(screen, plan, route, typist)
    _show_order(screen, plan)
    if plan.rejected:
        _heading(screen, "Rejected")
        _show_table(screen, ("route", "because"), words.rejections(plan))


def show_matrices(
    console: Console, os: str | None, rows: Sequence[MatrixRow], versions: Sequence[VersionRow]
) -> None:
    """Print which versions go together, and which release has what, where that was asked for."""
    screen = Screen(console)
    if versions:
        _show_versions(screen, words.of_release(versions, os), os)
    if rows:
        _show_matrix(screen, rows)


def _show_routes(screen: Screen, plan: InstallPlan) -> None:
    lines = (
        (
            str(one.rank),
            words.title(one, plan.target),
            "GPU" if one.uses_gpu else "CPU",
            screen.styled(words.state(one), _STYLES[one.status]),
            one.because,
        )
        for one in plan.routes
    )
    _show_table(screen, ("", "route", "on", "status", "because"), lines)


def _show_steps(screen: Screen, plan: InstallPlan, route: Route, typist: Typist) -> None:
    _heading(screen, f"Steps of route {route.rank}, {words.title(route, plan.target)}")
    for line in route.by_hand:
        screen.unbroken("  ", (line, "command"))
    for number, step in enumerate(route.steps, 1):
        done = " (done)" if step.done else ""
        _show_wrapped(screen, f"{number}. {step.title}{done}", 3)
        screen.unbroken("     ", (pasted_step(step, typist), "command"))
    if not route.steps and not route.by_hand:
        _show_wrapped(screen, "There are no commands for it here.", 0)
    for caveat in route.caveats:
        _show_wrapped(screen, f"! {caveat}", 2)
    for source in route.sources:
        screen.unbroken((f"  see {source.url} ({source.checked})", "label"))


def _show_order(screen: Screen, plan: InstallPlan) -> None:
    routes = [one for one in plan.routes if one.ranking]
    if len(routes) < 2:
        return
    _heading(screen, "Why in this order")
    for route in routes:
        title = words.title(route, plan.target)
        _show_wrapped(screen, f"{route.rank}. {title}: {route.ranking}", 3)


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
