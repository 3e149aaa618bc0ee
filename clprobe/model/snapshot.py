# SPDX-License-Identifier: MIT
"""Snapshot: all facts about one host, versioned, and nothing but facts."""

from typing import Annotated

import msgspec

from clprobe.model.fact import FactStruct, described
from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.opencl import Icd, Loader, View
from clprobe.model.system import Package, System, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

SCHEMA = "clprobe.snapshot/1"


class Snapshot(FactStruct, frozen=True, kw_only=True):
    """Facts about one host. Any field may be left out and then means "not known"."""

    schema: Annotated[str, described("name and version of this format")] = SCHEMA
    clprobe: Annotated[Fact[str], described("version of clprobe that wrote it")] = NOT_STATED
    source: Annotated[
        Fact[str], described("live, or where the facts come from, such as an issue's address")
    ] = NOT_STATED
    taken: Annotated[Fact[str], described("date and time, RFC 3339")] = NOT_STATED
    system: System = System()
    user: User = User()
    environment: Annotated[
        dict[str, str | Unknown | None],
        described("variables that matter to OpenCL; null: looked for and not set", "environment"),
    ] = msgspec.field(default_factory=dict)
    gpus: Annotated[Fact[tuple[Gpu, ...]], described("PCI functions of class display")] = NOT_STATED
    device_nodes: Annotated[
        Fact[tuple[DeviceNode, ...]], described("/dev/dri, /dev/kfd, /dev/nvidia*, /dev/dxg")
    ] = NOT_STATED
    packages: Annotated[Fact[tuple[Package, ...]], described("installed packages that matter")] = (
        NOT_STATED
    )
    loaders: Annotated[Fact[tuple[Loader, ...]], described("every libOpenCL.so.1")] = NOT_STATED
    icds: Annotated[Fact[tuple[Icd, ...]], described("every registered ICD")] = NOT_STATED
    views: Annotated[
        Fact[tuple[View, ...]], described("what programs see through their loaders")
    ] = NOT_STATED
    excerpts: Annotated[
        tuple[str, ...],
        described("lists above that name only a part; all others are taken as whole"),
    ] = ("packages",)
    perspectives: Annotated[
        # One text, because Python 3.10 does not resolve a name inside tuple[…].
        "tuple[Perspective, ...]",
        described("the same questions asked as someone else or somewhere else"),
    ] = ()


class Perspective(FactStruct, frozen=True, kw_only=True):
    """Facts that differ for another user (root) or in another place (a container, its host)."""

    who: Annotated[Fact[str], described("user, such as root; left out: the same user")] = NOT_STATED
    where: Annotated[Fact[str], described("host, container …; left out: the same place")] = (
        NOT_STATED
    )
    facts: Snapshot = Snapshot()
