# SPDX-License-Identifier: MIT
"""Tries a device before anything is timed: it must wait, do what it is told, and tell the time."""

from dataclasses import dataclass

import pyopencl as cl

from clprobe.bench.trust.clock import problem_of_clock, problem_of_frequency
from clprobe.bench.trust.commands import problem_of_commands
from clprobe.bench.trust.waits import STALE, problem_of_waits
from clprobe.bench.trust.work import Work
from clprobe.tensor import Device

_SECONDS = 0.015


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it, in words; "": nothing is wrong.

    `wrong`: what it leaves undone; `early`: which wait does not wait, so that no figure could be
    believed; `clock`: why its kernel times cannot; `frequency`: why what it could do by its clock
    cannot.
    """

    wrong: str = ""
    early: str = ""
    clock: str = ""
    frequency: str = ""

    @property
    def refuses(self) -> bool:
        """Return whether nothing is to be timed."""
        return bool(self.wrong or self.early)

    @property
    def remark(self) -> str:
        """Return what is left out of the figures of a device that is timed."""
        clock = self.clock and f"its kernel times are refused, as by its clock {self.clock}"
        frequency = self.frequency and f"its data sheet is refused, as {self.frequency}"
        return " ".join(filter(None, (clock, frequency)))


NOT_TRIED = Trial()


def tried(device: Device) -> Trial:
    """Return whether a device's times can be believed.

    A device that cannot do so much is not judged: the workloads will tell.
    """
    frequency = problem_of_frequency(device.cl_device)
    work = Work.of(device)
    if work is None:
        return Trial(frequency=frequency)
    try:
        wrong = problem_of_commands(device)
        if not wrong and not work.lengthen(_SECONDS):
            wrong = STALE.format(named="a kernel")
        if wrong:
            return Trial(wrong=wrong)
        early = problem_of_waits(work)
        clock = "" if early else problem_of_clock(work)
    except cl.Error:
        return Trial(frequency=frequency)
    return Trial(early=early, clock=clock, frequency=frequency)
