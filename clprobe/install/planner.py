# SPDX-License-Identifier: MIT
"""plan(): which routes lead to the goal on a machine, and what rules out the others."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from clprobe.compat.coverage import drives_gpus
from clprobe.compat.offers import Offer, elsewhere, on_conda, on_request, packaged
from clprobe.compat.resolve import considered
from clprobe.install import stacks
from clprobe.install.containers import contained, passed_in
from clprobe.install.judge import hopeless, judge, not_offered, on_gpu
from clprobe.install.machine import NO_WISHES, Machine, Wishes, look_up
from clprobe.install.ranking import in_order, narrowed, ranked
from clprobe.install.recipes import driver_from_source
from clprobe.install.target import Stated
from clprobe.install.windows import windows_driver
from clprobe.install.wording import ended
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import newest
from clprobe.model.action import Goal
from clprobe.model.plan import InstallPlan, Rejected, Route

_IN_BRANCHES = ("nvidia", "amd-rocm")
"""Their releases and repositories stand beside one another."""


def plan(
    stated: Stated, tables: Tables, goal: Goal = "opencl", wishes: Wishes = NO_WISHES
) -> InstallPlan:
    """Return all routes, best first, and everything that was rejected, with the reason.

    A route on the GPU ranks before any on the CPU; then what is supported comes first. A GPU's
    route that nobody has seen working ranks after the CPU's that do. Where a framework is the
    goal, the framework itself comes first, on the GPU where that was seen to work, else on the
    CPU. The same statements, tables and wishes always give the same plan.

    Raises: ClprobeError if the GPU stated is no known name, or one for several generations.
    """
    machine = look_up(stated, tables, wishes)
    # PyTorch on XPU needs what the release may lack, and others' repositories hold.
    lacks = goal != "opencl" and stacks.level_zero(machine, tables).problem is not None
    routes, rejected = _opencl(machine, tables, (stacks.LEVEL_ZERO,) if lacks else ())
    routes += windows_driver(machine)
    if goal != "opencl":
        opencl = ranked(routes, "opencl", tables)
        routes, refused = stacks.stacks_on(opencl, machine, tables, goal)
        rejected += refused
    routes, refused = narrowed(routes, machine)
    return InstallPlan(
        target=replace(stated.target, arch=machine.arch),
        goal=goal,
        routes=_told_of_end(
            passed_in(ranked(routes, goal, tables, contained=wishes.contained), machine, tables),
            machine,
        ),
        rejected=tuple(dict.fromkeys(rejected + refused)),
    )


def _told_of_end(routes: Sequence[Route], machine: Machine) -> tuple[Route, ...]:
    """Return the routes, each with a first word on a release that gets no updates any more."""
    said = ended(machine.distribution)
    if said is None:
        return tuple(routes)
    return tuple(
        replace(one, caveats=(said, *one.caveats), essential=(said, *one.essential))
        for one in routes
    )


def _opencl(
    machine: Machine, tables: Tables, beyond: Collection[str] = ()
) -> tuple[list[Route], list[Rejected]]:
    """Return the ways to OpenCL; those implementations are looked for beyond the release, too."""
    routes: list[Route] = []
    rejected: list[Rejected] = []
    for implementation in in_order(tables):
        never = hopeless(implementation, machine)
        if never is not None:
            rejected.append(never)
            continue
        further = implementation.implementation in beyond
        answers = _answers(implementation, machine, tables, beyond=further)
        wanted = bool(implementation.kernel_drivers and machine.chips)
        own = packaged(implementation, machine.distribution) or on_request(
            implementation, machine.distribution
        )
        if not own and (wanted or not answers):
            rejected.append(not_offered(implementation, machine, tables))
        routes += [answer for answer in answers if isinstance(answer, Route)]
        rejected += [answer for answer in answers if isinstance(answer, Rejected)]
    return routes, rejected


def _answers(
    implementation: Implementation, machine: Machine, tables: Tables, *, beyond: bool
) -> list[Route | Rejected]:
    """Return what each offer gives."""

    def ask(offers: list[Offer]) -> list[Route | Rejected]:
        return [judge(offer, implementation, machine) for offer in offers]

    release = machine.distribution
    if not drives_gpus(implementation):
        # What runs on the CPU can be had without root, too.
        more = elsewhere(implementation, release, tables) + on_conda(implementation, tables)
        return ask(packaged(implementation, release) + more)
    found = considered(implementation, machine.gpus, machine.place, tables, beyond=beyond)
    answers = _newest_alone(
        [on_gpu(offer, summary, implementation, machine) for offer, summary in found]
    )
    at_hand = any(offer.is_at_hand and summary.verdict != "no" for offer, summary in found)
    # Without an image of the release, its packages are what goes into the person's own container.
    has_image = release is not None and release.image is not None
    if at_hand and not (machine.wishes.contained and has_image):
        return answers
    # The container touches the host least, so it stands beside whatever else there is.
    answers += ask(contained(implementation, machine, tables))
    return answers if at_hand else [*answers, *driver_from_source(implementation, machine)]


def _newest_alone(answers: list[Route | Rejected]) -> list[Route | Rejected]:
    """Return the answers with NVIDIA's or AMD's newest driver alone, where several do."""
    named = [a for a in answers if isinstance(a, Route) and a.backend in _IN_BRANCHES]
    # What a person writes is a way of its own beside what a package manager installs.
    for ways in (("package", "repository"), ("by-hand",)):
        answers = _newest_of([a for a in named if a.how in ways], answers)
    return answers


def _newest_of(routes: list[Route], answers: list[Route | Rejected]) -> list[Route | Rejected]:
    """Return the answers without those of the routes that are not the newest of them."""
    versions = [version for route in routes if (version := route.components[0].version)]
    if not versions or len(versions) < len(routes):
        # One of a repository that nobody looked at is the newest there is.
        return [a for a in answers if a not in routes or a.components[0].version is None]
    best = newest(versions, "debian")
    return [a for a in answers if a not in routes or a.components[0].version == best]
