# SPDX-License-Identifier: MIT
"""Puts deep-learning stacks on top of OpenCL routes, for the goals pytorch and inference."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.install import steps
from clprobe.install.machine import Machine
from clprobe.install.ranking import is_asked
from clprobe.install.recipes import from_source
from clprobe.install.stack_builds import (
    build_for,
    support_for,
    takes_driver,
    why_no_build,
)
from clprobe.install.stack_steps import (
    on_own_libraries,
    stack_caveats,
    stack_components,
    stack_needs,
    stack_steps,
    without_opencl,
)
from clprobe.install.wording import all_sources, sentence
from clprobe.knowledge.stack_table import Stack, StackBuild
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_words
from clprobe.model.action import Goal
from clprobe.model.plan import Rejected, Route, RouteStatus, Step

_STACKS: dict[Goal, tuple[str, ...]] = {
    "opencl": (),
    "pytorch": (
        *("pytorch-xpu", "pytorch-cuda", "rocm-pytorch", "pytorch_dlprim", "torch-directml"),
        "pytorch-cpu",
        *("clprobe-tensor", "tinygrad", "netcl"),
    ),
    "inference": (
        *("openvino", "onnxruntime-openvino", "llama-cpp"),
        *("pytorch-xpu", "pytorch-cuda", "rocm-pytorch", "pytorch-cpu"),
    ),
}
LEVEL_ZERO = "compute-runtime"
"""The implementation whose packages Level Zero comes with."""
_POINTLESS_ON_CPU = ("pytorch_dlprim", "pytorch-xpu", "pytorch-cuda", "rocm-pytorch")
"""PyTorch runs on the CPU by itself."""
_ALSO = {"wsl2": ("linux",)}
_ELSEWHERE = ("container", "conda", "source")
"""Ways that give OpenCL only inside a container or an environment, so not to a stack outside."""
_IN_THE_SAME_ENVIRONMENT = ("pocl", "pip")
"""Backend and how of the wheels that PyOpenCL finds where it is itself."""


def stacks_on(
    opencl: Sequence[Route], machine: Machine, tables: Tables, goal: Goal
) -> tuple[list[Route], list[Rejected]]:
    """Return the routes to a stack on top of `opencl`, and the stacks ruled out.

    Where none of the frameworks asked for is installed for the GPU, the ways to plain OpenCL on it
    are returned too, for own kernels.
    """
    routes: list[Route] = []
    rejected: list[Rejected] = []
    below = [route for route in opencl if route.how not in _ELSEWHERE]
    packages = level_zero(machine, tables)
    for key in _STACKS[goal]:
        stack = tables.stacks()[key]
        if stack.vendor not in (None, machine.vendor or "intel"):
            continue  # no news on another vendor's GPU
        made, refused = _with(stack, below, machine, packages)
        routes += made
        rejected += refused
    asked = {key for key, stack in tables.stacks().items() if is_asked(stack, goal)}
    on_gpu = (route for route in routes if route.uses_gpu and route.how != "by-hand")
    if not any(route.stack in asked for route in on_gpu):
        routes += [route for route in opencl if route.uses_gpu]
    return routes, rejected


class LevelZero(NamedTuple):
    """The packages with Intel's Level Zero driver and loader, and why the release lacks some.

    `of_maker` are those of Intel's own repositories.
    """

    packages: tuple[str, ...]
    problem: str | None
    of_maker: tuple[str, ...] = ()

    def lacking(self, has: Collection[str]) -> list[str]:
        """Return those of the release's packages whose part is not there under another name."""
        if self.of_maker and set(self.of_maker) <= set(has):
            return []
        return [name for name in self.packages if name not in has]


def level_zero(machine: Machine, tables: Tables) -> LevelZero:
    """Return what the release has of Level Zero.

    A table that lists some of a release lists all; of other releases the implementation tells.
    """
    release, driver = machine.distribution, tables.implementation(LEVEL_ZERO)
    wanted = driver.level_zero.get(release.id, ()) if driver is not None and release else ()
    if release is None or not wanted:
        problem = f"no package of Intel's Level Zero driver is known on {machine.os_name}"
        return LevelZero(wanted, problem)
    rows = release.packages.items()
    listed = [name for name, row in rows if any(one.role == "level-zero" for one in row)]
    lacking = [one for one in wanted if one in release.absent or (listed and one not in listed)]
    lacks = f"{machine.os_name} does not package {' and '.join(lacking)} for Level Zero"
    of_maker = driver.level_zero_of_maker if driver is not None else ()
    return LevelZero(wanted, lacks if lacking else None, of_maker)


def _with(
    stack: Stack, opencl: Sequence[Route], machine: Machine, packages: LevelZero
) -> tuple[list[Route], list[Rejected]]:
    """Return the routes to one stack, and what rules it out."""
    build = build_for(stack, machine)
    ways: dict[str, list[Route]] = {}
    for route in opencl:
        if route.uses_gpu:
            ways.setdefault(route.backend, []).append(route)
    on_gpu = [routes[0] for routes in ways.values()]
    refusal = _refusal(stack, machine, build)
    answers: list[Route | Rejected] = []
    if refusal is not None:
        backend = on_gpu[0].backend if on_gpu else "cpu"
        answers.append(_rejected(stack, backend, refusal, machine))
    elif build is not None and without_opencl(stack, build, machine):
        answers += on_own_libraries(stack, build, support_for(stack, machine), machine)
    elif build is not None and stack.supports:
        for routes in ways.values():
            tried = [on_route(route, stack, build, machine, packages) for route in routes]
            # The best way to each driver is enough.
            answers.append(next((one for one in tried if isinstance(one, Route)), tried[0]))
        if not on_gpu and stack.cpu != "works":
            because = f"no OpenCL route reaches {machine.gpu_name}, and it needs one"
            answers.append(_rejected(stack, "cpu", because, machine))
    if (
        build is not None
        and runs_on(stack, machine)
        and stack.cpu == "works"
        and stack.stack not in _POINTLESS_ON_CPU
        and not build.lines  # they are about the GPU
    ):
        answers += _on_cpu(opencl, stack, build, machine)
    if build is None and _hardware_refusal(stack, machine) is None:
        answers += from_source(stack, support_for(stack, machine), on_gpu, machine)
    made = [answer for answer in answers if isinstance(answer, Route)]
    return made, [answer for answer in answers if isinstance(answer, Rejected)]


def _refusal(stack: Stack, machine: Machine, build: StackBuild | None) -> str | None:
    """Return what rules the stack out; hardware first, because nothing mends that."""
    if not runs_on(stack, machine) and machine.system == "windows":
        return f"it runs on {', '.join(stack.systems)}, not on Windows"
    if not runs_on(stack, machine):
        return stack.problems[0] if stack.problems else "it does not run on Linux"
    hardware = _hardware_refusal(stack, machine) if stack.supports else None
    if hardware is not None or build is not None:
        return hardware
    return why_no_build(stack, machine)


def runs_on(stack: Stack, machine: Machine) -> bool:
    """Whether the stack runs on the machine's operating system."""
    return not {machine.system, *_ALSO.get(machine.system, ())}.isdisjoint(stack.systems)


def _hardware_refusal(stack: Stack, machine: Machine) -> str | None:
    if not machine.has_gpu:
        return None if stack.cpu == "works" else "this machine has no GPU"
    support = support_for(stack, machine)
    if support is None and machine.generation is None and machine.family is None:
        return f"whether it runs on {machine.gpu_name} is not known; the PCI id settles it"
    if support is None:
        return f"no table says whether it runs on {machine.gpu_name}"
    return support.because if support.outcome == "fails" else None


def on_route(
    route: Route,
    stack: Stack,
    build: StackBuild,
    machine: Machine,
    level_zero: LevelZero,
) -> Route | Rejected:
    """Return the stack on top of one GPU route, given what `level_zero` returns.

    An older build takes the place of `build` where that asks for a newer driver than the route has.
    """
    support = support_for(stack, machine)
    if support is None:
        because = f"no table says whether it runs on {machine.gpu_name}"
        return _rejected(stack, route.backend, because, machine)
    if support.via and route.backend not in support.via:
        because = f"it was seen running on {' and '.join(support.via)} only"
        return _rejected(stack, route.backend, because, machine)
    driver = route.components[0].version
    if not takes_driver(build, driver):
        asked, older = build, build_for(stack, machine, driver)
        if older is None:
            needed = f"driver {in_words(asked.driver)}; {machine.os_name} has {driver}"
            return _rejected(stack, route.backend, f"its wheels are for {needed}", machine)
        build = older
    more: list[Step] = []
    if stack.api == "level-zero":
        has = {component.name for component in route.components}
        # A third party's repository may bring what the release lacks.
        lacking = level_zero.lacking(has)
        brings = level_zero.packages and not lacking
        if (level_zero.problem and not brings) or machine.distribution is None:
            return _rejected(stack, route.backend, level_zero.problem or "", machine)
        title = "Install Intel's Level Zero driver and its loader"
        more += [steps.install(machine.distribution, title, lacking)] if lacking else []
    doubtful = support.outcome == "untested" or support.unverified or build.unverified
    status: RouteStatus = "unverified" if doubtful else route.status
    return replace(
        route,
        stack=stack.stack,
        status=status,
        is_known=route.is_known and not doubtful,
        because=f"{sentence(stack.name + ': ' + support.because)} {route.because}",
        components=(*route.components, *stack_components(stack, build, machine)),
        steps=(*route.steps[:-1], *more, *stack_steps(stack, build, machine)),
        caveats=(*route.caveats, *stack_caveats(stack, build, machine)),
        sources=all_sources(route.sources, support.sources, build.sources, stack.sources[:1]),
        slower_than_cpu=support.slower_than_cpu,
        essential=(*route.essential, *stack_needs(build, machine)),
    )


def _on_cpu(
    opencl: Sequence[Route], stack: Stack, build: StackBuild, machine: Machine
) -> list[Route]:
    if stack.api == "none" or not stack.cpu_needs_opencl:
        return [
            Route(
                rank=0,
                backend="cpu",
                stack=stack.stack,
                uses_gpu=False,
                status="supported",
                because="It uses no GPU at all, and may well be the fastest of these.",
                components=stack_components(stack, build, machine),
                steps=(*steps.refreshed(machine), *stack_steps(stack, build, machine)),
                caveats=stack_caveats(stack, build, machine),
                sources=all_sources(stack.sources, build.sources),
                how="included",
                essential=stack_needs(build, machine),
            )
        ]
    routes = [route for route in opencl if not route.uses_gpu]
    if not machine.wishes.root:
        routes = [r for r in routes if not any(step.needs_root for step in r.steps)] or routes
    return [
        replace(
            route,
            stack=stack.stack,
            because=f"{sentence(stack.name + ' runs on any OpenCL device')} {route.because}",
            components=(*route.components, *stack_components(stack, build, machine)),
            steps=_steps_on(route, stack, build, machine),
            caveats=(*route.caveats, *stack_caveats(stack, build, machine)),
            sources=all_sources(route.sources, stack.sources),
            essential=(*route.essential, *stack_needs(build, machine)),
        )
        for route in routes[:1]
    ]


def _steps_on(route: Route, stack: Stack, build: StackBuild, machine: Machine) -> tuple[Step, ...]:
    """Return the steps of the route and then of the stack, its wheels beside the stack's own."""
    if (route.backend, route.how) != _IN_THE_SAME_ENVIRONMENT:
        return (*route.steps[:-1], *stack_steps(stack, build, machine))
    beside = [f"{one.name}=={one.version}" for one in route.components]
    return stack_steps(stack, build, machine, beside)


def _rejected(stack: Stack, backend: str, because: str, machine: Machine) -> Rejected:
    support = support_for(stack, machine)
    more = support.sources if support is not None else ()
    return Rejected(
        backend=backend,
        stack=stack.stack,
        because=sentence(because),
        sources=all_sources(more or stack.sources),
    )
