# SPDX-License-Identifier: MIT
"""What the tables say of Debian's releases, against the package lists that Debian signs.

The lists are fetched through this machine's own mirror. A suite that cannot be had is skipped
with apt's own words; a disagreement fails with both values. `-rP` shows the counts.
"""

from collections.abc import Callable, Iterator

import pytest
from debian_archive import Archive, SuiteUnreachableError, contents
from debian_facts import (
    Comparison,
    compare_release,
    dates_of,
    suite_of,
    suites_of,
    version_fact,
)
from debian_lists import Suite

from clprobe.compat.evidence import Verified
from clprobe.knowledge.table_types import Distribution, Elsewhere
from clprobe.knowledge.tables import Tables

pytestmark = pytest.mark.reality
TABLES = Tables.load()
RELEASES = [entry for entry in TABLES.distributions() if entry.id == "debian"]
RELEASE_OF = {release.key: release for release in RELEASES}
WAYS = [
    (key, way)
    for key, entry in TABLES.implementations().items()
    for way in entry.elsewhere
    if way.how == "file" and way.origin in RELEASE_OF
]
FOREIGN_FILES = {"debian-12", "debian-13", "debian-forky", "debian-sid"}
"""Where Debian 11's Beignet is offered, at least."""
PROMISED = {"debian-11", "debian-12", "debian-13", "debian-sid"}
LEAST_LISTED = 90
"""Facts of the lists that the shortest release, sid, had when they were counted, rounded down."""
LEAST_HELD = 8
"""Facts of the packages' files, likewise."""


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.key)
def fetched(
    request: pytest.FixtureRequest, archive: Archive
) -> Iterator[tuple[Distribution, dict[str, Suite], dict[str, str]]]:
    """A release, its suites by pocket, and why pockets are not among them."""
    release: Distribution = request.param
    suites, missing = suites_of(release, archive)
    if "release" not in suites:
        pytest.skip(missing["release"])
    yield release, suites, missing
    for suite in suites.values():
        archive.forget(suite)


def test_no_release_that_is_promised_goes_without_a_comparison() -> None:
    assert {release.key for release in RELEASES} >= PROMISED


def test_debian_lists_what_the_tables_say(
    fetched: tuple[Distribution, dict[str, Suite], dict[str, str]],
    compared: Callable[[str, int], None],
) -> None:
    release, suites, missing = fetched
    seen = compare_release(release, suites, TABLES.implementations())
    compared("Debian", seen.compared)
    _tell(release, seen, missing)
    assert not seen.disagreements, "\n".join(seen.disagreements)
    assert seen.compared >= LEAST_LISTED, "so few facts that something was not read"
    assert release.key in Verified.load().packages, f"add {release.key} to verified.yaml"
    told = {row.pocket for rows in release.packages.values() for row in rows}
    if told - suites.keys():
        pytest.skip(f"the other pockets agree; these were out of reach: {missing}")


@pytest.mark.slow
def test_a_drivers_package_holds_what_it_is_recognised_by(
    fetched: tuple[Distribution, dict[str, Suite], dict[str, str]],
    archive: Archive,
    compared: Callable[[str, int], None],
) -> None:
    release, suites, _ = fetched
    seen, gone = Comparison(), {}
    for pocket, suite in suites.items():
        said = {
            name: row.implementations
            for name, rows in release.packages.items()
            for row in rows
            if row.pocket == pocket and row.implementations
        }
        held = archive.fetch(suite, [name for name in said if name in suite.packages])
        for name, keys in said.items():
            if name in held:
                _files(seen, f"{release.key} {name} ({pocket})", keys, contents(held[name]))
            else:
                gone[f"{name} ({pocket})"] = f"{name} ({pocket}): listed, but not to be had"
    compared("Debian", seen.compared)
    _tell(release, seen, gone)
    assert not seen.disagreements, "\n".join(seen.disagreements)
    if seen.compared == 0:
        pytest.skip(f"no package could be fetched: {', '.join(gone)}")
    assert seen.compared >= LEAST_HELD, "so few facts that something was not read"


def test_apt_installs_the_files_of_another_release_exactly_where_the_tables_say(
    fetched: tuple[Distribution, dict[str, Suite], dict[str, str]],
    archive: Archive,
    compared: Callable[[str, int], None],
) -> None:
    """The named packages from the one release, all else from the other; nothing is installed."""
    release, suites, _ = fetched
    seen = Comparison()
    for key, way in WAYS:
        if way.origin == release.key or _offers(release, key):
            continue
        try:
            _foreign_files(seen, release, suites["release"], way, archive)
        except SuiteUnreachableError as error:
            pytest.skip(str(error))
    compared("Debian", seen.compared)
    _tell(release, seen, {})
    assert not seen.disagreements, "\n".join(seen.disagreements)
    assert seen.compared >= (3 if release.key in FOREIGN_FILES else 0)


def _foreign_files(
    seen: Comparison, release: Distribution, target: Suite, way: Elsewhere, archive: Archive
) -> None:
    named = RELEASE_OF[way.origin]
    origin = archive.suite(suite_of(named, "release"), frozenset(way.packages))
    where = f"{release.key}, {way.packages[0]} of {way.origin}"
    lost = [name for name in way.packages if name not in origin.packages]
    seen.fact(not lost, f"{where}: the table names {', '.join(lost)}, the archive has none")
    if lost:
        return
    versions = {name: origin.packages[name].version for name in way.packages}
    said, found = str(way.version), versions[way.packages[0]]
    version_fact(seen, where, said, found, dates_of(named, origin))
    if said == found:  # of newer files the table says nothing yet
        refused = archive.refusal(target.name, origin.name, versions)
        onto = "in" if release.key in way.onto else "not in"
        seen.fact(
            (release.key in way.onto) is (refused is None),
            f"{where}: the table has it {onto} onto, apt {refused or 'installs it'}",
        )


def _offers(release: Distribution, key: str) -> bool:
    """Return whether a release packages an implementation itself."""
    return any(key in row.implementations for rows in release.packages.values() for row in rows)


def _files(seen: Comparison, where: str, said: tuple[str, ...], paths: list[str]) -> None:
    """Its .icd files name the implementations of a package, or, without any, its libraries do."""
    held = {path: key for path in paths if (key := _library_of(path)) is not None}
    icds = [path for path in paths if path.endswith(".icd")]
    named = {str(TABLES.recognise_file(icd)) for icd in icds} if icds else set(held.values())
    text = f"{where}: the table says {', '.join(said)}, its files {icds or list(held)}"
    seen.fact(named == set(said), text)
    for key in said if held else ():  # PoCL's is in a package of its own
        seen.fact(key in held.values(), f"{where}: no file of it is a library of {key}")


def _library_of(path: str) -> str | None:
    """Return the implementation that a file would be taken for; None where it is no library."""
    plain = "/" + path.split(" -> ", maxsplit=1)[0]
    return TABLES.recognise(library_path=plain) if ".so" in plain else None


def _tell(release: Distribution, seen: Comparison, missing: dict[str, str]) -> None:
    print(  # noqa: T201 - the count is what a reader of this test wants
        f"{release.key}: {seen.compared} facts compared, {len(seen.disagreements)} disagree, "
        f"{len(seen.moved_on)} newer in the archive"
    )
    for line in (*seen.moved_on, *missing.values()):
        print(f"  {line}")  # noqa: T201
