# SPDX-License-Identifier: MIT
"""The solved reports that are nearest to a case, with what agrees and what differs."""

from collections.abc import Collection, Iterable, Iterator

from clprobe.diagnosis.precedents.resemblance import Near, Resemblance
from clprobe.facts.derive import derive
from clprobe.facts.facts import Facts
from clprobe.knowledge.solved_reports import SolvedReport
from clprobe.knowledge.tables import Tables
from clprobe.model.finding import SeenBefore
from clprobe.model.unknown import known, listed

_MOST = 2
_LEAST_NEAR = 0.3
"""Further ones share common words only."""


def seen_before(
    resemblance: Resemblance, rules: Collection[str], facts: Facts, tables: Tables
) -> tuple[SeenBefore, ...]:
    """Return the nearest reports of which one of these rules is the cause, the nearest first."""
    here = dict(_aspects(facts))
    found = [near for near in resemblance.reports if _is_like(near, rules)]
    return tuple(_compared(near.report, here, tables) for near in found[:_MOST])


def _is_like(near: Near, rules: Collection[str]) -> bool:
    return near.nearness >= _LEAST_NEAR and bool(set(near.report.rules) & set(rules))


def _compared(report: SolvedReport, here: dict[str, set[str]], tables: Tables) -> SeenBefore:
    there = dict(_aspects(derive(report.snapshot, tables)))
    both = [name for name in here if here[name] and there.get(name)]
    same = {name: sorted(here[name] & there[name]) for name in both}
    return SeenBefore(
        report=report.report,
        url=report.url,
        cause=report.cause,
        fix=report.fix,
        agrees=tuple(f"{name} {', '.join(same[name])}" for name in both if same[name]),
        differs=tuple(
            f"{name} {', '.join(sorted(here[name]))} here, {', '.join(sorted(there[name]))} there"
            for name in both
            if not same[name]
        ),
    )


def _aspects(facts: Facts) -> Iterator[tuple[str, set[str]]]:
    """Yield what people compare two reports by, each with what is known of it."""
    system, virtual = facts.system, facts.system.virtualization
    gpus = listed(facts.gpus)
    yield "GPU", _known(gpu.generation or gpu.vendor for gpu in gpus)
    yield "system", _known((system.distribution.id,))
    yield "Linux", {".".join(one.split(".")[:2]) for one in _known((system.linux.release,))}
    yield "package", _known(package.name for package in listed(facts.packages))
    yield "container", _known((virtual.container,))
    yield "virtual machine", _known((virtual.machine,))
    yield "program", _known(view.viewer for view in listed(facts.views))
    yield "error", _known(view.answer.error_code for view in listed(facts.views))


def _known(values: Iterable[object]) -> set[str]:
    return {str(one) for value in values if (one := known(value)) is not None}
