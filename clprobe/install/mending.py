# SPDX-License-Identifier: MIT
"""Lets doctor's findings name the route that mends them, where a rule sends to install-plan."""

from msgspec.structs import replace

from clprobe.commands import commands
from clprobe.install.planner import plan
from clprobe.install.target import of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Goal, SeePlan
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis, Finding, Remedy
from clprobe.model.plan import InstallPlan, Route
from clprobe.model.snapshot import Snapshot


def with_routes(
    diagnosis: Diagnosis, snapshot: Snapshot, tables: Tables, source: str | None = None
) -> Diagnosis:
    """Return the diagnosis with the best route in every remedy that sends to install-plan.

    `source` is the file that the snapshot is from; None: this host. Where there is no route, or
    the GPU is too vague to plan for, the rule's own words stay.
    """
    goals: dict[Goal, tuple[Finding, ...]] = {"opencl": (), "pytorch": ()}
    for finding in diagnosis.findings:
        for remedy in finding.remedies:
            goal = _asked(remedy)
            if goal is not None:
                goals[goal] = (*goals[goal], finding)
    best = {goal: _best(snapshot, tables, goal) for goal, asking in goals.items() if asking}
    if not any(best.values()):
        return diagnosis
    found = tuple(_named(finding, best, source) for finding in diagnosis.findings)
    return replace(diagnosis, findings=found)


def _asked(remedy: Remedy) -> Goal | None:
    """Return the goal of the plan to which the remedy sends without naming a route."""
    action = remedy.action
    return action.goal if isinstance(action, SeePlan) and action.backend is None else None


def _best(snapshot: Snapshot, tables: Tables, goal: Goal) -> Route | None:
    try:
        made = plan(of_snapshot(snapshot, tables), tables, goal)
    except ClprobeError:
        return None  # a name for several chips, say
    return _first_with_steps(made)


def _first_with_steps(made: InstallPlan) -> Route | None:
    return next((route for route in made.routes if route.steps), None)


def _named(finding: Finding, best: dict[Goal, Route | None], source: str | None) -> Finding:
    remedies = tuple(_with_route(one, best, source) for one in finding.remedies)
    return replace(finding, remedies=remedies)


def _with_route(remedy: Remedy, best: dict[Goal, Route | None], source: str | None) -> Remedy:
    goal = _asked(remedy)
    route = best.get(goal) if goal is not None else None
    if goal is None or route is None:
        return remedy
    snapshot = None if source == "-" else source
    title = f"See the steps of the best route here. {route.because.rstrip('.')}"
    action = SeePlan(goal=goal, backend=route.backend, snapshot=snapshot)
    return commands.remedy(title, action, "once its steps are done")
