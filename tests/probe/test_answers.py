# SPDX-License-Identifier: MIT
"""What a child's end says about the driver, and what it does not."""

from clprobe.model.unknown import Unknown
from clprobe.probe.host import ChildResult
from clprobe.probe.opencl.enumeration import answer_of


def test_a_child_that_cannot_be_started_tells_nothing_about_the_driver() -> None:
    answer = answer_of(ChildResult(ended="not-started", problem="Permission denied"), 1.0)

    assert answer.outcome == Unknown("the child process could not be started: Permission denied")
    assert isinstance(answer.stage, Unknown)
    assert isinstance(answer.platforms, Unknown)
