# SPDX-License-Identifier: MIT
"""Each cell of the support matrix has an answer, and cells worked out by hand say what they must.

The cells below follow from the package lists of 2026-11-20, the ids that each driver lists, and
since when Linux binds each chip.
"""

import msgspec
import pytest

from clprobe.engine.support import Support, support
from clprobe.engine.table_types import LinuxVersions
from clprobe.engine.tables import Tables

TABLES = Tables.load()
GENERATIONS = ("Gen6", "Gen7", "Gen7.5", "Gen8", "Gen9", "Gen9.5", "Gen11", "Gen12/Xe-LP",
    "Xe-HPG", "Xe-LPG", "Xe2", "Xe3")  # fmt: skip
RELEASES = (
    *(f"debian-{name}" for name in ("11", "12", "13", "sid")),
    *(f"ubuntu-{name}" for name in ("18.04", "20.04", "22.04", "24.04", "24.10", "25.04")),
    *(f"ubuntu-{name}" for name in ("25.10", "26.04")),
    *(f"fedora-{name}" for name in range(40, 44)),
    *(f"rhel-{name}" for name in range(8, 11)),
    *("arch-rolling", "opensuse-tumbleweed", "opensuse-leap-15.6", "opensuse-leap-16.0"),
    *("alpine-edge", "alpine-3.22", "nixos-unstable", "conda-forge-rolling"),
)
BY_KEY = {release.key: release for release in TABLES.distributions()}

YES, NO, OPEN = "supported", "not_supported", "unverified"
ORACLE = """
Gen6     debian-11     beignet                 no    -
Gen6     debian-12     compute-runtime         no    -
Gen6     debian-sid    rusticl                 no    -
Gen6     ubuntu-26.04  compute-runtime-legacy1 no    -
Gen6     debian-12     pocl                    yes   3.1
Gen7     debian-11     beignet                 yes   1.3.2
Gen7     debian-11     compute-runtime         no    -
Gen7     debian-12     rusticl                 no    -
Gen7     ubuntu-20.04  beignet                 yes   1.3.2
Gen7.5   debian-11     beignet                 yes   1.3.2
Gen7.5   debian-12     beignet                 open  1.3.2-8
Gen7.5   debian-13     beignet                 open  1.3.2-8
Gen7.5   debian-sid    beignet                 open  1.3.2-8
Gen7.5   ubuntu-18.04  beignet                 yes   1.3.2
Gen7.5   ubuntu-20.04  beignet                 yes   1.3.2
Gen7.5   ubuntu-22.04  beignet                 open  1.3.2-8
Gen7.5   ubuntu-24.04  beignet                 open  1.3.2-8
Gen7.5   debian-12     compute-runtime         no    -
Gen7.5   ubuntu-26.04  compute-runtime-legacy1 no    -
Gen7.5   arch-rolling  rusticl                 no    -
Gen7.5   nixos-unstable beignet                no    -
Gen7.5   fedora-42     beignet                 open  -
Gen8     debian-12     compute-runtime         yes   22.43
Gen8     debian-sid    compute-runtime-legacy1 yes   24.35
Gen8     ubuntu-24.04  compute-runtime         yes   23.43
Gen8     debian-12     rusticl                 yes   22.3.6
Gen9     debian-11     beignet                 yes   1.3.2
Gen9     debian-12     compute-runtime         yes   22.43
Gen9     debian-13     compute-runtime         no    -
Gen9     debian-13     compute-runtime-legacy1 open  24.35
Gen9     debian-sid    compute-runtime-legacy1 yes   24.35
Gen9     debian-sid    compute-runtime         no    -
Gen9     ubuntu-22.04  compute-runtime         yes   22.14
Gen9     ubuntu-24.04  compute-runtime         yes   23.43
Gen9     ubuntu-24.04  compute-runtime-legacy1 no    -
Gen9     arch-rolling  compute-runtime         no    -
Gen9     arch-rolling  compute-runtime-legacy1 yes   24.35
Gen9     conda-forge-rolling compute-runtime   no    -
Gen9     nixos-unstable compute-runtime-legacy1 yes  24.35
Gen9     fedora-42     compute-runtime         no    -
Gen9     alpine-edge   compute-runtime-legacy1 yes   24.35
Gen9     debian-12     nvidia                  no    -
Gen9     debian-12     amd-rocm                no    -
Gen9     debian-12     clover                  no    -
Gen9     debian-12     mali                    no    -
Gen9     alpine-edge   intel-cpu               no    -
Gen9     debian-12     intel-cpu               yes   2026.2.0
Gen9     rhel-9        intel-cpu               yes   2026.2.0
Gen9     rhel-9        compute-runtime         no    -
Gen9     rhel-9        pocl                    yes   3.1
Gen9.5   ubuntu-26.04  compute-runtime         no    -
Gen9.5   ubuntu-26.04  compute-runtime-legacy1 yes   24.35
Gen9.5   debian-12     oclgrind                yes   21.10
Gen9.5   debian-13     oclgrind                no    -
Gen11    debian-12     compute-runtime         yes   22.43
Gen11    ubuntu-24.04  compute-runtime         yes   23.43
Gen11    debian-12     beignet                 no    -
Gen12/Xe-LP debian-12  compute-runtime         yes   22.43
Gen12/Xe-LP ubuntu-26.04 compute-runtime       yes   26.05
Gen12/Xe-LP ubuntu-26.04 compute-runtime-legacy1 no  -
Gen12/Xe-LP arch-rolling compute-runtime       yes   26.01
Xe-HPG   ubuntu-24.04  compute-runtime         yes   23.43
Xe-HPG   debian-sid    beignet                 no    -
Xe-HPG   ubuntu-18.04  compute-runtime         no    -
Xe-LPG   ubuntu-22.04  compute-runtime         no    -
Xe2      ubuntu-24.04  compute-runtime         no    -
Xe2      debian-12     compute-runtime         no    -
Xe2      debian-12     rusticl                 no    -
Xe2      ubuntu-26.04  compute-runtime         yes   26.05
Xe2      debian-12     pocl                    yes   3.1
Xe2      fedora-42     compute-runtime         yes   25.31
Xe3      ubuntu-24.04  compute-runtime         no    -
Xe3      ubuntu-26.04  compute-runtime         yes   26.05
"""
STATUS = {"yes": YES, "no": NO, "open": OPEN}
CELLS = [line.split() for line in ORACLE.strip().splitlines()]


def cell(generation: str, release: str, implementation: str) -> Support:
    found, entry = TABLES.generation(generation), TABLES.implementation(implementation)
    assert found is not None
    assert entry is not None
    return support(found, BY_KEY[release], entry, TABLES)


@pytest.mark.parametrize("release", RELEASES)
def test_no_cell_is_blank(release: str) -> None:
    for generation in GENERATIONS:
        for implementation in TABLES.implementations():
            answer = cell(generation, release, implementation)
            assert answer.status in (YES, NO, OPEN)
            assert all(source.url and source.checked for source in answer.sources), answer
            assert answer.sources, answer
            if answer.status == YES:
                assert answer.version, answer
                assert answer.package, answer
                assert answer.origin, answer
            if answer.status == OPEN:
                assert answer.next_step, answer


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
    assert (answer.version or "-").startswith(version) or version in (answer.version or ""), answer


def test_what_the_release_lacks_is_said_before_where_else_it_is() -> None:
    answer = cell("Gen7.5", "debian-12", "beignet")

    assert answer.reason.startswith("Debian 12 (bookworm) does not package Beignet")
    assert answer.origin == "files of debian-11"


def test_a_driver_that_is_too_old_names_the_version_that_is_needed() -> None:
    answer = cell("Xe2", "ubuntu-24.04", "compute-runtime")

    assert "23.43.27642.40" in answer.reason
    assert "24.31.30508.5" in answer.reason
    assert "ppa:kobuk-team/intel-graphics" in (answer.next_step or "")


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
    assert any("GTT" in note for note in cell("Xe-HPG", "ubuntu-22.04", "compute-runtime").notes)
