# SPDX-License-Identifier: MIT
"""Snapshot: all facts about one host, versioned, and nothing but facts."""

from typing import Annotated

import msgspec

from clprobe.model.fact import FactStruct, described
from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.opencl import Framework, Icd, Loader, Pair, View
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
    package_sources: Annotated[
        Fact[tuple[str, ...]],
        described(
            "repositories beyond the distribution's own, such as repositories.intel.com/gpu/ubuntu",
            "/etc/apt/sources.list.d, /etc/yum.repos.d",
        ),
    ] = NOT_STATED
    package_trouble: Annotated[
        Fact[str | None],
        described(
            "what the package manager complains about, in its words; null: nothing",
            "package manager",
        ),
    ] = NOT_STATED
    libraries: Annotated[
        dict[str, str | Unknown | None],
        described(
            "libraries that drivers and frameworks open while they run, such as libigc.so.2, "
            "libigdgmm.so.12, libze_loader.so.1: the file; null: the linker finds none",
            "ldconfig -p",
        ),
    ] = msgspec.field(default_factory=dict)
    loaders: Annotated[Fact[tuple[Loader, ...]], described("every libOpenCL.so.1")] = NOT_STATED
    icds: Annotated[Fact[tuple[Icd, ...]], described("every registered ICD")] = NOT_STATED
    pairs: Annotated[
        Fact[tuple[Pair, ...]],
        described(
            "every two ICDs that answer alone, together in one process",
            "clprobe doctor --pairs",
            on_request=True,
        ),
    ] = NOT_STATED
    views: Annotated[
        Fact[tuple[View, ...]], described("what programs see through their loaders")
    ] = NOT_STATED
    frameworks: Annotated[
        Fact[tuple[Framework, ...]],
        described("PyTorch and the like in this Python, and which GPUs they were built for"),
    ] = NOT_STATED
    messages: Annotated[
        Fact[tuple[str, ...]],
        described("what programs, drivers or Linux printed, one message an entry, as reported"),
    ] = NOT_STATED
    unread: Annotated[
        tuple[str, ...], described("lines of a report that nobody understood; no rule asks them")
    ] = ()
    scrubbed: Annotated[
        dict[str, int],
        described(
            "what was replaced or left out, such as user-name or mac-address, and how often; "
            "left out: nothing, or nobody looked"
        ),
    ] = msgspec.field(default_factory=dict)
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
    """Facts that differ for another user (root), another place (container, host) or time."""

    who: Annotated[Fact[str], described("user, such as root; left out: the same user")] = NOT_STATED
    where: Annotated[Fact[str], described("host, container …; left out: the same place")] = (
        NOT_STATED
    )
    when: Annotated[
        Fact[str], described("before (an upgrade, when it still worked); left out: the same time")
    ] = NOT_STATED
    facts: Snapshot = Snapshot()
