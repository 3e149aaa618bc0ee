# SPDX-License-Identifier: MIT
"""What became different between bench runs, in words that are safe to print."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clprobe.model.comparison import EFFECTS, BenchComparison, Difference, Effect, Side
from clprobe.report.bench.words import significant
from clprobe.report.doctor_words import MOST_CHANGES, told
from clprobe.report.terminal import safe

_MOST = 8
"""More workloads in one sentence nobody reads; the table has them."""

METHOD = (
    "Faster or slower: the 95 % intervals of both runs leave no room for equality, and they differ "
    "by 10 % or more, as runs on one machine may differ by some percent though nothing changed."
)
_EFFECTS: dict[Effect, tuple[str, str]] = {
    "became-wrong": ("error", "Wrong now"),
    "lost": ("error", "No figure any more"),
    "slower": ("warning", "Slower"),
    "faster": ("fine", "Faster"),
    "mended": ("fine", "Has a figure now"),
    "unsure": ("undetermined", "Perhaps changed, but a run was disturbed"),
    "gone": ("note", "Only in the first run"),
    "new": ("note", "Only in the last run"),
    "now-measured": ("note", "Measured now, not before"),
    "not-measured": ("note", "Measured before, not now"),
    "same": ("note", "No change beyond the noise"),
    "no-figures": ("note", "Nothing to compare"),
}
"""What severity an effect looks like, and how a sentence on it begins."""


@dataclass(frozen=True, slots=True)
class Row:
    """One workload of one contestant."""

    workload: str
    figures: tuple[str, ...]
    """One per run, "" where it has none."""
    unit: str
    kind: str
    """What severity its change looks like."""
    change: str
    """How the last differs from the first, in two words."""


@dataclass(frozen=True, slots=True)
class Section:
    """One contestant."""

    name: str
    sentences: tuple[tuple[str, str], ...]
    """Each behind the severity that it looks like."""
    rows: tuple[Row, ...]
    changed: bool
    """Whether any workload became different."""


def headline(comparison: BenchComparison) -> str:
    """Return in one sentence how many workloads became what, the worst first."""
    counts = Counter(one.effect for one in comparison.differences)
    total = counts.total()
    if not total:
        return "No run has a result."
    told = [f"{_EFFECTS[effect][1]}: {counts[effect]}" for effect in EFFECTS if counts[effect]]
    rest = (f"{each[0].lower()}{each[1:]}" for each in told[1:])
    return f"{'; '.join([told[0], *rest])} of {total} figures."


def sections(comparison: BenchComparison) -> list[Section]:
    """Return one section per contestant, in the order of what happened to it."""
    names = dict.fromkeys(one.device for one in comparison.differences)
    return [
        _section(name, [one for one in comparison.differences if one.device == name])
        for name in names
    ]


def letters(comparison: BenchComparison) -> list[str]:
    """Return a short name per run for headings: A, B, …, Z, R27."""
    return [
        chr(ord("A") + place) if place < 26 else f"R{place + 1}"
        for place in range(len(comparison.files))
    ]


def runs(comparison: BenchComparison) -> list[str]:
    """Return what each letter stands for."""
    named = zip(letters(comparison), comparison.files, strict=True)
    return [f"{letter}: {safe(file)}" for letter, file in named]


def host_changes(comparison: BenchComparison) -> Iterator[str]:
    """Yield how hosts and contestants differ, a line each."""
    for one in comparison.renamed:
        # Whole, as the version that tells them apart comes last.
        yield safe(f"{one.what}: {one.before} → {one.after}")
    yield from (safe(told(one)) for one in comparison.changes[:MOST_CHANGES])
    if len(comparison.changes) > MOST_CHANGES:
        yield f"and {len(comparison.changes) - MOST_CHANGES} more changes; --json lists them"
    if not comparison.renamed and not comparison.changes:
        yield "The hosts' stated facts are the same."


def _section(name: str, differences: Sequence[Difference]) -> Section:
    said = []
    for effect in EFFECTS:
        alike = [one for one in differences if one.effect == effect]
        if alike:
            kind, beginning = _EFFECTS[effect]
            said.append((kind, safe(f"{beginning}: {_listed(effect, alike)}.")))
    flipped = [one for one in differences if one.flipped]
    said += [(_EFFECTS[one.effect][0], safe(_flip(one))) for one in flipped]
    changed = any(one.effect not in {"same", "no-figures"} for one in differences)
    return Section(safe(name), tuple(said), tuple(map(_row, differences)), changed)


def _listed(effect: Effect, alike: Sequence[Difference]) -> str:
    if effect in {"same", "no-figures"}:
        return f"{len(alike)} workload{'s' if len(alike) > 1 else ''}"
    items = [_item(one) for one in sorted(alike, key=_away_from_one, reverse=True)]
    if len(items) > _MOST:
        items[_MOST - 1 :] = [f"and {len(items) - _MOST + 1} more"]
    return ", ".join(items)


def _item(difference: Difference) -> str:
    if difference.effect not in {"slower", "faster", "unsure"}:
        return difference.workload
    more = ", as the CPU beside it" if difference.with_cpu else ""
    return f"{difference.workload} ({_factor(difference)}{more})"


def _flip(difference: Difference) -> str:
    first, last = difference.runs[0], difference.runs[-1]
    before, after = (side.decision if side else None for side in (first, last))
    return f"The verdict on {difference.workload} was {before} and is {after}."


def _row(difference: Difference) -> Row:
    return Row(
        workload=safe(difference.workload),
        figures=tuple(map(_figure, difference.runs)),
        unit=safe(difference.unit),
        kind=_EFFECTS[difference.effect][0],
        change=_change(difference),
    )


def _figure(side: Side | None) -> str:
    if side is None:
        return ""
    return side.status.replace("-", " ") if side.median is None else significant(side.median)


def _change(difference: Difference) -> str:
    match difference.effect:
        case "faster" | "slower":
            return f"{_factor(difference)} {difference.effect}"
        case "unsure":
            word = "faster" if (difference.ratio or 1) > 1 else "slower"
            return f"{_factor(difference)} {word}?"
        case "same":
            return "no change"
        case "no-figures":
            return ""
        case _:
            return difference.effect.replace("-", " ")


def _factor(difference: Difference) -> str:
    return f"{significant(_away_from_one(difference))}×"


def _away_from_one(difference: Difference) -> float:
    ratio = difference.ratio or 1.0
    return max(ratio, 1 / ratio)
