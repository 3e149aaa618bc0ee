# SPDX-License-Identifier: MIT
"""Chooses the build of a deep-learning stack that a machine gets, or says why there is none."""

from packaging.utils import parse_wheel_filename

from clprobe.install.machine import Machine
from clprobe.knowledge.stack_table import Stack, StackBuild
from clprobe.knowledge.versions import in_range, in_words, newest


def build_for(stack: Stack, machine: Machine, driver: str | None = None) -> StackBuild | None:
    """Return the newest build for the machine and the GPU's driver, so far as they are known."""
    fitting = [
        build
        for build in _for_python(stack, machine)
        if _for_libc(build, machine)
        and _for_system(build, machine)
        and _for_family(build, machine)
        and takes_driver(build, driver)
    ]
    if not fitting:
        return None
    known = [build for build in fitting if not build.unverified] or fitting
    best = newest([build.version for build in known], "pep440")
    return next(build for build in known if build.version == best)


def why_no_build(stack: Stack, machine: Machine) -> str:
    """Return the first constraint that no build meets."""
    if not _files(stack):
        return "clprobe knows no build of it that can be named; its own pages say how to build it"
    builds = _for_python(stack, machine)
    if not builds:
        offered = ", ".join(dict.fromkeys(in_words(b.python) for b in _files(stack)))
        return f"its builds are for Python {offered}; {machine.os_name} has {machine.python}"
    builds = [build for build in builds if _for_system(build, machine)]
    if not builds:
        return f"none of its wheels is for {machine.os_name}"
    if not any(_for_libc(build, machine) for build in builds):
        release = machine.distribution
        has = release.c_library if release is not None and release.c_library != "0" else "musl"
        needed = " or ".join(dict.fromkeys(in_words(build.glibc) for build in builds))
        return f"its wheels are for glibc {needed}; {machine.os_name} has {has}"
    gpu = machine.family.name if machine.family is not None else machine.gpu_name
    return f"its wheels hold no code for {gpu}"


def takes_driver(build: StackBuild, driver: str | None) -> bool:
    """Whether the build works with that version of the GPU's driver; None is "not known"."""
    return driver is None or in_range(driver, build.driver, "dotted")


def _files(stack: Stack) -> list[StackBuild]:
    """Return the builds that can be named; others are known by hearsay only."""
    return [build for build in stack.builds if build.file is not None or stack.packages]


def _for_python(stack: Stack, machine: Machine) -> list[StackBuild]:
    return [
        build
        for build in _files(stack)
        if machine.python is None or in_range(machine.python, build.python, "pep440")
    ]


def _for_system(build: StackBuild, machine: Machine) -> bool:
    """Whether the file of the build, where it is one, is for this system, as its tags say."""
    if build.file is None or not build.file.endswith(".whl"):
        return True
    _, _, _, tags = parse_wheel_filename(build.file)
    for_windows = {tag.platform.startswith("win") for tag in tags if tag.platform != "any"}
    return not for_windows or (machine.system == "windows") in for_windows


def _for_libc(build: StackBuild, machine: Machine) -> bool:
    if machine.system == "windows":
        return True
    has = machine.distribution.c_library if machine.distribution is not None else None
    return has is None or in_range(has, build.glibc, "dotted")


def _for_family(build: StackBuild, machine: Machine) -> bool:
    return not build.families or machine.family is None or machine.family.family in build.families
