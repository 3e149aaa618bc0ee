# SPDX-License-Identifier: MIT
"""Is OpenCL fine here? Healthy is earned: by every GPU there is, or it is called something else."""

from collections import Counter
from collections.abc import Sequence

from clprobe.facts.facts import Facts
from clprobe.model.finding import Status
from clprobe.model.unknown import Unknown, listed
from clprobe.ruleset.judge import Outcome


def status_of_working(facts: Facts) -> Status:
    """Return what a machine is on which nothing is wrong and nothing is left open.

    Where nobody says whether there is a GPU, nobody says either that the CPU is all there is.
    """
    no_gpu = not isinstance(facts.gpus, Unknown) and facts.opencl.any_gpu is False
    by_cpu = facts.opencl.usable_device is True and facts.opencl.gpu_device is not True
    return "cpu-only" if no_gpu and by_cpu else "healthy"


def unproven_gpus(outcomes: Sequence[Outcome], facts: Facts) -> list[Outcome]:
    """Return the questions whether a GPU has a device, where it may be one too many for all.

    GPUs of one kind cannot be told apart by their devices; as many devices are enough for them.
    """
    if isinstance(facts.devices, Unknown):
        return []  # whether there is any device at all is the question then
    # A symptom is about a GPU as a whole; other rules ask for a cause, which need not be there.
    open_ones = [one for one in outcomes if one.answer.truth is None and _is_symptom_of_gpu(one)]
    unclear = sum(isinstance(gpu.has_device, Unknown) for gpu in listed(facts.gpus))
    shown = Counter(one.platform for one in facts.devices if one.software is not True)
    if len(open_ones) == unclear and unclear <= max(shown.values(), default=0):
        return []
    return open_ones


def _is_symptom_of_gpu(outcome: Outcome) -> bool:
    loops = outcome.rule.loops
    about_gpu = bool(loops) and loops[0].path == "gpus" and bool(outcome.scope.variables)
    return about_gpu and outcome.rule.symptom
