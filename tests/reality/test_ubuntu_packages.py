# SPDX-License-Identifier: MIT
"""What the tables say of Ubuntu's releases, against the package lists that Ubuntu signs.

As with Debian's; those that nobody installs any more only `python -m tests.reality` compares.
"""

from collections.abc import Callable

import pytest
from debian_archive import Archive, SuiteUnreachableError, UbuntuArchive
from debian_facts import compare_release, suites_of

from clprobe.compat.evidence import Verified
from clprobe.knowledge.table_types import Distribution
from clprobe.knowledge.tables import Tables

pytestmark = pytest.mark.reality
TABLES = Tables.load()
CURRENT = ("ubuntu-22.04", "ubuntu-24.04", "ubuntu-26.04", "ubuntu-26.10")
RELEASES = [release for release in TABLES.distributions() if release.key in CURRENT]
LEAST_LISTED = 90
"""Facts that the lists of each had, rounded down."""


@pytest.fixture(scope="module")
def ubuntu(archive: Archive) -> UbuntuArchive:
    try:
        return UbuntuArchive(archive)
    except SuiteUnreachableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.key)
def test_ubuntu_lists_what_the_tables_say(
    release: Distribution, ubuntu: UbuntuArchive, compared: Callable[[str, int], None]
) -> None:
    suites, missing = suites_of(release, ubuntu)
    if missing:
        pytest.skip(str(missing))
    seen = compare_release(release, suites, TABLES.implementations())
    for suite in suites.values():
        ubuntu.forget(suite)
    compared("Ubuntu", seen.compared)
    print(f"{release.key}: {seen.compared} facts, {seen.moved_on}")  # noqa: T201 - for readers
    assert not seen.disagreements, "\n".join(seen.disagreements)
    assert seen.compared >= LEAST_LISTED, "so few facts that something was not read"
    assert release.key in Verified.load().packages, f"add {release.key} to verified.yaml"
