# SPDX-License-Identifier: MIT
"""NVIDIA's kernel module and libraries must be of one version: what tells each, compared."""

import re
from collections.abc import Iterator

from clprobe.facts.hardware_facts import NvidiaFacts
from clprobe.model.snapshot import Snapshot
from clprobe.model.unknown import NOT_STATED, Fact, Unknown, listed

_RELEASE = r"\d{3}\.\d{2,3}(?:\.\d{2,3})?"
_DRIVER_PACKAGE = re.compile(
    r"libnvidia-compute|nvidia-(driver|utils|opencl-icd|compute|libs)|opencl-nvidia"
    r"|xorg-x11-drv-nvidia"
)
_LIBRARIES = ("libnvidia-opencl.so.1", "libcuda.so.1", "libnvidia-ml.so.1")


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
        match = re.search(rf"lib(?:nvidia-|cuda)[^/]*\.so\.({_RELEASE})$", str(path))
        if match is not None:
            yield match[1]


def _by_package(snapshot: Snapshot) -> Iterator[str]:
    for package in listed(snapshot.packages):
        gone = package.state in ("removed", "config-files")
        if gone or not _DRIVER_PACKAGE.match(package.name) or isinstance(package.version, Unknown):
            continue
        match = re.match(rf"(?:\d+:)?({_RELEASE})\b", package.version)
        if match is not None:
            yield match[1]
