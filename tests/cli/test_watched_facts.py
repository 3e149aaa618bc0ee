# SPDX-License-Identifier: MIT
"""A watched program's own words count as an answer only where it asked OpenCL for something."""

import pytest

from clprobe.cli.watched_facts import with_program
from clprobe.model.opencl import Answer, View
from clprobe.model.program import Program
from clprobe.model.snapshot import Snapshot
from clprobe.watch.observe import Watched


@pytest.mark.parametrize(("calls", "outcome"), [(False, "ok"), (True, "no-devices")])
def test_what_asked_for_nothing_was_shown_nothing(calls: bool, outcome: str) -> None:
    program = Program(
        name="blender", key="blender", printed="No OpenCL devices found", calls_opencl=calls
    )
    host = Snapshot(views=(View(viewer="blender", answer=Answer(outcome="ok")),))
    facts = with_program(host, Watched(program, {}))
    assert isinstance(facts.views, tuple)
    assert facts.views[0].answer.outcome == outcome
