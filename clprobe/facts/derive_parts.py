# SPDX-License-Identifier: MIT
"""Parts that must be of versions that fit: Intel's compiler, NVIDIA's halves, PyTorch's extensions.

Intel's driver opens its compiler by name while it runs: which one it wants, what is there.
NVIDIA's kernel module and libraries must be of one version: what tells each, compared.
"""

from collections.abc import Iterator

from msgspec.structs import asdict

from clprobe.compat.linux_choice import is_in_range
from clprobe.facts.facts import FrameworkFacts
from clprobe.facts.hardware_facts import IntelFacts, NvidiaFacts
from clprobe.facts.runtimes import Runtime, version_by_package
from clprobe.knowledge.printed import Forms
from clprobe.knowledge.versions import in_range, newest, upstream
from clprobe.model.errors import ClprobeError
from clprobe.model.opencl import Framework
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, UNLISTED, Fact, Unknown, known, listed

_MAINLINE, _LEGACY = "compute-runtime", "compute-runtime-legacy1"
_FIRST_WITH_IGC_2 = ">=24.45"
_IGC_1, _IGC_2 = "libigc.so.1", "libigc.so.2"
_FORMS = Forms("said")
_LIBRARIES = ("libnvidia-opencl.so.1", "libcuda.so.1", "libnvidia-ml.so.1")


def judge_intel(snapshot: Snapshot, runtimes: Fact[tuple[Runtime, ...]]) -> IntelFacts:
    """Return which compiler library the installed compute-runtime needs, and whether it is there.

    Source: the release notes of compute-runtime, which name IGC 1.0 up to 24.39 and 2.1 from 24.45.
    """
    wanted = _wanted(runtimes)
    needed = _needed_by_gmmlib(snapshot)
    return IntelFacts(
        gmmlib_needs=needed,
        gmmlib_fits=_gmmlib_fits(needed, snapshot),
        compiler_wanted=wanted,
        compiler_fits=_compiler_fits(snapshot, wanted),
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


def _compiler_fits(snapshot: Snapshot, wanted: Fact[str | None]) -> Fact[bool | None]:
    if isinstance(wanted, Unknown) or wanted is None:
        return wanted
    found = snapshot.libraries.get(wanted, NOT_STATED)
    if not isinstance(found, Unknown):
        return found is not None
    packaged = set(_packaged(snapshot))
    if wanted in packaged:
        return True
    return False if packaged else NOT_STATED


def _needed_by_gmmlib(snapshot: Snapshot) -> Fact[str | None]:
    """Return the compute-runtime that the installed gmmlib needs at least."""
    own = {one.name for one in listed(snapshot.packages)} & _FORMS.words["memory_libraries"]
    version = version_by_package(own, snapshot)
    if isinstance(version, Unknown):
        return version if own else None  # nobody tells of one
    limits = _FORMS.tables["gmmlib_needs"]
    passed = [one for one in limits if is_in_range(version, f">={one}", "dotted") is True]
    return limits[newest(passed, "dotted")] if passed else None


def _gmmlib_fits(needed: Fact[str | None], snapshot: Snapshot) -> Fact[bool]:
    if needed is None or isinstance(needed, Unknown):
        return True if needed is None else needed
    driver = version_by_package({*_FORMS.words["drivers_of_intel"]}, snapshot)
    return driver if isinstance(driver, Unknown) else is_in_range(driver, f">={needed}", "neo")


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
    driver = version_by_package({*_FORMS.words["drivers_of_intel"]}, snapshot)
    named = {*_FORMS.tables["named_by_soname"], *_FORMS.words["named_plainly"]}
    compiler = version_by_package(named, snapshot)
    return known(driver), known(compiler)


def _packaged(snapshot: Snapshot) -> Iterator[str]:
    """Yield the compiler libraries that installed packages hold."""
    libraries = _FORMS.tables["named_by_soname"]
    for package in listed(snapshot.packages):
        if package.name in libraries:
            yield libraries[package.name]
        elif package.name in _FORMS.words["named_plainly"] and isinstance(package.version, str):
            first = is_in_range(upstream(package.version), "<2", "dotted")
            if first is not UNLISTED:
                yield _IGC_1 if first else _IGC_2


def judge_nvidia(snapshot: Snapshot) -> NvidiaFacts:
    """Return the versions of both halves of the driver and whether they differ."""
    module = snapshot.system.linux.module_versions.get("nvidia", NOT_STATED)
    libraries = _library_version(snapshot)
    return NvidiaFacts(
        module_version=module,
        library_version=libraries,
        versions_differ=_differ(module, libraries),
    )


def _differ(module: str | Unknown | None, libraries: Fact[str]) -> Fact[bool]:
    if isinstance(module, Unknown):
        return module
    if isinstance(libraries, Unknown):
        return libraries
    # A module that is not loaded clashes with nothing.
    return module is not None and module != libraries


def _library_version(snapshot: Snapshot) -> Fact[str]:
    """Return the version of the libraries; a container's own packages say nothing of them."""
    found = next(_by_file(snapshot), None)
    if found is None and snapshot.system.virtualization.container in (None, NOT_STATED):
        found = next(_by_package(snapshot), None)
    return NOT_STATED if found is None else found


def _by_file(snapshot: Snapshot) -> Iterator[str]:
    paths = [snapshot.libraries.get(name) for name in _LIBRARIES]
    for icd in listed(snapshot.icds):
        paths += [path for path in (icd.library.real_path,) if isinstance(path, str)]
    for path in paths:
        match = _FORMS.nvidia_library.search(str(path))
        if match is not None:
            yield match[1]


def _by_package(snapshot: Snapshot) -> Iterator[str]:
    for package in listed(snapshot.packages):
        is_gone = package.state in ("removed", "config-files")
        is_driver = not is_gone and _FORMS.nvidia_package.match(package.name)
        if not is_driver or isinstance(package.version, Unknown):
            continue
        match = _FORMS.nvidia_version.match(package.version)
        if match is not None:
            yield match[1]


def judge_framework(framework: Framework, snapshot: Snapshot) -> FrameworkFacts:
    """Return the framework with the answer whether it was built against the PyTorch beside it."""
    return FrameworkFacts(**asdict(framework), fits_pytorch=_fits(framework, snapshot))


def _fits(framework: Framework, snapshot: Snapshot) -> Fact[bool]:
    if framework.needs is None:
        return True
    if isinstance(framework.needs, Unknown):
        return framework.needs
    pytorch = next((one for one in listed(snapshot.frameworks) if one.name == "pytorch"), None)
    if pytorch is None or not isinstance(pytorch.version, str):
        return Unknown("the version of PyTorch is not stated")
    # A local part (2.7.1+xpu) tells the build, not the release.
    release = pytorch.version.partition("+")[0]
    try:
        return in_range(release, framework.needs, "pep440")
    except ClprobeError:
        return Unknown(f"{framework.needs} is no range of versions that clprobe reads")
