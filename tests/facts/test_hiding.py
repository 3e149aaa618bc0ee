# SPDX-License-Identifier: MIT
"""`clprobe env` beside PyOpenCL's own loader, whose drivers no variable reaches."""

from typing import Any

import msgspec
import pytest

from clprobe.facts.derive import derive
from clprobe.facts.hiding import Choice, choose
from clprobe.knowledge.tables import Tables
from clprobe.model.errors import ClprobeError
from clprobe.model.snapshot import Snapshot

TABLES = Tables.load()
PLAIN = "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1"
WHEEL = "/venv/site-packages/pyopencl/.libs/libOpenCL.so.1"
BESIDE = "/venv/site-packages/pyopencl/.libs/pocl.icd"
SYSTEM = "/etc/OpenCL/vendors/broken.icd"
ANSWERS: dict[str, Any] = {
    "stage": "queries",
    "outcome": "ok",
    "platforms": [
        {"name": "Portable Computing Language", "devices": [{"name": "cpu", "type": "cpu"}]}
    ],
}


def _choose(system: dict[str, Any], beside: dict[str, Any], **options: tuple[str, ...]) -> Choice:
    """Return the choice where both loaders read SYSTEM, and the wheel's alone reads BESIDE."""
    snapshot = msgspec.convert(
        {
            "source": "live",
            "loaders": [
                {"path": PLAIN, "kind": "ocl-icd", "is_default": True},
                {"path": WHEEL, "kind": "pyopencl-wheel", "is_default": False},
            ],
            "icds": [
                {"path": SYSTEM, "library": {"path": "/usr/lib/libx.so"},
                 "searched_by": [PLAIN, WHEEL], "answer": system},
                {"path": BESIDE, "library": {"path": "/venv/libpocl.so"},
                 "searched_by": [WHEEL], "answer": beside},
            ],
        },
        Snapshot,
    )  # fmt: skip
    return choose(derive(snapshot, TABLES), **options)


CRASHES = {"stage": "load", "outcome": "crash", "signal": "SIGSEGV", "platforms": []}


def test_a_driver_beside_the_wheels_loader_is_neither_hidden_nor_kept_but_told() -> None:
    choice = _choose(CRASHES, ANSWERS)
    assert [one.icd for one in choice.hidden] == [SYSTEM]
    assert choice.kept == ()
    assert choice.apart == (BESIDE,)


def test_a_broken_driver_beside_the_wheels_loader_is_not_said_to_work() -> None:
    choice = _choose(ANSWERS, CRASHES)
    assert [one.icd for one in choice.kept] == [SYSTEM]
    assert (choice.hidden, choice.apart) == ((), ())


def test_whoever_names_a_driver_out_of_reach_is_told_which_ones_there_are() -> None:
    with pytest.raises(ClprobeError, match=SYSTEM):
        _choose(CRASHES, ANSWERS, only=("pyopencl",))
