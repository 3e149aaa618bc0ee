# SPDX-License-Identifier: MIT
"""plan(): which routes lead to the goal on a machine, and what rules out the others."""

from typing import Literal

from msgspec.structs import replace

from clprobe.engine.tables import Tables
from clprobe.install import pytorch
from clprobe.install.judge import hopeless, judge, not_offered
from clprobe.install.machine import Machine, look_up
from clprobe.install.ways import elsewhere, on_request, packaged
from clprobe.model.plan import InstallPlan, Rejected, Route, RouteStatus, Target

Goal = Literal["opencl", "pytorch"]

# Best first where status and use of the GPU are the same.
_BACKENDS = (
    "compute-runtime",
    "compute-runtime-legacy1",
    "rusticl",
    "beignet",
    "nvidia",
    "amd-rocm",
    "pocl",
    "intel-cpu",
    "cpu",
)
_STATUS: tuple[RouteStatus, ...] = ("supported", "workaround", "unverified")


def plan(target: Target, tables: Tables, goal: Goal = "opencl") -> InstallPlan:
    """Return all routes, best first, and everything that was rejected, with the reason.

    A route on the GPU ranks before any on the CPU; then what is supported comes first. Only for
    OpenCL alone, a GPU's route that nobody has seen working ranks after the CPU's that do. The
    same target and tables always give the same plan.

    Raises: ClprobeError if the target's GPU is no known name, or one for several generations.
    """
    machine = look_up(target, tables)
    routes, rejected = _opencl(machine, tables)
    if goal == "pytorch":
        routes, refused = pytorch.stacks_on(_ranked(routes, goal), machine, tables)
        rejected += refused
    return InstallPlan(
        target=target, goal=goal, routes=_ranked(routes, goal), rejected=tuple(rejected)
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
        answers: list[Route | Rejected] = []
        for ways in (packaged, on_request, elsewhere):
            # What needs more trouble is asked only where the easier ways failed.
            if not any(isinstance(answer, Route) for answer in answers):
                offers = ways(implementation, machine)
                answers += [judge(way, implementation, machine, tables) for way in offers]
        if not answers:
            rejected.append(not_offered(implementation, machine))
        routes += [answer for answer in answers if isinstance(answer, Route)]
        rejected += [answer for answer in answers if isinstance(answer, Rejected)]
    return routes, rejected


def _backends_for(machine: Machine) -> list[str]:
    """Other vendors' drivers are no news on an Intel GPU, so they are left out there."""
    others = {"nvidia", "amd-rocm"}
    return [
        key
        for key in _BACKENDS
        if key != "cpu" and not (key in others and (machine.is_intel or not machine.has_gpu))
    ]


def _ranked(routes: list[Route], goal: Goal) -> tuple[Route, ...]:
    in_order = sorted(routes, key=lambda route: _rank_key(route, goal))
    return tuple(replace(route, rank=rank) for rank, route in enumerate(in_order, 1))


def _rank_key(route: Route, goal: Goal) -> tuple[bool, bool, int, int, int]:
    unseen = goal == "opencl" and route.status == "unverified"
    return (
        unseen,
        not route.uses_gpu,
        _STATUS.index(route.status),
        pytorch.STACKS.index(route.stack) if route.stack is not None else 0,
        _BACKENDS.index(route.backend),
    )
