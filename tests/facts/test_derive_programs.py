# SPDX-License-Identifier: MIT
"""Known faults of programs' releases: shown words and versions decide together."""

import pytest

from clprobe.facts.derive_programs import judge_programs
from clprobe.knowledge.tables import Tables
from clprobe.model.opencl import Answer, View
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Package
from clprobe.model.unknown import NOT_STATED, Unknown

UNLINKED = "ld.lld: error: undefined hidden symbol: __ockl_get_group_id"
WITHOUT_CUDA = "but a CUDA-enabled jaxlib is not installed. Falling back to cpu."


def _jaxlib(manager: str) -> Snapshot:
    return Snapshot(packages=(Package(name="jaxlib", version="0.4.34", manager=manager),))


@pytest.mark.parametrize(("version", "applies"), [("v6.2.6", True), ("7.1.2", False)])
def test_a_stated_version_decides(version: str, applies: bool) -> None:
    view = View(viewer="hashcat", version=version, loader=None, answer=Answer())
    (fault,) = judge_programs(Snapshot(views=(view,)), UNLINKED, Tables.load())
    assert (fault.program, fault.applies) == ("hashcat", applies)


def test_telling_words_need_no_version() -> None:
    (fault,) = judge_programs(Snapshot(), UNLINKED, Tables.load())
    assert fault.applies is True
    assert isinstance(fault.version, Unknown)


def test_words_that_others_print_count_for_the_package_at_fault_alone() -> None:
    (conda,) = judge_programs(_jaxlib("conda"), WITHOUT_CUDA, Tables.load())
    (pip,) = judge_programs(_jaxlib("pip"), WITHOUT_CUDA, Tables.load())
    assert (conda.applies, pip.applies) == (True, NOT_STATED)


def test_nothing_printed_shows_no_fault() -> None:
    assert judge_programs(Snapshot(), "", Tables.load()) == ()
    assert judge_programs(Snapshot(), NOT_STATED, Tables.load()) == NOT_STATED
