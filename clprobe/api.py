# SPDX-License-Identifier: MIT
# ruff: noqa: PLC0415 - a program that reads a snapshot need not wait for what looks at a host
"""What other programs call: the facts, the diagnosis and the plan, as typed values.

These are the functions behind `clprobe snapshot`, `doctor` and `install-plan`; they print nothing,
change nothing on the host, and raise ClprobeError for what a user can mend.
"""

import os as operating_system
from collections.abc import Collection
from typing import Literal

from clprobe.model.action import Goal
from clprobe.model.errors import ClprobeError
from clprobe.model.finding import Diagnosis, Finding
from clprobe.model.plan import InstallPlan, Route
from clprobe.model.snapshot import Snapshot

__all__ = [
    "ClprobeError",
    "Diagnosis",
    "Finding",
    "InstallPlan",
    "Route",
    "Snapshot",
    "diagnose",
    "plan",
    "snapshot",
]

Source = str | operating_system.PathLike[str]


def snapshot(
    source: Source | None = None, *, timeout_s: float = 10.0, run_kernels: bool = True
) -> Snapshot:
    """Return the facts of this host, or those in a file: a snapshot, or whatever people paste.

    They are scrubbed of names and numbers that tell who somebody is. Drivers are asked in child
    processes, none for longer than `timeout_s`; `run_kernels` has each device run a small kernel.

    Raises: ClprobeError if the file cannot be read or says nothing that clprobe knows.
    """
    if source is not None:
        from clprobe.cli.sources import read_snapshot

        return read_snapshot(operating_system.fspath(source))
    from clprobe.probe.collect import collect
    from clprobe.probe.live_host import LiveHost
    from clprobe.scrub import scrub_here

    host = LiveHost()
    return scrub_here(collect(host, timeout_s=timeout_s, run_kernels=run_kernels), host)


def diagnose(facts: Snapshot | None = None, *, ignored: Collection[str] = ()) -> Diagnosis:
    """Return what is wrong with OpenCL, why, and what mends it; without facts, on this host.

    `ignored` are ids of rules whose findings do not count.
    """
    from clprobe.diagnosis.diagnose import diagnose as diagnosed
    from clprobe.diagnosis.knowledge import Knowledge

    facts = snapshot() if facts is None else facts
    return diagnosed(facts, Knowledge.load(), ignored=ignored)


def plan(  # noqa: PLR0913 - one parameter for each option of the command
    facts: Snapshot | None = None,
    *,
    gpu: str | None = None,
    os: str | None = None,
    linux: str | None = None,
    python: str | None = None,
    cpu: str | None = None,
    goal: Goal = "opencl",
    want: Literal["gpu", "cpu"] | None = None,
    root: bool = True,
    third_party: bool = True,
) -> InstallPlan:
    """Return the routes to OpenCL or PyTorch, best first, and what cannot work, with the reasons.

    Without facts it is for this host, unless `gpu` and `os` name another; each of the names, as the
    options of `clprobe install-plan` take it, replaces what the facts say. `want`, `root` and
    `third_party` narrow the routes down.

    Raises: ClprobeError if a name means nothing to clprobe, or a GPU's name several generations.
    """
    from clprobe.install.installed import with_installed
    from clprobe.install.machine import Wishes
    from clprobe.install.several import best_of, each_candidate
    from clprobe.install.target import Stated, described, of_snapshot
    from clprobe.knowledge.tables import Tables

    tables = Tables.load()
    ours = None
    if facts is None and (gpu is None or os is None):
        from clprobe.cli.plan_options import our_python
        from clprobe.probe.for_plan import facts_for_plan

        facts, ours = facts_for_plan(), our_python()
    base = Stated() if facts is None else of_snapshot(facts, tables, python=ours)
    one = described(base, tables, gpu=gpu, os=os, linux=linux, python=python, cpu=cpu)
    wishes = Wishes(want=want, root=root, third_party=third_party)
    _, made = best_of(each_candidate(one, tables), tables, goal, wishes)
    return made if facts is None or os is not None else with_installed(made, facts)
