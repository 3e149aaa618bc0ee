# SPDX-License-Identifier: MIT
"""Which driver of which version is there where nobody says so: by program, release and date."""

import datetime

from msgspec.structs import replace

from clprobe.compat.linux_choice import is_in_range
from clprobe.compat.packages import packaged_version, release_of
from clprobe.facts.closure.closed import Closed
from clprobe.facts.runtimes import names_in, said_runtimes
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.model.snapshot import Snapshot
from clprobe.model.system import Distribution, Package
from clprobe.model.unknown import Unknown, known, listed

_FORMS = Forms("closure")
_UNTIL_PUBLISHED = datetime.timedelta(days=10)
"""compute-runtime's releases come out a week or two after the week that they are named after."""
_ROLLING = ("rolling", "tumbleweed")


def with_driver_of_program(closed: Closed, tables: Tables) -> Closed:
    """Return it with the driver that a program is made for, if none at all is told of."""
    snapshot = closed.snapshot
    if not isinstance(snapshot.icds, Unknown) or said_runtimes(snapshot, tables):
        return closed
    for view in listed(snapshot.views):
        entry = tables.implementation(_FORMS.meaning("made_for", view.viewer))
        if entry is not None:
            packages = (*listed(snapshot.packages), Package(name=_package(entry, snapshot)))
            why = f"{view.viewer} is made for {entry.name}"
            return closed.with_list("packages", packages, why)
    return closed


def with_versions(closed: Closed, tables: Tables) -> Closed:
    """Return it with a version for each driver without one."""
    for entry in _versionless(closed.snapshot, tables):
        version, why = _likely_version(entry, closed.snapshot, tables)
        if version is not None:
            packages = _with_version(entry, version, closed.snapshot)
            changed = replace(closed.snapshot, packages=packages)
            closed = closed.with_change(changed, "gpus.fits.version", why)
    return closed


def _versionless(snapshot: Snapshot, tables: Tables) -> list[Implementation]:
    entries = (
        tables.implementation(run.implementation)
        for run in said_runtimes(snapshot, tables)
        if isinstance(run.version, Unknown)
    )
    return [entry for entry in entries if entry is not None]


def _likely_version(
    entry: Implementation, snapshot: Snapshot, tables: Tables
) -> tuple[str | None, str]:
    """Return the release's version, unless that is younger than the report; else the date's."""
    by_date = _of_date(entry, snapshot)
    distribution = _distribution(snapshot)
    release = release_of(tables, distribution)
    if release is not None and release.release not in _ROLLING:
        version = known(packaged_version(entry.implementation, tables, distribution))
        scheme = entry.version_scheme
        younger = by_date and version and is_in_range(version, f">{by_date}", scheme) is True
        if version is not None and not younger:
            return version, f"{release.name} packages it in this version"
    return by_date, f"the newest release on {known(snapshot.taken)}"


def _of_date(entry: Implementation, snapshot: Snapshot) -> str | None:
    """Return the version that was the newest; compute-runtime's begin with year and week."""
    taken = known(snapshot.taken)
    if entry.version_scheme != "neo" or taken is None:
        return None
    try:
        day = datetime.date.fromisoformat(taken[:10] if len(taken) >= 10 else f"{taken[:7]}-28")
    except ValueError:
        return None
    year, week, _ = (day - _UNTIL_PUBLISHED).isocalendar()
    return f"{year % 100}.{week:02}"


def _distribution(snapshot: Snapshot) -> Distribution:
    """Return the system's, or the host's for a container of which nobody tells what is inside."""
    own = snapshot.system.distribution
    if not isinstance(own.id, Unknown):
        return own
    hosts = (one.facts.system.distribution for one in snapshot.perspectives if one.where == "host")
    return next(hosts, own)


def _package(entry: Implementation, snapshot: Snapshot) -> str:
    own = entry.packages.get(str(known(snapshot.system.distribution.id)))
    return (own or next(iter(entry.packages.values()), (entry.implementation,)))[0]


def _with_version(entry: Implementation, version: str, snapshot: Snapshot) -> tuple[Package, ...]:
    packages = listed(snapshot.packages)
    names = names_in({one.name for one in packages}, entry)
    if not names:
        return (*packages, Package(name=_package(entry, snapshot), version=version))
    return tuple(replace(one, version=version) if one.name in names else one for one in packages)
