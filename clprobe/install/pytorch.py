# SPDX-License-Identifier: MIT
"""Puts deep-learning stacks on top of OpenCL routes, for `--goal pytorch`."""

from collections.abc import Sequence

from msgspec.structs import replace

from clprobe.engine.stack_table import Stack, StackBuild, StackSupport
from clprobe.engine.tables import Tables
from clprobe.engine.versions import in_range, in_words, newest
from clprobe.install import steps
from clprobe.install.machine import Machine
from clprobe.install.wording import sentence
from clprobe.model.finding import Source
from clprobe.model.plan import Component, Rejected, Route, RouteStatus, Step

STACKS = ("pytorch-xpu", "pytorch_dlprim", "clprobe-tensor", "torch-directml", "pytorch-cpu")
_ENVIRONMENT = "/opt/pytorch"
_LEVEL_ZERO = "libze-intel-gpu1"


def stacks_on(
    opencl: Sequence[Route], machine: Machine, tables: Tables
) -> tuple[list[Route], list[Rejected]]:
    """Return the routes to a training stack on top of `opencl`, and the stacks ruled out."""
    routes: list[Route] = []
    rejected: list[Rejected] = []
    for key in STACKS:
        stack = tables.stacks()[key]
        build = _build(stack, machine)
        on_gpu = [route for route in opencl if route.uses_gpu]
        refusal = _refusal(stack, machine, build)
        if refusal is not None:
            rejected.append(_rejected(stack, _backend(on_gpu), refusal, machine))
        elif build is not None and stack.supports:
            made = [_on(route, stack, build, machine) for route in on_gpu]
            routes += [answer for answer in made if isinstance(answer, Route)]
            rejected += [answer for answer in made if isinstance(answer, Rejected)]
            if not on_gpu and stack.cpu != "works":
                because = f"no OpenCL route reaches {machine.gpu_name}, and it needs one"
                rejected.append(_rejected(stack, "cpu", because, machine))
        if build is not None and stack.cpu == "works" and stack.stack != "pytorch_dlprim":
            routes += _on_cpu(opencl, stack, build, machine)
    return routes, rejected


def _refusal(stack: Stack, machine: Machine, build: StackBuild | None) -> str | None:
    """Return what rules the stack out; hardware first, because nothing mends that."""
    if "linux" not in stack.systems:
        return stack.problems[0] if stack.problems else "it does not run on Linux"
    hardware = _hardware_refusal(stack, machine) if stack.supports else None
    if hardware is not None or build is not None:
        return hardware
    offered = ", ".join(dict.fromkeys(in_words(b.python) for b in _files(stack)))
    return f"its builds are for Python {offered}; {machine.os_name} has {machine.python}"


def _hardware_refusal(stack: Stack, machine: Machine) -> str | None:
    if not machine.has_gpu:
        return None if stack.cpu == "works" else "this machine has no GPU"
    if machine.generation is None:
        return f"whether it runs on {machine.gpu_name} is not known; the PCI id settles it"
    support = _support(stack, machine)
    if support is None:
        return f"no table says whether it runs on {machine.gpu_name}"
    return support.because if support.outcome == "fails" else None


def _on(route: Route, stack: Stack, build: StackBuild, machine: Machine) -> Route | Rejected:
    """Return the stack on top of one GPU route."""
    support = _support(stack, machine)
    if support is None:
        because = f"no table says whether it runs on {machine.gpu_name}"
        return _rejected(stack, route.backend, because, machine)
    if support.via and route.backend not in support.via:
        because = f"it was seen running on {' and '.join(support.via)} only"
        return _rejected(stack, route.backend, because, machine)
    more: list[Step] = []
    if stack.api == "level-zero" and not _has_package(route, _LEVEL_ZERO):
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
        components=(*route.components, *_components(stack, build)),
        steps=(*route.steps[:-1], *more, *_stack_steps(stack, build, machine)),
        caveats=(*route.caveats, *_caveats(stack, build, machine)),
        sources=_sources(route.sources, support.sources, build.sources),
    )


def _on_cpu(
    opencl: Sequence[Route], stack: Stack, build: StackBuild, machine: Machine
) -> list[Route]:
    if stack.api == "none":
        return [
            Route(
                rank=0,
                backend="cpu",
                stack=stack.stack,
                uses_gpu=False,
                status="supported",
                because="It uses no GPU at all, and may well be the fastest of these.",
                components=_components(stack, build),
                steps=_stack_steps(stack, build, machine),
                caveats=_caveats(stack, build, machine),
                sources=stack.sources,
            )
        ]
    return [
        replace(
            route,
            stack=stack.stack,
            because=f"{sentence(stack.name + ' runs on any OpenCL device')} {route.because}",
            components=(*route.components, *_components(stack, build)),
            steps=(*route.steps[:-1], *_stack_steps(stack, build, machine)),
            caveats=(*route.caveats, *_caveats(stack, build, machine)),
            sources=_sources(route.sources, stack.sources),
        )
        for route in opencl
        if not route.uses_gpu
    ]


def _support(stack: Stack, machine: Machine) -> StackSupport | None:
    key = machine.generation.generation if machine.generation is not None else None
    return next((s for s in stack.supports if key in s.generations), None)


def _files(stack: Stack) -> list[StackBuild]:
    """Return the builds that can be named; others are known by hearsay only."""
    return [build for build in stack.builds if build.file is not None or stack.packages]


def _build(stack: Stack, machine: Machine) -> StackBuild | None:
    fitting = [
        build
        for build in _files(stack)
        if machine.python is None or in_range(machine.python, build.python, "pep440")
    ]
    if not fitting:
        return None
    known = [build for build in fitting if not build.unverified] or fitting
    best = newest([build.version for build in known], "pep440")
    return next(build for build in known if build.version == best)


def _stack_steps(stack: Stack, build: StackBuild, machine: Machine) -> tuple[Step, ...]:
    shipped = machine.distribution.python if machine.distribution is not None else None
    python = "python3" if machine.python in (None, shipped) else f"python{machine.python}"
    made: list[Step] = []
    if machine.distribution is not None and steps.uses_apt(machine.distribution):
        title = "Install Python's venv module"
        made.append(steps.install(machine.distribution, title, ("python3-venv",)))
    made.append(steps.make_environment(_ENVIRONMENT, python))
    if build.file is not None:
        made = [*steps.check_files(f"the releases of {stack.stack}", (build.file,)), *made]
        torch = [f"torch=={build.torch}.*", f"./{build.file}"]
    elif stack.stack == "pytorch-xpu":
        torch = [f"torch=={build.version}+xpu"]
    elif stack.stack == "pytorch-cpu":
        torch = [f"torch=={build.version}"]
    else:
        torch = list(stack.packages)
    made += steps.pip_install(_ENVIRONMENT, f"Install {stack.name}", torch)
    if stack.check is not None:
        argv = (f"{_ENVIRONMENT}/bin/python", "-c", stack.check)
        made.append(Step(title="See whether it works", argv=argv, needs_root=False))
    return tuple(made)


def _caveats(stack: Stack, build: StackBuild, machine: Machine) -> tuple[str, ...]:
    said = list(stack.problems)
    if build.file is not None:
        said.append("Fetch the wheel from the releases of the project by hand.")
    if stack.stack == "pytorch-xpu":
        said.append(
            "The +xpu builds are on PyTorch's own index: put the address that its page Getting "
            "Started on Intel GPU gives into PIP_EXTRA_INDEX_URL."
        )
    if machine.python is None:
        said.append(f"It needs Python {in_words(build.python)}.")
    return tuple(said)


def _components(stack: Stack, build: StackBuild) -> tuple[Component, ...]:
    name = stack.packages[0] if stack.packages else stack.stack
    return (Component(name=name, version=build.version, origin=build.file or "pip"),)


def _has_package(route: Route, name: str) -> bool:
    return any(component.name == name for component in route.components)


def _backend(routes: list[Route]) -> str:
    return routes[0].backend if routes else "cpu"


def _rejected(stack: Stack, backend: str, because: str, machine: Machine) -> Rejected:
    support = _support(stack, machine)
    more = support.sources if support is not None else ()
    return Rejected(
        backend=backend,
        stack=stack.stack,
        because=sentence(because),
        sources=_sources(more or stack.sources),
    )


def _sources(*groups: tuple[Source, ...]) -> tuple[Source, ...]:
    return tuple({source.url: source for group in groups for source in group}.values())
