# SPDX-License-Identifier: MIT
"""Many machines for people: the sums first, then what mends most, then the parts."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from rich.console import Console

from clprobe.model.fleet import ActionRow, CauseRow, Fleet, PartRow, Skipped
from clprobe.report.fleet import words
from clprobe.report.terminal import INDENT, Screen
from clprobe.ruleset.templates import on_one_line

T = TypeVar("T")
_MOST_ROWS = 10
_MOST_NAMES = 3
_ONE_SCREEN = 20
_COUNT = 14


def show(console: Console, fleet: Fleet, *, elapsed_ms: int, verbosity: int = 0) -> None:
    """Print the sums; `verbosity` is -1 for a line per machine and the verdict, 1 for all rows."""
    if verbosity < 0:
        _briefly(Screen(console), fleet)
        return
    _Text(console, fleet, whole=verbosity > 0).show(elapsed_ms)


def _briefly(screen: Screen, fleet: Fleet) -> None:
    for one in fleet.hosts:
        cause = f" {'perhaps ' if one.suspected else ''}{one.cause}" if one.cause else ""
        screen.unbroken(on_one_line(f"{one.name}: {one.status}{cause}"))
    for skipped in fleet.skipped:
        screen.unbroken(on_one_line(f"{skipped.name}: skipped, {skipped.why}"))
    screen.unbroken(on_one_line(words.verdict(fleet)))


class _Text:
    def __init__(self, console: Console, fleet: Fleet, *, whole: bool) -> None:
        self._screen = Screen(console)
        self._fleet = fleet
        self._most_rows = None if whole else _MOST_ROWS
        self._most_names = None if whole else _MOST_NAMES

    def show(self, elapsed_ms: int) -> None:
        """Print all of it."""
        fleet, screen = self._fleet, self._screen
        screen.marked(_kind(fleet), words.verdict(fleet))
        if (action := words.best_action(fleet)) is not None:
            screen.wrapped(on_one_line(action), INDENT, hang=INDENT)
        decided = [one for one in fleet.causes if not one.suspected]
        suspected = [one for one in fleet.causes if one.suspected]
        self._causes("Causes", decided)
        self._actions(fleet.actions)
        self._causes(words.SUSPECTED, suspected)
        self._parts("GPUs", fleet.gpus)
        self._parts("Drivers", fleet.drivers)
        self._skipped([one for one in fleet.skipped if one.damaged], words.DAMAGED)
        self._skipped([one for one in fleet.skipped if not one.damaged], words.LEFT_OUT)
        screen.blank()
        screen.line(words.summary(fleet, elapsed_ms))
        if screen.lines > _ONE_SCREEN:  # the first lines have scrolled away
            line = " ".join(filter(None, (words.verdict(fleet), action)))
            screen.unbroken(on_one_line(line))

    def _causes(self, title: str, rows: Sequence[CauseRow]) -> None:
        for row in self._rows(title, rows):
            self._counted(row.machines, row.id)
            self._below(row.title)
            self._below(f"GPUs: {words.listed(row.gpus, self._most_names)}")
            self._below(f"Machines: {words.joined(row.names, self._most_names)}")

    def _actions(self, rows: Sequence[ActionRow]) -> None:
        for row in self._rows(words.ACTIONS, rows):
            self._counted(row.machines, row.steps[0])
            for step in row.steps[1:]:
                self._below(f"then: {step}")
            causes = words.listed(row.causes, self._most_names)
            against = f"{row.title}; " if row.by_command else ""
            self._below(f"{against}against {causes}; {words.mended(row)}")

    def _parts(self, title: str, rows: Sequence[PartRow]) -> None:
        for row in self._rows(title, rows):
            name, _, fine, open_ones, causes = words.part_row(row, self._fleet, self._most_names)
            self._counted(row.machines, name)
            undecided = f", {open_ones} not decided" if open_ones != "0" else ""
            self._below(f"{fine} fine{undecided}{f'; {causes}' if causes else ''}")

    def _skipped(self, files: Sequence[Skipped], title: str) -> None:
        for one in self._rows(title, files):
            self._screen.wrapped(on_one_line(f"{one.name}: {one.why}"), INDENT, hang=INDENT)

    def _rows(self, title: str, rows: Sequence[T]) -> Iterator[T]:
        """Yield the rows that are shown below the title, and tell how many are not."""
        if not rows:
            return
        self._screen.heading(title)
        yield from rows[: self._most_rows]
        left = len(rows) - len(rows[: self._most_rows])
        if left:
            self._screen.wrapped(f"and {left} more; -v shows them", INDENT)

    def _counted(self, count: int, text: str) -> None:
        share = words.share(count, self._fleet).rjust(_COUNT - 2)
        self._screen.unbroken(f"{share}  ", (on_one_line(text), "command"))

    def _below(self, text: str) -> None:
        self._screen.wrapped(on_one_line(text), _COUNT, hang=INDENT)


def _kind(fleet: Fleet) -> str:
    if "problems" in fleet.statuses:
        return "error"
    return "undetermined" if "undetermined" in fleet.statuses else "fine"
