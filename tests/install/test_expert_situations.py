# SPDX-License-Identifier: MIT
"""Plans for OpenCL against what those who maintain the drivers answer: expert_situations.yaml."""

from pathlib import Path

import pytest
import yaml

from clprobe.commands.pasted import pasted
from clprobe.install.machine import Wishes
from clprobe.install.planner import plan
from clprobe.install.target import Stated, described
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
SITUATIONS = yaml.safe_load(
    Path(__file__).with_name("expert_situations.yaml").read_text(encoding="utf-8")
)


def commands(route):
    argvs = (" ".join(step.argv) for step in route.steps)
    return "\n".join((*route.by_hand, *argvs, *pasted(route.steps)))


def text(route):
    titles = (step.title for step in route.steps)
    return "\n".join((route.because, commands(route), *titles, *route.caveats))


@pytest.mark.parametrize("asked", SITUATIONS, ids=lambda one: one["situation"])
def test_the_first_route_is_the_experts(asked):
    assert asked["source"].startswith("https://")
    stated = described(Stated(), TABLES, gpu=asked["gpu"], os=asked["os"], linux=asked.get("linux"))
    engine = asked.get("container")
    wishes = Wishes(engine=engine or "podman", contained=engine is not None)
    made = plan(stated, TABLES, asked.get("goal", "opencl"), wishes)
    first = made.routes[0]
    assert asked["first"] in (first.stack, first.backend), [
        (r.backend, r.status, r.how) for r in made.routes
    ]
    assert first.how == asked.get("how", first.how)
    assert first.status == asked.get("status", first.status)
    for wanted in asked.get("commands", ()):
        assert wanted in commands(first)
    for unwanted in asked.get("no_commands", ()):
        assert unwanted not in commands(first)
    for wanted in asked.get("says", ()):
        assert wanted.lower() in text(first).lower()
    for unwanted in asked.get("never_says", ()):
        assert unwanted.lower() not in text(first).lower()
    other = asked.get("other")
    if other is not None:
        found = [r for r in made.routes if r.backend == other["backend"]]
        assert any(all(w in commands(r) for w in other["commands"]) for r in found)
    for backend, wanted in asked.get("rejected", {}).items():
        assert any(r.backend == backend and wanted in r.because for r in made.rejected)
