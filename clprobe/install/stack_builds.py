# SPDX-License-Identifier: MIT
"""What a deep-learning stack does on a machine's GPU, and the build that the machine gets of it."""

import re

from clprobe.install.machine import Machine
from clprobe.knowledge.stack_table import Stack, StackBuild, StackSupport
from clprobe.knowledge.versions import in_range, in_words, newest

DRIVERS = {"nvidia": "nvidia", "amd": "amd-rocm"}
"""The OpenCL implementation that comes with the driver that a vendor's stacks need."""


def support_for(stack: Stack, machine: Machine) -> StackSupport | None:
    """Return what the table says of the stack on this GPU; None: nothing."""
    if machine.family is not None:
        of_family = (s for s in stack.supports if machine.family.family in s.families)
        return next((s for s in of_family if _is_named(s, machine.gpu_name)), None)
    if stack.vendor in DRIVERS and stack.vendor == machine.vendor:
        return StackSupport(
            outcome="untested",
            because=f"it is made for GPUs of that vendor, and no table knows {machine.gpu_name}",
            via=(DRIVERS[stack.vendor],),
            sources=stack.sources,
        )
    key = machine.generation.generation if machine.generation is not None else None
    return next((s for s in stack.supports if key in s.generations), None)


def _is_named(support: StackSupport, gpu: str) -> bool:
    return not support.names or any(re.search(one, gpu, re.IGNORECASE) for one in support.names)


def build_for(stack: Stack, machine: Machine, driver: str | None = None) -> StackBuild | None:
    """Return the newest build for the machine and the GPU's driver, so far as they are known."""
    fitting = [
        build
        for build in _for_python(stack, machine)
        if _for_libc(build, machine)
        and _for_system(build, machine)
        and _for_gpu(build, stack, machine)
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
    kind = "builds" if any(build.lines for build in stack.builds) else "wheels"
    if not builds:
        return f"none of its {kind} is for {machine.os_name}"
    if not any(_for_libc(build, machine) for build in builds):
        release = machine.distribution
        has = release.c_library if release is not None and release.c_library != "0" else "musl"
        needed = " or ".join(dict.fromkeys(in_words(build.glibc) for build in builds))
        return f"its {kind} are for glibc {needed}; {machine.os_name} has {has}"
    gpu = machine.family.name if machine.family is not None else machine.gpu_name
    system = " for WSL2" if machine.system == "wsl2" else ""
    return f"its {kind}{system} hold no code for {gpu}"


def takes_driver(build: StackBuild, driver: str | None) -> bool:
    """Whether the build works with that version of the GPU's driver; None is "not known"."""
    return driver is None or in_range(driver, build.driver, "dotted")


def _files(stack: Stack) -> list[StackBuild]:
    """Return the builds that can be named; others are known by hearsay only."""
    builds = stack.builds
    return [one for one in builds if one.file is not None or one.lines or stack.packages]


def _for_python(stack: Stack, machine: Machine) -> list[StackBuild]:
    return [
        build
        for build in _files(stack)
        if machine.python is None or in_range(machine.python, build.python, "pep440")
    ]


def _for_system(build: StackBuild, machine: Machine) -> bool:
    """Whether the build is for this system, as its entry says or the tags of its file."""
    if build.systems:
        return machine.system in build.systems
    if build.file is None or not build.file.endswith(".whl"):
        return True
    from packaging.utils import parse_wheel_filename  # noqa: PLC0415 - most plans need no wheel

    _, _, _, tags = parse_wheel_filename(build.file)
    for_windows = {tag.platform.startswith("win") for tag in tags if tag.platform != "any"}
    return not for_windows or (machine.system == "windows") in for_windows


def _for_libc(build: StackBuild, machine: Machine) -> bool:
    if machine.system == "windows":
        return True
    has = machine.distribution.c_library if machine.distribution is not None else None
    return has is None or in_range(has, build.glibc, "dotted")


def _for_gpu(build: StackBuild, stack: Stack, machine: Machine) -> bool:
    support = support_for(stack, machine)
    if support is not None and support.chip is not None and build.chips:
        return support.chip in build.chips
    return not build.families or machine.family is None or machine.family.family in build.families
