# SPDX-License-Identifier: MIT
"""Lets doctor's findings name the best route, where a rule sends to install-plan."""

from collections.abc import Callable

from msgspec.structs import replace

from clprobe.commands import commands
from clprobe.install.several import best_of, each_candidate
from clprobe.install.target import described, of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.action import SeePlan
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis, Remedy
from clprobe.model.plan import Route
from clprobe.model.snapshot import Snapshot

Best = Callable[[SeePlan], Route | None]
"""Gives the route that a remedy sends to."""


def with_routes(
    diagnosis: Diagnosis,
    snapshot: Snapshot,
    tables: Tables,
    source: str | None = None,
    *,
    python: str | None = None,
) -> Diagnosis:
    """Return the diagnosis with the best route in every remedy that sends to install-plan.

    `source` is the file that the snapshot is from; None: this host, whose release of Python is
    `python`. Where there is no route, or the GPU is too vague to plan for, the rule's own words
    stay.
    """
    best: dict[SeePlan, Route | None] = {}

    def once(action: SeePlan) -> Route | None:
        if action not in best:
            best[action] = best_route(snapshot, tables, action, python=python)
        return best[action]

    findings = (
        replace(one, remedies=tuple(_with_route(remedy, once, source) for remedy in one.remedies))
        for one in diagnosis.findings
    )
    return replace(diagnosis, findings=tuple(findings))


def best_route(
    snapshot: Snapshot, tables: Tables, action: SeePlan, *, python: str | None = None
) -> Route | None:
    """Return the best route that has steps, the one that install-plan shows for the same.

    None without one, or where the GPU is too vague.
    """
    try:
        stated = of_snapshot(snapshot, tables, python=python)
        if action.gpu is not None:
            stated = described(stated, tables, gpu=action.gpu)
        _, made = best_of(each_candidate(stated, tables), tables, action.goal)
    except ClprobeError:
        return None  # a name that no table knows, say
    return next((route for route in made.routes if route.steps), None)


def _with_route(remedy: Remedy, best: Best, source: str | None) -> Remedy:
    action = remedy.action
    if not isinstance(action, SeePlan) or action.backend is not None:
        return remedy
    route = best(action)
    if route is None:
        return remedy
    shown = replace(action, backend=route.backend, snapshot=None if source == "-" else source)
    title = f"See the steps of the best route here. {route.because.rstrip('.')}"
    return commands.remedy(title, shown, "once its steps are done")
