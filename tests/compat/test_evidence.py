# SPDX-License-Identifier: MIT
"""How each answer of the matrix is known, and what a version counts for that nobody read."""

import msgspec
import pytest

from clprobe.compat.evidence import Verified, evidence, rule_stats
from clprobe.compat.known_gpu import gpu_of_id
from clprobe.compat.support import Support, support_of
from clprobe.compat.support_table import support_table
from clprobe.knowledge.table_types import Distribution
from clprobe.knowledge.tables import Tables

TABLES = Tables.load()
VERIFIED = Verified.load()
NOBODY = Verified(packages=(), drivers=())


def cell(generation: str, release: str, implementation: str) -> Support:
    (found,) = support_table(TABLES, [generation], [release], [implementation]).cells
    return found


@pytest.mark.parametrize(
    ("of", "known"),
    [
        (("Xe2", "debian-sid", "compute-runtime"), "machine"),
        (("Gen9", "debian-12", "pocl"), "machine"),
        (("Gen9", "debian-12", "rusticl"), "machine"),
        (("Gen9", "ubuntu-24.04", "rusticl"), "source"),  # the list was compared, that driver not
        (("Gen9", "ubuntu-24.04", "compute-runtime"), "source"),
        (("Xe2", "ubuntu-20.04", "compute-runtime"), "source"),  # too old, by the tables alone
        (("Gen9", "ubuntu-24.04", "compute-runtime-legacy1"), "unverified"),
        (("Gen9", "debian-13", "compute-runtime"), "machine"),  # it has no package
        (("Xe2", "ubuntu-26.10", "compute-runtime"), "machine"),
        (("Gen9", "debian-12", "nvidia"), "source"),
        (("Gen9", "ubuntu-23.10", "compute-runtime"), "bounded"),
        (("Gen9", "opensuse-leap-15.3", "compute-runtime"), "unverified"),
    ],
)
def test_a_cell_is_known_as_well_as_all_that_decides_it(
    of: tuple[str, str, str], known: str
) -> None:
    assert evidence(cell(*of), TABLES, VERIFIED) == known


def test_what_no_check_lists_is_not_verified_by_a_machine() -> None:
    cells = support_table(TABLES, ["Xe2"]).cells
    assert rule_stats(cells, TABLES, VERIFIED).total.machine > 0
    stats = rule_stats(cells, TABLES, NOBODY)
    assert stats.total.machine == 0
    assert stats.total.unverified == sum(one.status == "unverified" for one in cells)


def test_the_counts_add_up_and_the_oldest_release_comes_first() -> None:
    stats = rule_stats(support_table(TABLES, ["Gen9"]).cells, TABLES, VERIFIED)
    for one in (stats.total, *stats.implementations):
        assert one.cells == one.machine + one.source + one.bounded + one.unverified
    assert sum(one.cells for one in stats.implementations) == stats.total.cells
    assert stats.rows == sum(stats.read.values()) == sum(one.rows for one in stats.releases)
    assert [one.oldest for one in stats.releases] == sorted(one.oldest for one in stats.releases)


def between(least: str, newest: str) -> Distribution:
    """Return Ubuntu 23.10 with a compute-runtime of these versions."""
    release = next(one for one in TABLES.distributions() if one.key == "ubuntu-23.10")
    (row,) = release.packages["intel-opencl-icd"]
    row = msgspec.structs.replace(row, version=least, at_most=newest)
    return msgspec.structs.replace(release, packages={"intel-opencl-icd": (row,)})


@pytest.mark.parametrize(
    ("pci_id", "least", "newest", "status"),
    [
        ("8086:5916", "22.14.22890-1", "23.43.27642.40-1", "supported"),  # both drive it
        ("8086:5916", "23.43.27642.40-1", "24.52.32224.13-0", "unverified"),  # only the first does
        ("8086:64a0", "22.14.22890-1", "23.43.27642.40-1", "not_supported"),  # both are too old
        ("8086:46a2", "19.01.12103-1", "26.05.37020.3-1", "unverified"),  # only some between do
    ],
)
def test_a_version_that_nobody_read_counts_where_all_it_may_be_agree(
    pci_id: str, least: str, newest: str, status: str
) -> None:
    driver = TABLES.implementations()["compute-runtime"]
    found = support_of([gpu_of_id(pci_id, TABLES)], between(least, newest), driver, TABLES)
    assert found.status == status, found.reason
    if found.package is not None:
        assert f"{least} to {newest}" in found.reason
