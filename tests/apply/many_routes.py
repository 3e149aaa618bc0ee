# SPDX-License-Identifier: MIT
"""Routes of many plans: between them steps of every type that plans hold."""

import functools
import itertools

from clprobe.install.machine import Wishes
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables

_GPUS = ("8086:0416", "8086:3e92", "8086:e20b", "1002:73bf", "10de:2684", "none")
_SYSTEMS = ("debian-11", "debian-12", "ubuntu-24.04", "fedora-42", "arch-rolling", "windows-11")
_WISHES = (
    Wishes(),
    Wishes(root=False, wheels="/wheels"),
    Wishes(engine="docker"),
    Wishes(engine="distrobox"),
)


@functools.cache
def many_routes():
    """Return each with its plan."""
    tables = Tables.load()
    known = {release.key for release in tables.distributions()}
    systems = [one for one in _SYSTEMS if one in known or one.startswith("windows")]
    found = []
    for gpu, system, goal, wishes in itertools.product(
        _GPUS, systems, ("opencl", "pytorch"), _WISHES
    ):
        target = described(Stated(), tables, gpu=gpu, os=system)
        made = plan(target, tables, goal, wishes)
        found += [(made, route) for route in made.routes if route.steps]
    return found
