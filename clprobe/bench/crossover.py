# SPDX-License-Identifier: MIT
"""Finds the batch size from which on a device is worth it."""

from collections.abc import Iterator, Sequence

from clprobe.model.measurement import BenchVerdict, Crossover, Result
from clprobe.model.workload import net_of


def crossovers(
    results: Sequence[Result], verdicts: Sequence[BenchVerdict]
) -> tuple[Crossover, ...]:
    """Return one per device and net that was compared at two batch sizes or more."""
    measured = {(one.device, one.workload): (net_of(one), one.batch) for one in results}
    decisions: dict[tuple[str, str], dict[int, str]] = {}
    for verdict in verdicts:
        net, batch = measured.get((verdict.device, verdict.workload), (None, None))
        if net is not None and batch is not None and verdict.ratio is not None:
            decisions.setdefault((verdict.device, net), {})[batch] = verdict.decision
    return tuple(
        _crossover(device, model, decided)
        for (device, model), decided in decisions.items()
        if len(decided) > 1
    )


def _crossover(device: str, model: str, decided: dict[int, str]) -> Crossover:
    wins = [batch for batch in sorted(decided) if decided[batch] == "device"]
    first = _first_of_all_larger(decided)
    smallest, largest = min(decided), max(decided)
    measured = f"of {len(decided)} measured, {smallest} to {largest}"
    if first is None and wins:
        text = f"On {model} the device wins only at batch {_listed(wins)} ({measured})."
    elif first is None:
        text = f"On {model} the device wins at no batch size ({measured})."
    elif first == smallest:
        text = f"On {model} the device wins at every batch size ({measured})."
    else:
        text = f"On {model} the device wins from batch {first} on ({measured})."
    return Crossover(device=device, model=model, batch=first, text=text)


def _first_of_all_larger(decided: dict[int, str]) -> int | None:
    """Return the smallest batch at which, and at all larger ones, the device wins."""
    return min(_last_wins(decided), default=None)


def _last_wins(decided: dict[int, str]) -> Iterator[int]:
    for batch in sorted(decided, reverse=True):
        if decided[batch] != "device":
            return
        yield batch


def _listed(batches: Sequence[int]) -> str:
    *most, last = map(str, batches)
    return f"{', '.join(most)} and {last}" if most else last
