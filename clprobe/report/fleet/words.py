# SPDX-License-Identifier: MIT
"""What is told of many machines, before it is laid out: rows, and lists that are cut short."""

from collections.abc import Mapping, Sequence

from clprobe.diagnosis.fleet import driver_name
from clprobe.model.fleet import ActionRow, CauseRow, Fleet, PartRow
from clprobe.report.doctor_words import counted

Row = tuple[str, ...]
OF_CAUSES = ("machines", "cause", "what it is", "GPUs", "drivers")
OF_ACTIONS = ("mends", "fully", "action", "against")
OF_PARTS = ("machines", "fine", "not decided", "causes")
FEW = 3
ACTIONS = "What mends how many"
SUSPECTED = "Not decided; the likeliest cause"
DAMAGED = "Damaged and skipped"
LEFT_OUT = "Left out; clprobe doctor FILE reads one of them"
_STATUSES = {
    "healthy": "healthy",
    "cpu-only": "on the CPU only, without a GPU",
    "problems": "with problems",
    "undetermined": "not decided",
}


def verdict(fleet: Fleet) -> str:
    """Return the result in one line."""
    told = [f"{count} {_STATUSES[status]}" for status, count in fleet.statuses.items()]
    damaged = sum(one.damaged for one in fleet.skipped)
    if damaged:
        told.append(f"{damaged} damaged and skipped")
    return f"{counted(fleet.machines, 'machine')}: {', '.join(told) or 'none could be read'}."


def best_action(fleet: Fleet) -> str | None:
    """Return what one action would do most; None: there is none."""
    if not fleet.actions:
        return None
    first = fleet.actions[0]
    return f"One action mends the cause on {share(first.machines, fleet)}: {first.steps[0]}"


def share(count: int, fleet: Fleet) -> str:
    """Return a number of machines with its share of all."""
    return f"{count} ({percent(count, fleet.machines)})"


def percent(count: int, of: int) -> str:
    """Return a share, which is neither 0 nor 100 where it is only near it."""
    if not of or count in (0, of):
        return "100 %" if count else "0 %"
    return f"{min(max(100 * count / of, 0.1), 99.9):.{0 if 1 <= 100 * count / of <= 99 else 1}f} %"


def mended(row: ActionRow) -> str:
    """Return on how many machines nothing else is left to do."""
    if row.mended == row.machines:
        return "no other error is left then"
    if not row.mended:
        return "other errors are left then"
    return f"no other error is left then on {row.mended} of them"


def cause_row(row: CauseRow, fleet: Fleet, most: int | None = FEW) -> Row:
    """Return the cells of `OF_CAUSES`."""
    name = f"perhaps {row.id}" if row.suspected else row.id
    parts = listed(row.gpus, most), listed(row.drivers, most)
    return (share(row.machines, fleet), name, row.title, *parts)


def action_row(row: ActionRow, fleet: Fleet, most: int | None = FEW) -> Row:
    """Return the cells of `OF_ACTIONS`."""
    steps = "; then ".join(row.steps)
    return (share(row.machines, fleet), str(row.mended), steps, listed(row.causes, most))


def part_row(row: PartRow, fleet: Fleet, most: int | None = FEW) -> Row:
    """Return the cells of `OF_PARTS`, its name before them."""
    fine = sum(row.statuses.get(one, 0) for one in ("healthy", "cpu-only"))
    open_ones = row.statuses.get("undetermined", 0)
    name = driver_name(row.name, row.version)
    cells = share(row.machines, fleet), str(fine), str(open_ones), listed(row.causes, most)
    return (name, *cells)


def listed(counts: Mapping[str, int], most: int | None = FEW) -> str:
    """Return what there is how often, the first of them; where each is there once, no numbers."""
    told = [f"{name} ×{count}" if count > 1 else name for name, count in counts.items()]
    return joined(told, most)


def joined(names: Sequence[str], most: int | None) -> str:
    """Return the first names, and how many more there are."""
    shown = names if most is None else names[:most]
    left = len(names) - len(shown)
    return ", ".join([*shown, *([f"{left} more"] if left else [])])


def summary(fleet: Fleet, elapsed_ms: int) -> str:
    """Return the last line."""
    parts = [counted(fleet.machines, "machine"), counted(len(fleet.causes), "cause")]
    left_out = len(fleet.skipped)
    if left_out:
        parts.append(f"{counted(left_out, 'file')} left out")
    return ", ".join([*parts, f"{elapsed_ms / 1000:.1f} s"])
