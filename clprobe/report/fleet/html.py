# SPDX-License-Identifier: MIT
"""Many machines as one page that needs nothing else; of long lists it holds the first."""

from collections.abc import Sequence

from clprobe.model.fleet import ActionRow, CauseRow, Fleet, PartRow, Skipped
from clprobe.report.fleet import words
from clprobe.report.html_page import items, page, table, text

_STYLE = "body { max-width: 72rem }\n"
_MOST_ROWS = 200
_MOST_NAMES = 100
_MOST_PARTS = 5


def fleet_as_html(fleet: Fleet, *, elapsed_ms: int) -> str:
    """Return the page; every text from outside is escaped."""
    decided = [one for one in fleet.causes if not one.suspected]
    suspected = [one for one in fleet.causes if one.suspected]
    damaged = [one for one in fleet.skipped if one.damaged]
    others = [one for one in fleet.skipped if not one.damaged]
    action = words.best_action(fleet)
    return page(
        f"clprobe doctor: {fleet.machines} machines",
        _STYLE,
        f"<h1>{text(words.verdict(fleet))}</h1>\n"
        + (f"<p>{text(action)}</p>\n" if action is not None else "")
        + _causes("Causes", fleet, decided)
        + _actions(fleet)
        + _causes(words.SUSPECTED, fleet, suspected)
        + _parts("GPUs", "GPU", fleet, fleet.gpus)
        + _parts("Drivers", "driver", fleet, fleet.drivers)
        + _skipped(words.DAMAGED, damaged)
        + _skipped(words.LEFT_OUT, others)
        + f"<p>{text(words.summary(fleet, elapsed_ms))}</p>\n",
    )


def _causes(title: str, fleet: Fleet, rows: Sequence[CauseRow]) -> str:
    cells = [words.cause_row(one, fleet, _MOST_PARTS) for one in rows[:_MOST_ROWS]]
    return _section(title, words.OF_CAUSES, cells, len(rows)) + _names(
        [(one.id, one.names) for one in rows[:_MOST_ROWS]]
    )


def _actions(fleet: Fleet) -> str:
    rows: Sequence[ActionRow] = fleet.actions[:_MOST_ROWS]
    cells = [words.action_row(one, fleet, _MOST_PARTS) for one in rows]
    return _section(words.ACTIONS, words.OF_ACTIONS, cells, len(fleet.actions)) + _names(
        [(one.steps[0], one.names) for one in rows]
    )


def _parts(title: str, kind: str, fleet: Fleet, rows: Sequence[PartRow]) -> str:
    cells = [words.part_row(one, fleet, _MOST_PARTS) for one in rows[:_MOST_ROWS]]
    named = [(cell[0], one.names) for cell, one in zip(cells, rows, strict=False)]
    return _section(title, (kind, *words.OF_PARTS), cells, len(rows)) + _names(named)


def _skipped(title: str, files: Sequence[Skipped]) -> str:
    cells = [(one.name, one.why) for one in files[:_MOST_ROWS]]
    return _section(title, ("file", "why"), cells, len(files))


def _section(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], there_are: int
) -> str:
    if not rows:
        return ""
    left = there_are - len(rows)
    more = f"<p>and {left} more rows, which --json has</p>\n" if left else ""
    return f"<h2>{text(title)}</h2>\n{table(title, headings, rows)}{more}"


def _names(rows: Sequence[tuple[str, tuple[str, ...]]]) -> str:
    """Return the machines of each row, folded away."""
    if not rows:
        return ""
    lists = items(f"{title}: {words.joined(names, _MOST_NAMES)}" for title, names in rows)
    return f"<details><summary>Which machines</summary><ul>{lists}</ul></details>\n"
