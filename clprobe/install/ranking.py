# SPDX-License-Identifier: MIT
"""Puts routes in order: what the user gets first, then what it costs, and says why.

Those that the person does not want are taken out, each with the wish that took it out.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from clprobe.install.machine import Machine
from clprobe.install.wording import sentence
from clprobe.knowledge.stack_table import Stack
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Goal
from clprobe.model.plan import Component, How, Rejected, Route, RouteStatus

# Best first where everything else is the same; others come after these.
_BACKENDS = (
    *("windows-driver", "compute-runtime", "compute-runtime-legacy1", "rusticl", "beignet"),
    *("nvidia", "amd-rocm", "pocl", "intel-cpu", "direct3d12", "cpu"),
)
STACKS = (
    *("pytorch-xpu", "pytorch-cuda", "rocm-pytorch", "pytorch_dlprim", "torch-directml"),
    *("pytorch-cpu", "openvino", "onnxruntime-openvino", "llama-cpp", "clprobe-tensor"),
    *("tinygrad", "netcl"),
)
_STATUS: dict[RouteStatus, str] = {
    "supported": "is supported",
    "workaround": "is a workaround",
    "unverified": "is unverified",
}
_HOW: dict[How, str] = {
    "included": "needs no driver of its own",
    "package": "comes from the distribution's packages",
    "backports": "comes from the distribution's backports",
    "pip": "comes as wheels",
    "conda": "comes from conda-forge",
    "file": "comes as files fetched by hand",
    "repository": "adds a third-party repository",
    "container": "runs in a container",
    "source": "is built from source",
    "by-hand": "has no commands here",
}
_FOREIGN = {"repository": "a foreign repository", "conda": "the channel conda-forge"}


class Criterion(NamedTuple):
    """What a route is measured by: smaller is better, `said` completes "It …"."""

    value: int
    said: str


def ranked(
    routes: Sequence[Route], goal: Goal, tables: Tables, *, contained: bool = False
) -> tuple[Route, ...]:
    """Return the routes in order, each with its rank and why it stands there.

    `contained`: those in a container come first, as far as plain OpenCL is the goal.
    """
    inside = contained and goal == "opencl"
    measured = [
        ([_asked(route, inside), *_criteria(route, goal, tables)], route) for route in routes
    ]
    measured.sort(key=lambda pair: [one.value for one in pair[0]])
    made: list[Route] = []
    for rank, (criteria, route) in enumerate(measured, 1):
        ahead = measured[rank - 2] if rank > 1 else None
        made.append(replace(route, rank=rank, ranking=_said(criteria, ahead)))
    return tuple(made)


def in_order(tables: Tables) -> list[Implementation]:
    """Return all implementations, best first where everything else is the same."""
    return sorted(tables.implementations().values(), key=lambda one: _place(one.implementation))


def _place(backend: str) -> int:
    return _BACKENDS.index(backend) if backend in _BACKENDS else len(_BACKENDS)


def _said(criteria: list[Criterion], ahead: tuple[list[Criterion], Route] | None) -> str:
    """Say what the route is, and what puts it behind the one before it."""
    said = list(dict.fromkeys(one.said for one in criteria if one.said))
    text = sentence("It " + ", ".join(said))
    if ahead is None:
        return text
    pairs = zip(ahead[0], criteria, strict=True)
    better = next(((a, b) for a, b in pairs if a.value != b.value and a.said and b.said), None)
    if better is None:
        return text
    return f"{text} The route before it {better[0].said}."


def _criteria(route: Route, goal: Goal, tables: Tables) -> list[Criterion]:
    unseen = route.status == "unverified" and not _is_vendors_own(route, tables)
    tested = Criterion(int(unseen), "is untested" if unseen else "is tested")
    root = any(step.needs_root for step in route.steps)
    count = len(route.components)
    asked = "1 package and what it needs" if count == 1 else f"{count} packages and what they need"
    return [
        tested if goal == "opencl" else _learning(route, goal, tables),
        Criterion(int(not route.uses_gpu), f"uses the {'GPU' if route.uses_gpu else 'CPU'}"),
        _images(route, tables),
        Criterion(list(_STATUS).index(route.status), _STATUS[route.status]),
        _maintained(route, tables),
        Criterion(STACKS.index(route.stack) if route.stack is not None else len(STACKS), ""),
        Criterion(_place(route.backend), ""),
        Criterion(list(_HOW).index(route.how), _HOW[route.how]),
        Criterion(int(root), "needs root" if root else "needs no root"),
        Criterion(count, f"asks for {asked}"),
    ]


def _asked(route: Route, inside: bool) -> Criterion:
    """Measure by whether it runs in a container, where the person asks for that."""
    if not inside:
        return Criterion(0, "")
    if route.how == "container":
        return Criterion(0, "runs in a container, as asked")
    return Criterion(1, "is not in a container")


def _is_vendors_own(route: Route, tables: Tables) -> bool:
    """Whether a maintained driver is known to drive the GPU, and only the way to it is untested."""
    implementation = tables.implementation(route.backend)
    maintained = implementation is not None and implementation.maintained
    return route.uses_gpu and route.is_known and maintained and route.how != "source"


def is_asked(stack: Stack, goal: Goal) -> bool:
    """Whether a goal that is no plain OpenCL asks for this kind of stack."""
    return stack.framework == "pytorch" if goal == "pytorch" else stack.purpose == "inference"


def _learning(route: Route, goal: Goal, tables: Tables) -> Criterion:
    """Measure by the framework first: the one asked for, on the GPU if that was seen to help."""
    stack = tables.stacks().get(route.stack) if route.stack is not None else None
    if stack is None:
        return Criterion(9, "gives plain OpenCL, without a framework")
    asked = is_asked(stack, goal)
    what = "PyTorch itself" if goal == "pytorch" else "a framework made for inference"
    gives = f"is {what}" if asked else "is another framework than PyTorch"
    if goal == "inference" and not asked:
        gives = "is made for training"
    seen = route.status != "unverified" or route.is_known
    if asked and route.slower_than_cpu:
        return Criterion(4, f"{gives} on the GPU, reported slower than the CPU")
    if asked and route.uses_gpu and (stack.is_dormant or not seen):
        dormant = "by a project that is no longer maintained"
        return Criterion(
            3, f"{gives} on the GPU, {dormant if stack.is_dormant else 'unseen so far'}"
        )
    if asked and route.uses_gpu:
        return Criterion(int(route.how == "by-hand"), f"{gives} on the GPU")
    if not asked and route.uses_gpu and seen and stack.framework == "pytorch":
        return Criterion(1, f"{gives} and runs models on the GPU as well")
    return Criterion(2 if asked else 5, f"{gives} on the CPU" if asked else gives)


def _images(route: Route, tables: Tables) -> Criterion:
    """Measure by whether kernels can use images, without which many programs take no device."""
    implementation = tables.implementation(route.backend)
    if implementation is None or implementation.images is not False:
        return Criterion(0, "")
    return Criterion(1, "has no images, which many programs ask for")


def _maintained(route: Route, tables: Tables) -> Criterion:
    implementation = tables.implementation(route.backend)
    if implementation is None or implementation.maintained:
        return Criterion(0, "has a maintained driver" if implementation is not None else "")
    return Criterion(1, "has a driver that nobody maintains any more")


class FilesOfOthers(Component, frozen=True, kw_only=True):
    """A package whose files are to be fetched from another vendor than the distribution's."""


class WheelOfOthers(Component, frozen=True, kw_only=True):
    """A wheel that is to be fetched from its project, because no index has it."""


def narrowed(routes: Sequence[Route], machine: Machine) -> tuple[list[Route], list[Rejected]]:
    """Return the routes that fit the wishes, and those that they took out."""
    judged = [(route, _against(route, machine)) for route in routes]
    rejected = [
        Rejected(
            backend=route.backend,
            stack=route.stack,
            because=sentence(because),
            sources=route.sources,
            how=route.how,
        )
        for route, because in judged
        if because is not None
    ]
    return [route for route, because in judged if because is None], rejected


def _against(route: Route, machine: Machine) -> str | None:
    wishes = machine.wishes
    if wishes.want is not None and route.uses_gpu is not (wishes.want == "gpu"):
        return f"narrowed by --want {wishes.want}: it uses the {'GPU' if route.uses_gpu else 'CPU'}"
    if not wishes.root:
        step = next((step for step in route.steps if step.needs_root), None)
        if step is not None:
            return f"narrowed by --no-root: a step of it needs root ({step.title})"
    if wishes.wheels is not None and route.how == "conda":
        return "narrowed by --offline-wheels: conda asks the channel conda-forge for its packages"
    if not wishes.third_party:
        foreign = _foreign(route)
        if foreign is not None:
            return f"narrowed by --no-third-party: it brings {foreign}"
    return None


def _foreign(route: Route) -> str | None:
    """Return what the route brings that is neither the distribution's nor an index of Python's."""
    if route.how in _FOREIGN:
        return _FOREIGN[route.how]
    for component in route.components:
        if isinstance(component, WheelOfOthers):
            return f"the file {component.origin}"
        if isinstance(component, FilesOfOthers):
            return f"files of {component.origin}"
    return None
