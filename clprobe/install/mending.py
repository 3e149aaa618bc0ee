# SPDX-License-Identifier: MIT
"""Lets doctor's findings name the route that mends them, where a rule sends to install-plan."""

from msgspec.structs import replace

from clprobe.commands import commands
from clprobe.install.planner import plan
from clprobe.install.target import of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Goal, SeePlan
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis, Remedy
from clprobe.model.plan import Route
from clprobe.model.snapshot import Snapshot


def with_routes(
    diagnosis: Diagnosis, snapshot: Snapshot, tables: Tables, source: str | None = None
) -> Diagnosis:
    """Return the diagnosis with the best route in every remedy that sends to install-plan.

    `source` is the file that the snapshot is from; None: this host. Where there is no route, or
    the GPU is too vague to plan for, the rule's own words stay.
    """
    remedies = [remedy for finding in diagnosis.findings for remedy in finding.remedies]
    goals = {goal for remedy in remedies if (goal := _asked(remedy)) is not None}
    best = {goal: _best(snapshot, tables, goal) for goal in goals}
    if not any(best.values()):
        return diagnosis
    return replace(
        diagnosis,
        findings=tuple(
            replace(one, remedies=tuple(_with_route(r, best, source) for r in one.remedies))
            for one in diagnosis.findings
        ),
    )


def _asked(remedy: Remedy) -> Goal | None:
    """Return the goal of the plan to which the remedy sends without naming a route."""
    action = remedy.action
    return action.goal if isinstance(action, SeePlan) and action.backend is None else None


def _best(snapshot: Snapshot, tables: Tables, goal: Goal) -> Route | None:
    try:
        made = plan(of_snapshot(snapshot, tables), tables, goal)
    except ClprobeError:
        return None  # a name for several chips, say
    return next((route for route in made.routes if route.steps), None)


def _with_route(remedy: Remedy, best: dict[Goal, Route | None], source: str | None) -> Remedy:
    goal = _asked(remedy)
    route = best.get(goal) if goal is not None else None
    if goal is None or route is None:
        return remedy
    snapshot = None if source == "-" else source
    title = f"See the steps of the best route here. {route.because.rstrip('.')}"
    action = SeePlan(goal=goal, backend=route.backend, snapshot=snapshot)
    return commands.remedy(title, action, "once its steps are done")
