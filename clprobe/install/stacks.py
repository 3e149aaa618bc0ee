# SPDX-License-Identifier: MIT
"""Puts deep-learning stacks on top of OpenCL routes, for the goals pytorch and inference."""

from collections.abc import Sequence

from msgspec.structs import replace

from clprobe.install import steps
from clprobe.install.machine import Machine
from clprobe.install.ranking import is_asked
from clprobe.install.recipes import from_source
from clprobe.install.stack_steps import (
    stack_caveats,
    stack_components,
    stack_needs,
    stack_steps,
    through_windows,
    without_opencl,
)
from clprobe.install.wording import all_sources, sentence
from clprobe.knowledge.stack_table import Stack, StackBuild, StackSupport
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import in_range, in_words, newest
from clprobe.model.action import Goal
from clprobe.model.plan import Rejected, Route, RouteStatus, Step

_STACKS: dict[Goal, tuple[str, ...]] = {
    "opencl": (),
    "pytorch": (
        *("pytorch-xpu", "pytorch-cuda", "rocm-pytorch", "pytorch_dlprim", "torch-directml"),
        "pytorch-cpu",
        *("clprobe-tensor", "tinygrad", "netcl"),
    ),
    "inference": ("openvino", "onnxruntime-openvino", "llama-cpp", "pytorch-xpu", "pytorch-cpu"),
}
_POINTLESS_ON_CPU = ("pytorch_dlprim", "pytorch-xpu", "pytorch-cuda", "rocm-pytorch")
"""PyTorch runs on the CPU by itself."""
_ALSO = {"wsl2": ("linux",)}
_DRIVERS = {"nvidia": "nvidia", "amd": "amd-rocm"}
_LEVEL_ZERO = "libze-intel-gpu1"
_ELSEWHERE = ("container", "conda", "source")
"""Ways that give OpenCL only inside a container or an environment, so not to a stack outside."""
_IN_THE_SAME_ENVIRONMENT = ("pocl", "pip")
"""Backend and how of the wheels that PyOpenCL finds where it is itself."""


def stacks_on(
    opencl: Sequence[Route], machine: Machine, tables: Tables, goal: Goal
) -> tuple[list[Route], list[Rejected]]:
    """Return the routes to a stack on top of `opencl`, and the stacks ruled out.

    Where none of the frameworks asked for runs on the GPU, the ways to plain OpenCL on it are
    returned too, for own kernels.
    """
    routes: list[Route] = []
    rejected: list[Rejected] = []
    below = [route for route in opencl if route.how not in _ELSEWHERE]
    for key in _STACKS[goal]:
        stack = tables.stacks()[key]
        if stack.vendor not in (None, machine.vendor or "intel"):
            continue  # no news on another vendor's GPU
        made, refused = _with(stack, below, machine)
        routes += made
        rejected += refused
    asked = {key for key, stack in tables.stacks().items() if is_asked(stack, goal)}
    if not any(route.uses_gpu and route.stack in asked for route in routes):
        routes += [route for route in opencl if route.uses_gpu]
    return routes, rejected


def _with(
    stack: Stack, opencl: Sequence[Route], machine: Machine
) -> tuple[list[Route], list[Rejected]]:
    """Return the routes to one stack, and what rules it out."""
    build = build_for(stack, machine)
    # The best way to each driver is enough.
    on_gpu = list({r.backend: r for r in reversed(opencl) if r.uses_gpu}.values())[::-1]
    refusal = _refusal(stack, machine, build)
    answers: list[Route | Rejected] = []
    if refusal is not None:
        backend = on_gpu[0].backend if on_gpu else "cpu"
        answers.append(_rejected(stack, backend, refusal, machine))
    elif build is not None and without_opencl(stack, machine):
        answers += through_windows(stack, build, support_for(stack, machine), machine)
    elif build is not None and stack.supports:
        answers += [on_route(route, stack, build, machine) for route in on_gpu]
        if not on_gpu and stack.cpu != "works":
            because = f"no OpenCL route reaches {machine.gpu_name}, and it needs one"
            answers.append(_rejected(stack, "cpu", because, machine))
    if (
        build is not None
        and runs_on(stack, machine)
        and stack.cpu == "works"
        and stack.stack not in _POINTLESS_ON_CPU
    ):
        answers += _on_cpu(opencl, stack, build, machine)
    if build is None and _hardware_refusal(stack, machine) is None:
        answers += from_source(stack, support_for(stack, machine), on_gpu, machine)
    routes = [answer for answer in answers if isinstance(answer, Route)]
    return routes, [answer for answer in answers if isinstance(answer, Rejected)]


def _refusal(stack: Stack, machine: Machine, build: StackBuild | None) -> str | None:
    """Return what rules the stack out; hardware first, because nothing mends that."""
    if not runs_on(stack, machine) and machine.system == "windows":
        return f"it runs on {', '.join(stack.systems)}, not on Windows"
    if not runs_on(stack, machine):
        return stack.problems[0] if stack.problems else "it does not run on Linux"
    hardware = _hardware_refusal(stack, machine) if stack.supports else None
    if hardware is not None or build is not None:
        return hardware
    if not _files(stack):
        return "clprobe knows no build of it that can be named; its own pages say how to build it"
    for_python = _for_python(stack, machine)
    if for_python:
        release = machine.distribution
        has = release.c_library if release is not None and release.c_library != "0" else "musl"
        needed = " or ".join(dict.fromkeys(in_words(b.glibc) for b in for_python))
        return f"its wheels are for glibc {needed}; {machine.os_name} has {has}"
    offered = ", ".join(dict.fromkeys(in_words(b.python) for b in _files(stack)))
    return f"its builds are for Python {offered}; {machine.os_name} has {machine.python}"


def runs_on(stack: Stack, machine: Machine) -> bool:
    """Whether the stack runs on the machine's operating system."""
    return not {machine.system, *_ALSO.get(machine.system, ())}.isdisjoint(stack.systems)


def _hardware_refusal(stack: Stack, machine: Machine) -> str | None:
    if not machine.has_gpu:
        return None if stack.cpu == "works" else "this machine has no GPU"
    if stack.vendor in _DRIVERS:
        return None
    if machine.generation is None:
        return f"whether it runs on {machine.gpu_name} is not known; the PCI id settles it"
    support = support_for(stack, machine)
    if support is None:
        return f"no table says whether it runs on {machine.gpu_name}"
    return support.because if support.outcome == "fails" else None


def on_route(route: Route, stack: Stack, build: StackBuild, machine: Machine) -> Route | Rejected:
    """Return the stack on top of one GPU route."""
    support = support_for(stack, machine)
    if support is None:
        because = f"no table says whether it runs on {machine.gpu_name}"
        return _rejected(stack, route.backend, because, machine)
    if support.via and route.backend not in support.via:
        because = f"it was seen running on {' and '.join(support.via)} only"
        return _rejected(stack, route.backend, because, machine)
    more: list[Step] = []
    has = {component.name for component in route.components}
    if stack.api == "level-zero" and _LEVEL_ZERO not in has:
        distribution = machine.distribution
        if distribution is None or _LEVEL_ZERO not in distribution.packages:
            because = f"{machine.os_name} does not package Intel's Level Zero driver {_LEVEL_ZERO}"
            return _rejected(stack, route.backend, because, machine)
        packages = [_LEVEL_ZERO, *(["libze1"] if "libze1" in distribution.packages else [])]
        more.append(steps.install(distribution, "Install Intel's Level Zero driver", packages))
    status: RouteStatus = route.status
    if support.outcome == "untested" or support.unverified or build.unverified:
        status = "unverified"
    return replace(
        route,
        stack=stack.stack,
        status=status,
        because=f"{sentence(stack.name + ': ' + support.because)} {route.because}",
        components=(*route.components, *stack_components(stack, build, machine)),
        steps=(*route.steps[:-1], *more, *stack_steps(stack, build, machine)),
        caveats=(*route.caveats, *stack_caveats(stack, build, machine)),
        sources=all_sources(route.sources, support.sources, build.sources, stack.sources[:1]),
        slower_than_cpu=support.slower_than_cpu,
        essential=(*route.essential, *stack_needs(stack, build, machine)),
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
                essential=stack_needs(stack, build, machine),
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
            essential=(*route.essential, *stack_needs(stack, build, machine)),
        )
        for route in routes[:1]
    ]


def _steps_on(route: Route, stack: Stack, build: StackBuild, machine: Machine) -> tuple[Step, ...]:
    """Return the steps of the route and then of the stack, its wheels beside the stack's own."""
    if (route.backend, route.how) != _IN_THE_SAME_ENVIRONMENT:
        return (*route.steps[:-1], *stack_steps(stack, build, machine))
    beside = [f"{one.name}=={one.version}" for one in route.components]
    return stack_steps(stack, build, machine, beside)


def support_for(stack: Stack, machine: Machine) -> StackSupport | None:
    """Return what the table says of the stack on this GPU; None: nothing."""
    if stack.vendor in _DRIVERS:
        return StackSupport(
            generations=(),
            outcome="untested",
            because=f"it is made for {machine.gpu_name}'s vendor; {stack.summary or ''}".strip(),
            via=(_DRIVERS[stack.vendor],),
            sources=stack.sources,
        )
    key = machine.generation.generation if machine.generation is not None else None
    return next((s for s in stack.supports if key in s.generations), None)


def _files(stack: Stack) -> list[StackBuild]:
    """Return the builds that can be named; others are known by hearsay only."""
    return [build for build in stack.builds if build.file is not None or stack.packages]


def build_for(stack: Stack, machine: Machine) -> StackBuild | None:
    """Return the newest build that the Python and the C library get, so far as they are known."""
    fitting = [build for build in _for_python(stack, machine) if _for_libc(build, machine)]
    if not fitting:
        return None
    known = [build for build in fitting if not build.unverified] or fitting
    best = newest([build.version for build in known], "pep440")
    return next(build for build in known if build.version == best)


def _for_python(stack: Stack, machine: Machine) -> list[StackBuild]:
    return [
        build
        for build in _files(stack)
        if machine.python is None or in_range(machine.python, build.python, "pep440")
    ]


def _for_libc(build: StackBuild, machine: Machine) -> bool:
    if machine.system == "windows":
        return True
    has = machine.distribution.c_library if machine.distribution is not None else None
    return has is None or in_range(has, build.glibc, "dotted")


def _rejected(stack: Stack, backend: str, because: str, machine: Machine) -> Rejected:
    support = support_for(stack, machine)
    more = support.sources if support is not None else ()
    return Rejected(
        backend=backend,
        stack=stack.stack,
        because=sentence(because),
        sources=all_sources(more or stack.sources),
    )
