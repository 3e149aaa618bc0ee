# SPDX-License-Identifier: MIT
"""Which of several GPUs of one machine, or of one name, a plan is for."""

from collections.abc import Sequence

from msgspec.structs import replace

from clprobe.install.machine import NO_WISHES, Wishes, look_up
from clprobe.install.planner import plan
from clprobe.install.stated_gpu import is_inside_processor
from clprobe.install.target import Stated
from clprobe.knowledge.family_table import Family
from clprobe.knowledge.tables import Tables
from clprobe.model.action import Goal
from clprobe.model.plan import InstallPlan, Route

_MAKERS = {"nvidia": 0, "intel": 0, "amd": 1}
"""Whose GPU is the likeliest to be a card of its own, where there are several: many of AMD's are
inside processors; Intel's that are come last."""


def each_candidate(stated: Stated, tables: Tables) -> list[Stated]:
    """Return what is stated with each GPU that a plan may be for.

    Those of the machine in turn, its first one first; of a name that means several families each of
    them, the newest first.
    """
    gpus = [stated, *(replace(stated, gpu=other) for other in stated.others)]
    return [meant for one in gpus for meant in _each_meaning(one, tables)]


def best_of(
    each: Sequence[Stated], tables: Tables, goal: Goal, wishes: Wishes = NO_WISHES
) -> tuple[Stated, InstallPlan]:
    """Return what is planned for and its plan, of what is stated with one GPU after another.

    A GPU that a route drives comes before one that none does, a card before a GPU inside a
    processor; between equals the first.

    Raises: ClprobeError if the name of one of them means nothing, or several generations.
    """
    plans = [(one, plan(one, tables, goal, wishes)) for one in each]
    return min(plans, key=lambda pair: (_reached(pair[1]), _preference(pair[0], tables)))


def said_of_others(planned: Stated, each: Sequence[Stated]) -> str | None:
    """Return a sentence that names the GPUs that are not planned for; None: there are none."""
    gpus = [one.gpu for one in each if one.gpu is not None and one.gpu != planned.gpu]
    if planned.gpu is not None and planned.gpu.family is not None:
        also = " and ".join(one.text for one in gpus if one.name == planned.gpu.name)
        return (
            f"{planned.gpu.name} is the name of several GPUs. Planned for {planned.gpu.text}, not "
            f"{also}: lspci -nn shows the PCI id of yours, --gpu takes it."
        )
    names = [gpu.name for gpu in gpus if gpu.nothing_because is None]
    if not names or planned.gpu is None:
        return None
    ways = ", ".join(f'--gpu "{name}"' for name in names)
    return f"Planned for {planned.gpu.name}, one of {len(names) + 1} GPUs; for the rest: {ways}."


def _each_meaning(stated: Stated, tables: Tables) -> list[Stated]:
    gpu = stated.gpu
    families = tables.named_gpu(gpu.name).families if gpu is not None else ()
    if gpu is None or len(families) < 2 or gpu.pci_ids:
        return [stated]
    return [
        replace(stated, gpu=replace(gpu, family=one.family, text=f"{gpu.name}, {one.name}"))
        for one in sorted(families, key=_newest_id, reverse=True)
    ]


def _newest_id(family: Family) -> int:
    """Return a number that grows with the year, as PCI ids nearly do."""
    return max((number for number, _ in family.ids()), default=0)


def _reached(made: InstallPlan) -> int:
    """Return 0 if the best route uses the GPU as it should, 1 if it may or half, 2 if none does."""
    first: Route | None = next(iter(made.routes), None)
    if first is None or not first.uses_gpu:
        return 2
    return int(first.status != "supported")


def _preference(stated: Stated, tables: Tables) -> int:
    """Return a number that is the lower, the likelier the GPU is a card of its own."""
    machine = look_up(stated, tables)
    inside = stated.gpu is not None and is_inside_processor(stated.gpu, tables)
    others = max(_MAKERS.values()) + 1
    return _MAKERS.get(machine.vendor or "", others) + (others + 1) * inside
