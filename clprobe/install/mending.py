# SPDX-License-Identifier: MIT
"""Lets doctor's findings name the route that mends them, where a rule sends to install-plan."""

from collections.abc import Sequence

from msgspec.structs import replace

from clprobe.install.planner import plan
from clprobe.install.ranking import Goal
from clprobe.install.target import of_snapshot
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis, Finding, Remedy
from clprobe.model.plan import InstallPlan, Route
from clprobe.model.snapshot import Snapshot

_COMMAND = "clprobe install-plan"
_PYTORCH = "--goal pytorch"


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
            if _asks(remedy):
                goals[_goal(remedy)] = (*goals[_goal(remedy)], finding)
    best = {goal: _best(snapshot, tables, goal) for goal, asking in goals.items() if asking}
    if not any(best.values()):
        return diagnosis
    found = tuple(_named(finding, best, source) for finding in diagnosis.findings)
    return replace(diagnosis, findings=found)


def _asks(remedy: Remedy) -> bool:
    return remedy.argv is None and _COMMAND in remedy.title


def _goal(remedy: Remedy) -> Goal:
    return "pytorch" if _PYTORCH in remedy.title else "opencl"


def _best(snapshot: Snapshot, tables: Tables, goal: Goal) -> Route | None:
    try:
        made = plan(of_snapshot(snapshot, tables), tables, goal)
    except ClprobeError:
        return None  # a name for several chips, say
    return _first_with_steps(made)


def _first_with_steps(made: InstallPlan) -> Route | None:
    return next((route for route in made.routes if route.steps), None)


def _named(finding: Finding, best: dict[Goal, Route | None], source: str | None) -> Finding:
    remedies = [_with_route(one, best, source) if _asks(one) else one for one in finding.remedies]
    return replace(finding, remedies=tuple(remedies))


def _with_route(remedy: Remedy, best: dict[Goal, Route | None], source: str | None) -> Remedy:
    goal = _goal(remedy)
    route = best.get(goal)
    if route is None:
        return remedy
    more: Sequence[str] = () if goal == "opencl" else ("--goal", goal)
    file = () if source in (None, "-") else ("--from", source or "")
    argv = ("clprobe", "install-plan", *more, *file, "--backend", route.backend)
    return Remedy(
        title=f"See the steps of the best route here. {route.because.rstrip('.')}",
        argv=argv,
        takes_effect="once its steps are done",
    )
