# SPDX-License-Identifier: MIT
"""Steps of a test's own, really run by the functions that run a plan."""

from clprobe.apply.carry_out import carry_out
from clprobe.apply.person import find_person
from clprobe.apply.run import Here, job_of
from clprobe.apply.store import Store
from clprobe.apply.take_back import take_back
from clprobe.apply.work import Limits, Release, Work, new_journal
from clprobe.cli.progress import StepProgress
from clprobe.commands import commands
from clprobe.model.action import Command
from clprobe.model.plan import InstallPlan, Route, Target

HERE = Here("debian-12", Release("debian", "12"))
TARGET = Target(gpu="none", os="debian-12", linux=None, python=None, arch=None)


def step(*argv, undo=None, verify=None, needs_root=True):
    return of(Command(argv=argv, needs_root=needs_root, undo=undo, verify=verify))


def of(action):
    return commands.step("A step", action)


def plan_of(steps, *, backend="pocl"):
    route = Route(
        rank=1,
        backend=backend,
        stack=None,
        uses_gpu=False,
        status="supported",
        because="It is a test.",
        components=(),
        steps=tuple(steps),
    )
    return InstallPlan(target=TARGET, goal="opencl", routes=(route,), rejected=()), route


class Run:
    """A journal in `folder` that can be carried out, and taken back."""

    def __init__(self, folder, steps):
        self.store = Store(folder)
        self.person = find_person()
        self.journal = new_journal(job_of(*plan_of(steps), HERE), self.person)
        self.path = None

    def apply(self, **limits):
        return self._at_work(lambda work: carry_out(work, HERE.release), limits)

    def undo(self):
        return self._at_work(take_back, {})

    def _at_work(self, does, limits):
        with self.store.locked(1.0, print) as lock:
            self.path = self.path or self.store.new_path(self.journal)
            self.store.write(self.path, self.journal)
            work = Work(
                *(self.store, self.path, self.journal, StepProgress()),
                lock=lock,
                limits=Limits(**limits),
                person=self.person,
            )
            try:
                return does(work)
            finally:
                self.journal = work.journal

    def problem(self):
        found = [one.problem for one in self.journal.steps if one.problem is not None]
        assert len(found) == 1, found
        return found[0]

    def states(self):
        return [one.state for one in self.journal.steps]
