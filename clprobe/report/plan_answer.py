# SPDX-License-Identifier: MIT
"""The answer that a plan begins with in every format: what to do, why, and what to paste."""

import re
from collections.abc import Sequence

import msgspec

from clprobe.commands import commands
from clprobe.commands.pasted import ANYBODY, Typist, pasted, pasted_step
from clprobe.compat.coverage import OTHER_MAKERS, is_makers_current
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
from clprobe.model import action as actions
from clprobe.model.plan import InstallPlan, Rejected, Route, Step, Target
from clprobe.report.plan_words import title, way

_GOALS = {"opencl": "OpenCL", "pytorch": "PyTorch", "inference": "inference"}
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_LONGEST = 40
_LOG_IN_FOLDER = "/etc/profile.d/"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What an expert would say first.

    `why` are sentences, the most important first, of which none of the first `needed` may lack.
    `notes` are what the person must see to, `others` and `impossible` names of the other ways and
    of those that do not work.
    """

    heading: str
    use: str
    why: tuple[str, ...]
    needed: int = 1
    commands: tuple[str, ...] = ()
    check: str | None = None
    notes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    impossible: tuple[str, ...] = ()


def answer(
    plan: InstallPlan, route: Route | None, tables: Tables, typist: Typist = ANYBODY
) -> Answer:
    """Return the answer with that route of the plan; None: it has none."""
    rejected = _ruled_out(plan, tables)
    heading = f"{_machine(plan.target, tables)}, for {_GOALS[plan.goal]}"
    if route is None:
        why = dict.fromkeys(f"{one.stack or one.backend}: {one.because}" for one in rejected)
        use = f"There is no way to get {_GOALS[plan.goal]} here."
        return Answer(heading=heading, use=use, why=tuple(why))
    todo, check = _todo(route)
    lines = pasted(todo, typist)
    name = _name(route, tables)
    use = f"Use {name}."
    left = (*route.by_hand, *lines)
    if route.steps and (route.installed == "installed" or not left):
        how = way(route, plan.target)
        origin = f" ({how})" if how is not None else ""
        rest = "The commands below complete it." if lines else "Nothing to install."
        use = f"You already have {name}{_version(route)}{origin}. {rest}"
    reason, *reasons = _why(route, name)
    lacks = _lacks_gpu(plan, route, rejected, tables)
    lacks += _not_the_usual(plan, route, rejected, tables)
    return Answer(
        heading=heading,
        use=use,
        why=(reason, *lacks, *reasons, *_there(plan, route)),
        needed=1 + len(lacks),
        commands=left,
        check=pasted_step(check, typist) if check is not None else None,
        notes=_notes(route, todo),
        others=_others(plan, route),
        impossible=_impossible(plan, route, rejected),
    )


def _machine(target: Target, tables: Tables) -> str:
    gpu = "No GPU" if target.gpu == "none" else target.gpu or "A GPU not stated"
    release = next((one for one in tables.distributions() if one.key == target.os), None)
    system = release.short_name if release is not None else target.os
    wsl = " under WSL2" if target.wsl else ""
    return f"{gpu} on {system or 'a distribution not stated'}{wsl}"


def _name(route: Route, tables: Tables) -> str:
    """Return what people call it."""
    if route.stack is not None and route.stack in tables.stacks():
        return tables.stacks()[route.stack].name
    implementation = tables.implementation(route.backend)
    return implementation.name if implementation is not None else route.backend


def _todo(route: Route) -> tuple[list[Step], Step | None]:
    """Return the steps that are not done yet, and the one at the end that shows whether it works.

    A look that other steps follow shows nothing yet.
    """
    steps = list(route.steps)
    check = steps.pop() if steps and _only_looks(steps[-1]) else None
    if route.by_hand and route.stack is None:  # what a person types for a stack ends with a look
        check = commands.step("Check the result", actions.Look())
    return [step for step in steps if not step.done], check


def _only_looks(step: Step) -> bool:
    action = step.action
    inner = action.action if isinstance(action, actions.InContainer) else action
    return isinstance(inner, actions.Check | actions.Look)


def _why(route: Route, name: str) -> list[str]:
    said = _SENTENCE.split(route.because.removeprefix(f"{name}: "))
    return [said[0][:1].upper() + said[0][1:], *said[1:]]


def _lacks_gpu(
    plan: InstallPlan, route: Route, rejected: Sequence[Rejected], tables: Tables
) -> list[str]:
    """Return why it is not on the GPU that there is: the best way there, or what rules it out."""
    if route.uses_gpu or plan.target.gpu in (None, "none"):
        return []
    for one in plan.routes:
        if one.uses_gpu and _gives_goal(one, plan, tables):
            return [f"On the GPU: {one.rank} {title(one, plan.target)}, {one.status}."]
    refused = [one for one in rejected if _gives_goal(one, plan, tables)]
    of_gpu = next((one.of_gpu for one in refused if one.of_gpu is not None), None)
    if of_gpu is not None:
        return [f"Not on the GPU: {_within(of_gpu)}"]
    return [f"Not {_short(one)}: {_within(one.because)}" for one in refused[:1]]


def _not_the_usual(
    plan: InstallPlan, route: Route, rejected: Sequence[Rejected], tables: Tables
) -> list[str]:
    """Return why it is not the package of the maker's current driver, which people expect."""
    if route.stack is not None or not route.uses_gpu:
        return []
    for one in rejected:
        driver = tables.implementation(one.backend)
        usual = driver is not None and is_makers_current(driver)
        hows = (
            (None, "package") if one.backend == route.backend else (None, "package", "repository")
        )
        if usual and one.stack is None and one.how in hows:
            return [f"Not {title(one, plan.target)}: {_within(one.because)}"]
    return []


def _within(reason: str) -> str:
    """Return a sentence as it goes on after a colon."""
    begins_plainly = reason.split(" ", 1)[0] in ("It", "Its", "No", "Nothing", "Whether")
    return reason[:1].lower() + reason[1:] if begins_plainly else reason


def _gives_goal(route: Route | Rejected, plan: InstallPlan, tables: Tables) -> bool:
    """Whether it is what the goal names, and no other framework."""
    if plan.goal == "opencl" or route.stack is None:
        return plan.goal == "opencl" and route.stack is None
    stack = tables.stacks()[route.stack]
    return plan.goal in (stack.framework, stack.purpose)


def _ruled_out(plan: InstallPlan, tables: Tables) -> list[Rejected]:
    """Return what was rejected, what the goal asks for first.

    Drivers for GPUs of other makers, and those that no plan has, are no news to anybody here.
    """
    others = f"{OTHER_MAKERS}.".casefold()
    ours = [
        one
        for one in plan.rejected
        if one.because.casefold() != others
        and ((driver := tables.implementation(one.backend)) is None or driver.not_planned is None)
    ]
    return sorted(ours, key=lambda one: (one.stack is None) is not (plan.goal == "opencl"))


def _impossible(plan: InstallPlan, route: Route, rejected: Sequence[Rejected]) -> tuple[str, ...]:
    """Return names: where there is another way to the same, with the way that does not work.

    First those of what is advised, for whoever would take it from there.
    """
    names: dict[str, None] = {}
    for one in sorted(rejected, key=lambda other: _short(other) != _short(route)):
        if all(_short(one) != _short(route) for route in plan.routes):
            names[_short(one)] = None
        elif one.how is not None or one.stack is not None:
            names[title(one, plan.target)] = None
    return tuple(names)


def _short(route: Route | Rejected) -> str:
    return route.stack or route.backend


def _there(plan: InstallPlan, route: Route) -> list[str]:
    """Return what of it is there, where something lacks, and which other ways are."""
    parts = [f"{one.name} {one.installed_version}" for one in route.components if one.installed]
    others = [
        f"{title(one, plan.target)}{_version(one)}"
        for one in plan.routes
        if one is not route and one.stack is None and one.installed == "installed"
    ]
    said = [f"You already have {', '.join(parts)}."] if route.installed == "partly" else []
    return said + ([f"Also installed: {', '.join(others)}."] if others else [])


def _version(route: Route) -> str:
    found = [one.installed_version for one in route.components if one.installed_version is not None]
    return f" {upstream(found[0])[:_LONGEST]}" if found else ""


def _notes(route: Route, todo: Sequence[Step]) -> tuple[str, ...]:
    if not route.steps:
        return route.caveats
    new = {
        "group": any(isinstance(step.action, actions.JoinGroup) for step in todo),
        "variable": any(
            isinstance(step.action, actions.WriteFile)
            and step.action.path.startswith(_LOG_IN_FOLDER)
            for step in todo
        ),
    }
    named = " and ".join(name for name, is_new in new.items() if is_new)
    again = f"Log out and in again before the check: it takes the new {named}."
    return (*([again] if named else []), *route.essential)


def _others(plan: InstallPlan, route: Route) -> tuple[str, ...]:
    """Return number and name of the other ways; to a framework, the best of several is enough."""
    named: dict[str, Route] = {}
    for one in plan.routes:
        alike = [other for other in plan.routes if _short(other) == _short(one)]
        alone = len(alike) == 1 or (one.stack is not None and route not in alike)
        name = _short(one) if alone else title(one, plan.target)
        if one is not route:
            named.setdefault(name, one)
    return tuple(
        f"{one.rank} {name}{' [installed]' if one.installed == 'installed' else ''}"
        for name, one in named.items()
    )
