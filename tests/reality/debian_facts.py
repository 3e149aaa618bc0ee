# SPDX-License-Identifier: MIT
"""Compares one Debian release of rules/tables with what its suites list: fact by fact, both values.

A version in the archive may be newer than the table's only where the suite was published after the
table's `index_date`: then it has moved on, which is counted, and no mistake. Older is always one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from debian_archive import Archive, SuiteUnreachableError
from debian_lists import Listed, Suite

from clprobe.knowledge.table_types import Distribution, Implementation
from clprobe.knowledge.versions import compare, newest, upstream

POCKETS = ("release", "updates", "security", "backports")
ALWAYS_ASKED = ("python3", "libc6", "linux-image-amd64")
_COMPANION = re.compile(r"lib(?:igc|igdfcl|igdgmm|pocl|drm-intel)\d")


@dataclass(slots=True)
class Comparison:
    """How many facts were compared; those that disagree; those that the archive has outrun."""

    compared: int = 0
    disagreements: list[str] = field(default_factory=list)
    moved_on: list[str] = field(default_factory=list)

    def fact(self, agrees: bool, otherwise: str) -> None:
        """Count one fact, and note both of its values if they disagree."""
        self.compared += 1
        if not agrees:
            self.disagreements.append(otherwise)


def suite_of(release: Distribution, pocket: str) -> str:
    """Return the suite of a pocket: bookworm-backports; sid has no others than itself."""
    return f"{release.codename}" if pocket == "release" else f"{release.codename}-{pocket}"


def wanted(release: Distribution) -> frozenset[str]:
    """Return the packages that a comparison of this release asks the archive for."""
    return frozenset((*release.packages, *release.absent, *ALWAYS_ASKED))


def pockets_of(release: Distribution) -> tuple[str, ...]:
    """Return the pockets that rows are about: Ubuntu's updates hold what its security has."""
    if release.release == "sid":
        return POCKETS[:1]
    return tuple(one for one in POCKETS if one != "security" or release.id != "ubuntu")


def suites_of(release: Distribution, archive: Archive) -> tuple[dict[str, Suite], dict[str, str]]:
    """Return the suites of a release by pocket, and why pockets are not among them."""
    suites, missing = {}, {}
    for pocket in pockets_of(release):
        try:
            suites[pocket] = archive.suite(suite_of(release, pocket), wanted(release))
        except SuiteUnreachableError as error:  # noqa: PERF203 - each pocket's own
            missing[pocket] = str(error)
            if pocket == "release":
                break
    return suites, missing


def compare_release(
    release: Distribution,
    suites: Mapping[str, Suite],
    implementations: Mapping[str, Implementation],
) -> Comparison:
    """Compare all that the table says of a release. `suites` are by pocket; one left out is not."""
    seen = Comparison()
    for pocket, suite in suites.items():
        _packages(seen, release, pocket, suite)
        _no_other_driver(seen, release, pocket, suite)
    _absences(seen, release, suites)
    _bases(seen, release, suites)
    for name, listed in _drivers(release, suites):
        _companions(seen, release, listed, suites)
        for key in {k for version in release.packages[name] for k in version.implementations}:
            _needs(seen, release, listed, implementations[key], suites)
    return seen


def _packages(seen: Comparison, release: Distribution, pocket: str, suite: Suite) -> None:
    for name, versions in release.packages.items():
        where = f"{release.key} {name} ({pocket})"
        row = next((version for version in versions if version.pocket == pocket), None)
        listed = suite.packages.get(name)
        if row is None or listed is None:
            said = row.version if row else "nothing"
            found = listed.version if listed else "nothing"
            seen.fact(row is None and listed is None, _both(where, said, found))
            continue
        version_fact(seen, where, row.version, listed.version, dates_of(release, suite))
        component = row.component or "main"
        seen.fact(
            component == listed.component, _both(f"{where} component", component, listed.component)
        )


def _no_other_driver(seen: Comparison, release: Distribution, pocket: str, suite: Suite) -> None:
    """Only then is an implementation without a row truly lacking.

    Of NVIDIA's branches Ubuntu packages more than are listed: libnvidia-compute-535-server.
    """
    told = {
        _branchless(name): rows
        for name, rows in release.packages.items()
        if any(row.implementations for row in rows)
    }
    for name in suite.drivers:
        rows = told.get(_branchless(name), ())
        where = f"{release.key} {name} ({pocket})"
        seen.fact(bool(rows), _both(where, "no driver of that name", "it provides opencl-icd"))


def _branchless(name: str) -> str:
    return re.sub(r"-\d+(-server|-updates)?$", "", name)


def _absences(seen: Comparison, release: Distribution, suites: Mapping[str, Suite]) -> None:
    for name in release.absent:
        found = [p for p, s in suites.items() if name in s.packages]
        seen.fact(not found, _both(f"{release.key} {name}", "absent", f"in {', '.join(found)}"))


def _bases(seen: Comparison, release: Distribution, suites: Mapping[str, Suite]) -> None:
    """Compare Python, the C library and Linux, which other tables hang on."""
    main = suites["release"]
    for said, package, parts in ((release.python, "python3", 2), (release.glibc, "libc6", 2)):
        if said is not None and package in main.packages:
            found = ".".join(upstream(main.packages[package].version).split(".")[:parts])
            seen.fact(said == found, _both(f"{release.key} {package}", said, found))
    if release.linux is None:
        return
    kept_current = [s for pocket, s in suites.items() if pocket != "backports"]
    _linux(seen, release, release.linux.default, kept_current)
    if release.linux.backports is not None and "backports" in suites:
        _linux(seen, release, release.linux.backports, [suites["backports"]])


def _linux(seen: Comparison, release: Distribution, said: str, suites: list[Suite]) -> None:
    found = [s.packages[ALWAYS_ASKED[2]].version for s in suites if ALWAYS_ASKED[2] in s.packages]
    if found:
        dates = max((dates_of(release, suite) for suite in suites), key=lambda pair: pair[1])
        version_fact(seen, f"{release.key} Linux", said, upstream(newest(found, "debian")), dates)


def _drivers(release: Distribution, suites: Mapping[str, Suite]) -> Iterator[tuple[str, Listed]]:
    for name, versions in release.packages.items():
        if any(version.implementations for version in versions):
            for suite in suites.values():
                if name in suite.packages:
                    yield name, suite.packages[name]


def _companions(
    seen: Comparison, release: Distribution, driver: Listed, suites: Mapping[str, Suite]
) -> None:
    """A library of the driver's own that its package depends on must have a row."""
    for name in sorted(name for name in driver.needs if _COMPANION.match(name)):
        packages = _named(name, suites)
        where = f"{release.key} {driver.name} {driver.version}"
        seen.fact(
            any(package in release.packages for package in packages),
            _both(where, "no row of what it depends on", f"{name} ({', '.join(packages)})"),
        )


def _needs(
    seen: Comparison,
    release: Distribution,
    driver: Listed,
    implementation: Implementation,
    suites: Mapping[str, Suite],
) -> None:
    """What the implementation is said to load at run time must come with its package."""
    reached = driver.needs | driver.wants
    for suite in suites.values():
        for name in {package for needed in reached for package in _named(needed, suites)}:
            if name in suite.packages:
                reached |= suite.packages[name].needs
    for companion in implementation.companions:
        found = _stem(companion) in {_stem(_plain(name)) for name in reached}
        where = f"{release.key} {driver.name} {driver.version}"
        seen.fact(found, _both(where, f"it loads {companion}", "its package asks for none"))


def _named(needed: str, suites: Mapping[str, Suite]) -> list[str]:
    """Return the packages that a name in Depends stands for: itself, or those that provide it."""
    return sorted(
        {
            listed.name
            for suite in suites.values()
            for listed in suite.packages.values()
            if needed == listed.name or needed in listed.gives
        }
    )


def _plain(name: str) -> str:
    return name.split("+", 1)[0]  # libigc1+llvm14 is a name that libigc1 provides


def _stem(name: str) -> str:
    return name.rstrip("0123456789")


def version_fact(
    seen: Comparison, where: str, said: str, found: str, dates: tuple[date | None, date]
) -> None:
    """Compare a version; `dates` are those of the table and of the suite."""
    looked_at, published = dates
    order = compare(found, said, "debian")
    if order > 0 and (looked_at is None or published > looked_at):
        seen.compared += 1
        seen.moved_on.append(f"{where}: {said}, by now {found}")
    else:
        seen.fact(order == 0, _both(where, said, found))


def dates_of(release: Distribution, suite: Suite) -> tuple[date | None, date]:
    """Return when the table was looked at, and when the suite was published."""
    looked_at = date.fromisoformat(release.index_date) if release.index_date else None
    return looked_at, suite.dated


def _both(where: str, table: str, archive: str) -> str:
    return f"{where}: the table says {table}, the archive {archive}"
