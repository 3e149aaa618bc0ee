# SPDX-License-Identifier: MIT
from typing import Any

import msgspec
import pytest

from clprobe.facts.derive import derive
from clprobe.facts.hardware_facts import IntelFacts
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import Unknown

TABLES = Tables.load()
MAINLINE = {"name": "intel-opencl-icd", "version": "25.18.33578.6-1"}
FEDORA_LEGACY = {"name": "intel-opencl", "version": "24.35.30872.24-1.fc42"}


def _intel(**facts: Any) -> IntelFacts:
    return derive(msgspec.convert(facts, Snapshot), TABLES).intel


def _known(fact: object) -> object:
    return "unknown" if isinstance(fact, Unknown) else fact


@pytest.mark.parametrize(
    ("package", "wanted"),
    [
        (MAINLINE, "libigc.so.2"),
        (FEDORA_LEGACY, "libigc.so.1"),
        ({"name": "intel-opencl-icd", "version": "24.45.31740.9"}, "libigc.so.2"),
        ({"name": "intel-opencl-icd", "version": "24.39.31294.12"}, "libigc.so.1"),
        ({"name": "intel-opencl-icd-legacy1", "version": "24.35.30872.45"}, "libigc.so.1"),
        ({"name": "intel-opencl-icd"}, "unknown"),
    ],
)
def test_each_release_opens_the_compiler_of_its_time(package: dict[str, str], wanted: str) -> None:
    assert _known(_intel(packages=[package]).compiler_wanted) == wanted


@pytest.mark.parametrize(
    ("others", "libraries", "fits"),
    [
        ([{"name": "intel-igc-core-2", "version": "2.10.8"}], {}, True),
        ([{"name": "intel-igc-core", "version": "1.0.17193.4"}], {}, False),
        ([{"name": "libigc2"}], {}, True),
        ([], {"libigc.so.2": None}, False),
        ([{"name": "intel-igc-core", "version": "1.0"}], {"libigc.so.2": "/x/libigc.so.2"}, True),
        ([], {}, "unknown"),
    ],
)
def test_the_linker_decides_before_packages_do(
    others: list[dict[str, str]], libraries: dict[str, str | None], fits: bool | str
) -> None:
    facts = _intel(packages=[MAINLINE, *others], libraries=libraries)
    assert _known(facts.compiler_fits) == fits


def test_an_upgrade_of_the_compiler_alone_is_told_from_one_of_both() -> None:
    now = [FEDORA_LEGACY, {"name": "intel-igc-core", "version": "1.0.2"}]
    before = [FEDORA_LEGACY, {"name": "intel-igc-core", "version": "1.0.1"}]

    def changed(earlier: list[dict[str, str]]) -> object:
        perspectives = [{"when": "before", "facts": {"packages": earlier}}]
        return _known(_intel(packages=now, perspectives=perspectives).compiler_changed_alone)

    assert (changed(before), changed(now), changed([])) == (True, False, "unknown")
    assert _intel(packages=now).compiler_changed_alone is False
