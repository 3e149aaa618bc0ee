# SPDX-License-Identifier: MIT
"""plan(): which routes lead to the goal on a machine, and what rules out the others."""

from clprobe.install import stacks
from clprobe.install.containers import contained
from clprobe.install.judge import hopeless, judge, not_offered
from clprobe.install.machine import Machine, look_up
from clprobe.install.narrow import narrowed
from clprobe.install.ranking import BACKENDS, Goal, ranked
from clprobe.install.recipes import driver_from_source
from clprobe.install.ways import Way, elsewhere, on_conda, on_request, packaged
from clprobe.install.wishes import NO_WISHES, Wishes
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import newest
from clprobe.model.plan import InstallPlan, Rejected, Route, Target

_NO_DRIVERS = ("cpu", "direct3d12", "windows-driver")


def plan(
    target: Target, tables: Tables, goal: Goal = "opencl", wishes: Wishes = NO_WISHES
) -> InstallPlan:
    """Return all routes, best first, and everything that was rejected, with the reason.

    A route on the GPU ranks before any on the CPU; then what is supported comes first. A GPU's
    route that nobody has seen working ranks after the CPU's that do. Where a framework is the
    goal, the framework itself comes first, on the GPU where that was seen to work, else on the
    CPU. The same target, tables and wishes always give the same plan.

    Raises: ClprobeError if the target's GPU is no known name, or one for several generations.
    """
    machine = look_up(target, tables, wishes)
    routes, rejected = _opencl(machine, tables)
    if goal != "opencl":
        opencl = ranked(routes, "opencl", tables)
        routes, refused = stacks.stacks_on(opencl, machine, tables, goal)
        rejected += refused
    routes, refused = narrowed(routes, machine)
    return InstallPlan(
        target=target,
        goal=goal,
        routes=ranked(routes, goal, tables),
        rejected=tuple(dict.fromkeys(rejected + refused)),
    )


def _opencl(machine: Machine, tables: Tables) -> tuple[list[Route], list[Rejected]]:
    routes: list[Route] = []
    rejected: list[Rejected] = []
    for key in _backends_for(machine):
        implementation = tables.implementations()[key]
        never = hopeless(implementation, machine)
        if never is not None:
            rejected.append(never)
            continue
        answers = _answers(implementation, machine, tables)
        wanted = bool(implementation.kernel_drivers and machine.chips)
        own = packaged(implementation, machine) or on_request(implementation, machine)
        if not own and (wanted or not answers):
            rejected.append(not_offered(implementation, machine, tables))
        routes += [answer for answer in answers if isinstance(answer, Route)]
        rejected += [answer for answer in answers if isinstance(answer, Rejected)]
    return routes, rejected


def _answers(
    implementation: Implementation, machine: Machine, tables: Tables
) -> list[Route | Rejected]:
    """Return what each way gives; what needs more trouble is asked where the easier ways failed."""

    def ask(ways: list[Way]) -> list[Route | Rejected]:
        return [judge(way, implementation, machine, tables) for way in ways]

    answers = _newest_of_nvidia(ask(packaged(implementation, machine)))
    if not implementation.kernel_drivers:
        # What runs on the CPU can be had without root, too.
        more = elsewhere(implementation, machine, tables) + on_conda(implementation, tables)
        return answers + ask(more)
    if _has_route(answers):
        return answers
    answers += ask(on_request(implementation, machine))
    if not _has_route(answers):
        answers += ask(elsewhere(implementation, machine, tables))
    # The container touches the host least, so it stands beside whatever else there is.
    answers += ask(contained(implementation, machine, tables))
    return answers + list(driver_from_source(implementation, machine))


def _newest_of_nvidia(answers: list[Route | Rejected]) -> list[Route | Rejected]:
    """Return the answers with the newest driver alone: releases package several beside another."""
    routes = [a for a in answers if isinstance(a, Route) and a.backend == "nvidia"]
    versions = [version for route in routes if (version := route.components[0].version)]
    if not versions:
        return answers
    best = newest(versions, "debian")
    return [a for a in answers if a not in routes or a.components[0].version == best]


def _has_route(answers: list[Route | Rejected]) -> bool:
    return any(isinstance(answer, Route) for answer in answers)


def _backends_for(machine: Machine) -> list[str]:
    """Other vendors' drivers are no news on an Intel GPU, so they are left out there."""
    others = {"nvidia", "amd-rocm"}
    return [
        key
        for key in BACKENDS
        if key not in _NO_DRIVERS and not (key in others and machine.vendor in (None, "intel"))
    ]
