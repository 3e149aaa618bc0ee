# SPDX-License-Identifier: MIT
"""Each cell of the support matrix has an answer, and cells worked out by hand say what they must.

support_cells.txt beside this file says what the cells follow from.
"""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import msgspec
import pytest

from clprobe.compat.support import Support, support
from clprobe.knowledge.table_types import LinuxVersions
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
GENERATIONS = ("Gen6", "Gen7", "Gen7.5", "Gen8", "Gen9", "Gen9.5", "Gen11", "Gen12/Xe-LP",
    "Xe-HPG", "Xe-LPG", "Xe2", "Xe3")  # fmt: skip
BY_KEY = {release.key: release for release in TABLES.distributions()}
RELEASES = tuple(BY_KEY)
ASKED = (
    *(f"debian-{name}" for name in ("11", "12", "13", "sid")),
    *(f"ubuntu-{year}.04" for year in range(18, 27) if year != 19),
    *(f"ubuntu-{year}.10" for year in range(20, 26)),
    *(f"fedora-{name}" for name in range(40, 44)),
    *(f"rhel-{name}" for name in range(8, 11)),
    *("arch-rolling", "opensuse-tumbleweed", "opensuse-leap-15.6", "opensuse-leap-16.0"),
    *("alpine-edge", "alpine-3.24", "nixos-unstable", "conda-forge-rolling"),
)
"""What issue 4 asks for; 18.10 to 19.10 are as old as 18.04 and nobody has their lists."""

YES, NO, OPEN = "supported", "not_supported", "unverified"
ORACLE = Path(__file__).with_name("support_cells.txt").read_text(encoding="utf-8")
STATUS = {"yes": YES, "no": NO, "open": OPEN}
CELLS = [line.split() for line in ORACLE.splitlines() if not line.startswith("#")]


def cell(generation: str, release: str, implementation: str) -> Support:
    found, entry = TABLES.generation(generation), TABLES.implementation(implementation)
    assert found is not None
    assert entry is not None
    return support(found, BY_KEY[release], entry, TABLES)


def test_all_that_is_asked_for_is_in_the_tables() -> None:
    assert set(GENERATIONS) <= set(TABLES.generations())
    assert set(ASKED) <= set(RELEASES)


@pytest.mark.parametrize("release", RELEASES)
def test_no_cell_is_blank(release: str) -> None:
    for generation in TABLES.generations():
        for implementation in TABLES.implementations():
            answer = cell(generation, release, implementation)
            assert answer.status in (YES, NO, OPEN)
            assert answer.sources, answer
            for source in answer.sources:
                assert re.match(r"https://[^/ ]+\.[a-z]+(/\S*)?$|pkg:\w+/\S+$", source.url), source
                assert date.fromisoformat(str(source.checked)) <= date.max, source
            if answer.status == YES:
                # What its makers recommend in a repository of theirs is the newest there is.
                assert answer.version or answer.pocket in ("repository", "by-hand"), answer
                assert answer.package, answer
                assert answer.origin, answer
            if answer.status == OPEN:
                assert answer.next_step, answer


def test_most_of_what_is_asked_for_is_settled() -> None:
    answers = [
        cell(generation, release, implementation)
        for generation in GENERATIONS
        for release in ASKED
        for implementation in TABLES.implementations()
    ]
    count = Counter(answer.status for answer in answers)
    of_gpus = [answer for answer in answers if answer.device == "gpu"]

    assert count[OPEN] < len(answers) * 0.10, count
    assert sum(answer.status == OPEN for answer in of_gpus) < len(of_gpus) * 0.07
    assert count[YES] > len(answers) * 0.10, count


def test_what_runs_on_the_cpu_says_so() -> None:
    for implementation in ("pocl", "intel-cpu", "oclgrind"):
        for release in RELEASES:
            answer = cell("Xe2", release, implementation)
            assert answer.device == "cpu"
            if answer.status == YES:
                assert "on the CPU" in answer.reason


@pytest.mark.parametrize("release", RELEASES)
def test_every_reason_is_a_sentence(release: str) -> None:
    for generation in GENERATIONS:
        for implementation in TABLES.implementations():
            answer = cell(generation, release, implementation)
            for text in (answer.reason, *answer.notes, answer.next_step or "So it is."):
                assert text.endswith("."), text
                assert not text.endswith(".."), text
                assert len(text.split()) >= 3, text
                assert "None" not in text, text
                assert ": :" not in text, text
                assert "  " not in text, text


@pytest.mark.parametrize(
    ("generation", "release", "implementation", "status", "version"),
    CELLS,
    ids=[" ".join(line[:3]) for line in CELLS],
)
def test_a_cell_worked_out_by_hand(
    generation: str, release: str, implementation: str, status: str, version: str
) -> None:
    answer = cell(generation, release, implementation)

    assert answer.status == STATUS[status], answer
    if version != "-":
        assert version in (answer.version or ""), answer


def test_what_the_release_lacks_is_said_before_where_else_it_is() -> None:
    answer = cell("Gen7.5", "debian-12", "beignet")

    assert answer.reason.startswith("Debian 12 (bookworm) does not package Beignet")
    assert answer.origin == "files of debian-11"


def test_a_driver_that_is_too_old_names_the_version_that_is_needed() -> None:
    answer = cell("Xe2", "ubuntu-24.04", "compute-runtime")

    assert "23.43.27642.40" in answer.reason
    assert "24.31.30508.5" in answer.reason
    assert "ppa:kobuk-team/intel-graphics" in answer.reason


def test_a_linux_that_is_too_old_rules_out_a_driver_that_is_not() -> None:
    release = BY_KEY["ubuntu-26.04"]

    old = msgspec.structs.replace(release, linux=LinuxVersions(default="6.5"))
    found, entry = TABLES.generation("Xe2"), TABLES.implementation("compute-runtime")
    assert found is not None
    assert entry is not None
    answer = support(found, old, entry, TABLES)

    assert answer.status == NO
    assert "no Linux of the release binds it" in answer.reason


def test_what_needs_the_newer_linux_of_a_release_says_so() -> None:
    answer = cell("Xe3", "debian-13", "rusticl")

    assert "7.3.4 of its backports" in answer.reason
    assert "RUSTICL_ENABLE=iris" in " ".join(answer.notes)


def test_a_flaw_of_a_version_on_the_hardware_is_told() -> None:
    assert any("GTT" in note for note in cell("Xe-HPG", "debian-12", "compute-runtime").notes)


@pytest.mark.parametrize("release", RELEASES)
def test_what_is_supported_drives_some_of_the_chips(release: str) -> None:
    for generation in GENERATIONS:
        for implementation in TABLES.implementations():
            answer = cell(generation, release, implementation)
            without = re.search(r"without (\d+) of its (\d+) PCI ids", answer.reason)
            assert without is None or int(without[1]) < int(without[2]), answer


def test_a_build_that_kept_old_chips_is_told_from_upstream_s() -> None:
    answer = cell("Gen8", "fedora-41", "compute-runtime")

    assert answer.status == YES
    assert "without 12 of its 28 PCI ids" in answer.reason


def test_what_nobody_looked_at_is_not_said_to_be_lacking() -> None:
    answer = cell("Gen9", "arch-rolling", "intel-cpu")

    assert answer.status == YES
    assert answer.origin == "wheels of PyPI"
    assert answer.reason.startswith("It is not known whether Arch Linux packages")


@pytest.mark.parametrize(
    ("generation", "release", "without"),
    [
        ("Xe2", "ubuntu-24.04", "without 5 of its 17 PCI ids (BMG)"),  # G31 is not in 25.0.7
        ("Xe3", "ubuntu-26.04", "without 8 of its 22 PCI ids (NVLS)"),  # asks INTEL_FORCE_PROBE
    ],
)
def test_ids_that_this_mesa_does_not_take_are_counted(
    generation: str, release: str, without: str
) -> None:
    assert without in cell(generation, release, "rusticl").reason


def test_a_package_that_carries_the_correction_needs_no_variables() -> None:
    mended = cell("Xe-HPG", "ubuntu-24.04", "compute-runtime")
    old = cell("Xe-HPG", "debian-12", "compute-runtime")

    assert old.environment == {"NEOReadDebugKeys": "1", "OverrideGpuAddressSpace": "48"}
    assert not mended.environment
    assert not any("GTT" in note for note in mended.notes)


def test_a_cell_names_no_sources_about_other_drivers() -> None:
    urls = [source.url for source in cell("Gen9", "debian-12", "compute-runtime").sources]

    assert "https://tracker.debian.org/" in urls
    assert any("intel/compute-runtime/" in url for url in urls)
    assert any("i915_pci.c" in url for url in urls)
    assert not any("beignet" in url or "mesa" in url for url in urls)
