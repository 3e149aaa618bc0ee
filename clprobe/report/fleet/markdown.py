# SPDX-License-Identifier: MIT
"""Many machines to paste into an issue: the sums in sight, the parts folded away."""

from collections.abc import Iterator, Sequence

from clprobe.model.fleet import CauseRow, Fleet, PartRow, Skipped
from clprobe.report.fleet import words
from clprobe.report.markdown_text import plain, table
from clprobe.version import __version__

_MOST_ROWS = 20


def fleet_as_markdown(fleet: Fleet, *, elapsed_ms: int) -> str:
    """Return the sums as GitHub Markdown; text from outside is escaped."""
    return "\n".join(_lines(fleet, elapsed_ms)) + "\n"


def _lines(fleet: Fleet, elapsed_ms: int) -> Iterator[str]:
    yield f"**clprobe {__version__} doctor** · {plain(words.verdict(fleet))}"
    if (action := words.best_action(fleet)) is not None:
        yield ""
        yield plain(action)
    yield from _causes("Causes", fleet, [one for one in fleet.causes if not one.suspected])
    rows = [words.action_row(one, fleet) for one in fleet.actions]
    yield from _section(words.ACTIONS, words.OF_ACTIONS, rows)
    yield from _causes(words.SUSPECTED, fleet, [one for one in fleet.causes if one.suspected])
    yield from _parts("GPUs", "GPU", fleet, fleet.gpus)
    yield from _parts("Drivers", "driver", fleet, fleet.drivers)
    yield from _skipped(words.DAMAGED, [one for one in fleet.skipped if one.damaged])
    yield from _skipped(words.LEFT_OUT, [one for one in fleet.skipped if not one.damaged])
    yield ""
    yield plain(words.summary(fleet, elapsed_ms))


def _causes(title: str, fleet: Fleet, rows: Sequence[CauseRow]) -> Iterator[str]:
    cells = [(*words.cause_row(one, fleet), words.joined(one.names, words.FEW)) for one in rows]
    yield from _section(title, (*words.OF_CAUSES, "which"), cells)


def _parts(title: str, kind: str, fleet: Fleet, rows: Sequence[PartRow]) -> Iterator[str]:
    cells = [words.part_row(one, fleet) for one in rows]
    yield from _section(title, (kind, *words.OF_PARTS), cells)


def _skipped(title: str, files: Sequence[Skipped]) -> Iterator[str]:
    yield from _section(title, ("file", "why"), [(one.name, one.why) for one in files])


def _section(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield f"### {title}"
    yield ""
    yield from table(f"| {' | '.join(headings)} |", rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        yield ""
        yield f"and {len(rows) - _MOST_ROWS} more"
