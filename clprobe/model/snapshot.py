# SPDX-License-Identifier: MIT
"""Snapshot: all facts about one host, versioned, and nothing but facts."""

from clprobe.model.fact import FactStruct, fact
from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.interfaces import InterfaceFile
from clprobe.model.opencl import Framework, Icd, Loader, Pair, View
from clprobe.model.program import Program
from clprobe.model.statement import Statement
from clprobe.model.system import Package, System, User
from clprobe.model.unknown import Fact, Unknown

SCHEMA = "clprobe.snapshot/1"
OUTSIDE = "outside"
"""What `source` says of a place that was looked at here and now, but from outside of it."""


class Snapshot(FactStruct, frozen=True, kw_only=True):
    """Facts about one host. Any field may be left out and then means "not known"."""

    schema: str = fact("name and version of this format", default=SCHEMA)
    clprobe: Fact[str] = fact("version of clprobe that wrote it")
    source: Fact[str] = fact(
        "live, outside (a container and the like, looked at from outside), or where the facts come "
        "from, such as an issue's address"
    )
    taken: Fact[str] = fact("date and time, RFC 3339")
    system: System = System()
    user: User = User()
    environment: dict[str, str | Unknown | None] = fact(
        "variables that matter to OpenCL; null: looked for and not set", "environment", default={}
    )
    gpus: Fact[tuple[Gpu, ...]] = fact("PCI functions of class display")
    device_nodes: Fact[tuple[DeviceNode, ...]] = fact("/dev/dri, /dev/kfd, /dev/nvidia*, /dev/dxg")
    packages: Fact[tuple[Package, ...]] = fact("installed packages that matter")
    package_sources: Fact[tuple[str, ...]] = fact(
        "repositories beyond the distribution's own, such as repositories.intel.com/gpu/ubuntu",
        "/etc/apt/sources.list.d, /etc/yum.repos.d",
    )
    package_trouble: Fact[str | None] = fact(
        "what the package manager complains about, in its words; null: nothing", "package manager"
    )
    libraries: dict[str, str | Unknown | None] = fact(
        "libraries that drivers and frameworks open while they run, such as libigc.so.2, "
        "libigdgmm.so.12, libze_loader.so.1: the file; null: the linker finds none",
        "ldconfig -p",
        default={},
    )
    interfaces: Fact[tuple[InterfaceFile, ...]] = fact(
        "loaders and drivers of Vulkan, Level Zero, CUDA, ROCm and VA-API; []: none is installed"
    )
    loaders: Fact[tuple[Loader, ...]] = fact("every libOpenCL.so.1")
    icds: Fact[tuple[Icd, ...]] = fact("every registered ICD")
    pairs: Fact[tuple[Pair, ...]] = fact(
        "every two ICDs that answer alone, together in one process",
        "clprobe doctor --pairs",
        on_request=True,
    )
    views: Fact[tuple[View, ...]] = fact("what programs see through their loaders")
    frameworks: Fact[tuple[Framework, ...]] = fact(
        "PyTorch and the like in this Python, and which GPUs they were built for"
    )
    program: Program | None = fact("the program that was looked at; null: none was", default=None)
    messages: Fact[tuple[str, ...]] = fact(
        "what programs, drivers or Linux printed, one message an entry, as reported"
    )
    statements: tuple[Statement, ...] = fact(
        "what the sentences and lines of a report say, each by its kind and subject; no rule asks "
        "them",
        default=(),
    )
    unread: tuple[str, ...] = fact(
        "lines of a report that nobody understood; no rule asks them", default=()
    )
    told: tuple[str, ...] = fact(
        "lines of a report as they were pasted; no rule asks them, solved reports are compared "
        "with them",
        default=(),
    )
    scrubbed: dict[str, int] = fact(
        "what was replaced or left out, such as user-name or mac-address, and how often; "
        "left out: nothing, or nobody looked",
        default={},
    )
    excerpts: tuple[str, ...] = fact(
        "lists above that name only a part; all others are taken as whole", default=("packages",)
    )
    perspectives: "tuple[Perspective, ...]" = fact(
        "the same questions asked as someone else or somewhere else", default=()
    )


class Perspective(FactStruct, frozen=True, kw_only=True):
    """Facts that differ for another user (root), another place (container, host) or time."""

    who: Fact[str] = fact("user, such as root; left out: the same user")
    where: Fact[str] = fact("host, container …; left out: the same place")
    when: Fact[str] = fact("before (an upgrade, when it still worked); left out: the same time")
    facts: Snapshot = Snapshot()
