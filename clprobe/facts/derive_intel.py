# SPDX-License-Identifier: MIT
"""Intel's driver opens its compiler by name while it runs: which one it wants, what is there."""

from collections.abc import Iterable

from clprobe.compat.linux_choice import is_in_range
from clprobe.facts.hardware_facts import IntelFacts
from clprobe.facts.runtimes import Runtime, version_by_package
from clprobe.knowledge.versions import upstream
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, UNLISTED, Fact, Unknown, listed

_MAINLINE, _LEGACY = "compute-runtime", "compute-runtime-legacy1"
_FIRST_WITH_IGC_2 = ">=24.45"
_IGC_1, _IGC_2 = "libigc.so.1", "libigc.so.2"
_DRIVER_PACKAGES = {"intel-opencl-icd", "intel-opencl", "intel-compute-runtime"}
_NAMED_BY_SONAME = {
    "libigc1": _IGC_1,
    "libigdfcl1": _IGC_1,
    "libigc2": _IGC_2,
    "libigdfcl2": _IGC_2,
    "intel-igc-core-2": _IGC_2,
    "intel-igc-opencl-2": _IGC_2,
}
"""Packages whose name tells which library they hold."""
_NAMED_PLAINLY = {
    "intel-igc-core", "intel-igc-opencl", "intel-igc-libs", "intel-igc", "intel-graphics-compiler",
    "intel-graphics-compiler-legacy",
}  # fmt: skip
"""Packages whose version tells it: IGC 1.x holds libigc.so.1."""


def judge_intel(snapshot: Snapshot, runtimes: Fact[tuple[Runtime, ...]]) -> IntelFacts:
    """Return which compiler library the installed compute-runtime needs, and whether it is there.

    Source: the release notes of compute-runtime, which name IGC 1.0 up to 24.39 and 2.1 from 24.45.
    """
    wanted = _wanted(runtimes)
    return IntelFacts(
        compiler_wanted=wanted,
        compiler_fits=_fits(snapshot, wanted),
        compiler_version=_versions(snapshot)[1] or NOT_STATED,
        compiler_changed_alone=_changed_alone(snapshot),
    )


def _wanted(runtimes: Fact[tuple[Runtime, ...]]) -> Fact[str | None]:
    if isinstance(runtimes, Unknown):
        return runtimes
    installed = [run for run in runtimes if run.implementation in (_MAINLINE, _LEGACY)]
    if len(installed) != 1:
        return NOT_STATED if installed else None
    runtime = installed[0]
    if runtime.implementation == _LEGACY:
        return _IGC_1
    if isinstance(runtime.version, Unknown):
        return runtime.version
    newer = is_in_range(runtime.version, _FIRST_WITH_IGC_2, "neo")
    return newer if isinstance(newer, Unknown) else _IGC_2 if newer else _IGC_1


def _fits(snapshot: Snapshot, wanted: Fact[str | None]) -> Fact[bool | None]:
    if isinstance(wanted, Unknown) or wanted is None:
        return wanted
    found = snapshot.libraries.get(wanted, NOT_STATED)
    if not isinstance(found, Unknown):
        return found is not None
    packaged = set(_packaged(snapshot))
    if wanted in packaged:
        return True
    return False if packaged else NOT_STATED


def _changed_alone(snapshot: Snapshot) -> Fact[bool]:
    """Compare the packages with those of an earlier time, if a report tells both."""
    earlier = [one.facts for one in snapshot.perspectives if isinstance(one.when, str)]
    if not earlier:
        return False  # nobody tells of an upgrade
    now, before = _versions(snapshot), _versions(earlier[0])
    if None in now or None in before:
        return NOT_STATED
    return now[0] == before[0] and now[1] != before[1]


def _versions(snapshot: Snapshot) -> tuple[str | None, str | None]:
    """Return the versions of the driver's and of the compiler's package."""
    driver = version_by_package(_DRIVER_PACKAGES, snapshot)
    compiler = version_by_package({*_NAMED_BY_SONAME, *_NAMED_PLAINLY}, snapshot)
    return (
        None if isinstance(driver, Unknown) else driver,
        None if isinstance(compiler, Unknown) else compiler,
    )


def _packaged(snapshot: Snapshot) -> Iterable[str]:
    """Yield the compiler libraries that installed packages hold."""
    for package in listed(snapshot.packages):
        if package.name in _NAMED_BY_SONAME:
            yield _NAMED_BY_SONAME[package.name]
        elif package.name in _NAMED_PLAINLY and isinstance(package.version, str):
            first = is_in_range(upstream(package.version), "<2", "dotted")
            if first is not UNLISTED:
                yield _IGC_1 if first else _IGC_2
