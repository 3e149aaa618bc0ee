# SPDX-License-Identifier: MIT
"""Which OpenCL implementations are installed, by ICDs, packages, messages, or platforms."""

import re
from fnmatch import fnmatchcase

import msgspec

from clprobe.compat.packages import packaged_version
from clprobe.facts.facts import IcdFacts
from clprobe.facts.messages import everything_said
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.table_types import Implementation
from clprobe.knowledge.tables import Tables
from clprobe.knowledge.versions import upstream
from clprobe.model.opencl import Platform
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, known, listed

_FORMS = Forms("closure")
ONE_MAKER = ("intel", "amd", "nvidia")
_TELLS_BY_DEVICE = "nvidia"
_GONE = ("removed", "config-files")
"""The states of packages whose files are not there."""


class Runtime(msgspec.Struct, frozen=True, kw_only=True):
    """An installed implementation; `source` is its .icd file, its package, or what else told of it.

    `likely_version` is the one that the distribution packages, where the version is not stated.
    `said` is what programs and drivers printed, in which some of its flaws must show.
    """

    source: str
    implementation: str
    version: Fact[str]
    loadable: Fact[bool]
    likely_version: Fact[str] = NOT_STATED
    said: Fact[str] = NOT_STATED


def installed_runtimes(
    snapshot: Snapshot, icds: Fact[tuple[IcdFacts, ...]], tables: Tables
) -> Fact[tuple[Runtime, ...]]:
    """Return the runtimes of registered ICDs; without a whole list of ICDs, packages count too."""
    found = _found(snapshot, icds, tables)
    if isinstance(found, Unknown):
        return found
    said = everything_said(snapshot, NOT_STATED)
    return tuple(
        _with_likely_version(msgspec.structs.replace(runtime, said=said), snapshot, tables)
        for runtime in found
    )


def _found(
    snapshot: Snapshot, icds: Fact[tuple[IcdFacts, ...]], tables: Tables
) -> Fact[tuple[Runtime, ...]]:
    registered = listed(icds)
    found = [
        Runtime(
            source=icd.path,
            implementation=icd.implementation,
            version=icd.version,
            loadable=_loadable(icd),
        )
        for icd in registered
        if isinstance(icd.implementation, str)
    ]
    if not isinstance(icds, Unknown) and "icds" not in snapshot.excerpts:
        nameless = (one.implementation for one in icds if isinstance(one.implementation, Unknown))
        return tuple(found) or next(nameless, ())
    for further in (_packaged(snapshot, tables), _printing(snapshot)):
        told = {runtime.implementation for runtime in found}
        found += [run for run in further if run.implementation not in told]
    if isinstance(icds, Unknown):
        # A program that lists platforms has loaded drivers, if perhaps not all that there are.
        found = found or _shown(snapshot, tables)
        return tuple(found) if found else icds
    return tuple(found)


def said_runtimes(snapshot: Snapshot, tables: Tables) -> list[Runtime]:
    """Return the runtimes that packages, .icd files and platforms tell of by their names."""
    found = {
        run.implementation: run for run in (*_shown(snapshot, tables), *_packaged(snapshot, tables))
    }
    for icd in listed(snapshot.icds):
        key = tables.recognise(known(icd.library_name)) or tables.recognise_file(icd.path)
        if key is not None and key not in found:
            found[key] = Runtime(
                source=icd.path, implementation=key, version=NOT_STATED, loadable=NOT_STATED
            )
    return list(found.values())


def _with_likely_version(runtime: Runtime, snapshot: Snapshot, tables: Tables) -> Runtime:
    """Whoever names no version and no other source has the distribution's package, most likely."""
    if not isinstance(runtime.version, Unknown) or snapshot.package_sources not in ((), NOT_STATED):
        return runtime
    likely = packaged_version(runtime.implementation, tables, snapshot.system.distribution)
    return msgspec.structs.replace(runtime, likely_version=likely)


def version_by_package(names: set[str], snapshot: Snapshot) -> Fact[str]:
    """Return the upstream version of the first installed package of those names."""
    for package in listed(snapshot.packages):
        if package.name in names and isinstance(package.version, str):
            return _rocm_release(upstream(package.version))
    return NOT_STATED


def _rocm_release(version: str) -> str:
    """AMD's own packages of rocm-opencl tell ROCm 5.3.0 as 2.0.0.50300."""
    number = re.match(r"2\.0\.0\.(\d)(\d\d)(\d\d)\b", version)
    return ".".join(str(int(part)) for part in number.groups()) if number else version


def names_in(packages: set[str], entry: Implementation) -> set[str]:
    """Return those names of packages that hold the implementation, be it below a category."""
    own = {name for names in entry.packages.values() for name in names}
    patterns = entry.recognise.packages
    return {
        name
        for name in packages
        for bare in {name, name.rpartition("/")[2]}
        if bare in own or any(fnmatchcase(bare, one) for one in patterns)
    }


def _packaged(snapshot: Snapshot, tables: Tables) -> list[Runtime]:
    present = {one.name for one in listed(snapshot.packages) if one.state not in _GONE}
    found = []
    for key, entry in tables.implementations().items():
        names = names_in(present, entry)
        if names:
            version = version_by_package(names, snapshot)
            source = f"package {min(names)}"
            found.append(
                Runtime(source=source, implementation=key, version=version, loadable=NOT_STATED)
            )
    return found


def _printing(snapshot: Snapshot) -> list[Runtime]:
    """Return the runtimes of which a part printed something: it is there, if perhaps not whole."""
    found = {}
    for message in listed(snapshot.messages):
        key = _FORMS.meaning("printed_by", message)
        if key is not None:
            found[key] = Runtime(
                source="what it printed",
                implementation=key,
                version=NOT_STATED,
                loadable=NOT_STATED,
            )
    return list(found.values())


def _shown(snapshot: Snapshot, tables: Tables) -> list[Runtime]:
    found: dict[str, Runtime] = {}
    for view in listed(snapshot.views):
        for platform in listed(view.answer.platforms):
            key = tables.recognise(None, platform.name, platform.version)
            if key is not None:
                found[key] = Runtime(
                    source=f"platform {platform.name}",
                    implementation=key,
                    version=_release(platform, key, tables),
                    loadable=True,
                )
    return list(found.values())


def _release(platform: Platform, key: str, tables: Tables) -> Fact[str]:
    """Return the release that the platform tells: by a build number, as AMD-APP (3361.0) does.

    NVIDIA's devices tell it themselves, by one number for Linux and Windows.
    """
    entry = tables.implementation(key)
    if key == _TELLS_BY_DEVICE:
        told = (device.driver_version for device in listed(platform.devices))
        return next((one for one in told if isinstance(one, str)), NOT_STATED)
    number = re.search(r"\((\d{1,9})\.\d+\)", known(platform.version) or "")
    if entry is None or number is None:
        return NOT_STATED
    begun = [build for build in entry.builds if int(build) <= int(number[1])]
    return entry.builds[max(begun, key=int)] if begun else NOT_STATED


def _loadable(icd: IcdFacts) -> Fact[bool]:
    if icd.outcome in ("ok", "no-devices"):
        return True
    if icd.library_fault is not None and not isinstance(icd.library_fault, Unknown):
        return False
    return icd.outcome if isinstance(icd.outcome, Unknown) else icd.outcome is None
