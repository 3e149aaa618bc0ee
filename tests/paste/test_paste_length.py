# SPDX-License-Identifier: MIT
"""The work grows with a text's length and no faster, and a flood of facts is cut."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from pastes import read

LINES: dict[str, Callable[[int], str]] = {
    "messages": lambda at: f"foo: error {at} cannot open x",
    "the log": lambda at: f"[    1.{at:06d}] i915 0000:00:02.0: {at}",
    "packages": lambda at: f"ii  intel-{at} 1.{at} amd64 x",
    "prompts": lambda at: f"u{at}@h:~$ export OCL_ICD_VENDORS={at}",
    "errors of OpenCL": lambda at: f"prog{at}: clGetPlatformIDs failed -1001",
    "GPUs": lambda at: f"gpu: Intel Arc A{at}",
    "policies": lambda at: f"pkg{at}:\n  Installed: 1.{at}\n  Candidate: 2",
}


def _calls(text: str) -> int:
    count = 0

    def on_event(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    read(f"6.1.0-18-amd64\n{text}")  # what is compiled or cached once does not count
    sys.setprofile(on_event)
    try:
        read(f"6.1.0-18-amd64\n{text}")
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", LINES)
def test_twice_the_lines_are_no_more_than_twice_the_work(kind: str) -> None:
    once, twice = (_calls("\n".join(map(LINES[kind], range(n)))) for n in (600, 1200))
    assert twice < 2.2 * once


def test_a_flood_of_facts_is_cut_and_the_rest_is_listed() -> None:
    snapshot = read("\n".join(map(LINES["messages"], range(2000))))
    messages = snapshot.messages
    assert isinstance(messages, tuple)
    assert len(messages) + len(snapshot.unread) == 2000
    assert len(messages) == 500
