# SPDX-License-Identifier: MIT
"""The facts about GPUs and the nodes that lead to them, with what tables and reasoning add."""

from typing import Annotated

from clprobe.model.fact import FactStruct, described, fact
from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.unknown import Fact, Unknown

AMBIGUOUS = Unknown(unknown="a device may stand for this GPU or for another")
"""Two GPUs of one kind, or a device that does not say which it is."""

VENDORS = ("intel", "amd", "nvidia", "arm", "qualcomm", "broadcom", "apple", "virtual", "other")
DENIALS = (
    "not-in-group", "old-session", "group-without-name", "foreign-group", "root-only",
    "owner-denied", "group-denied", "access-list", "folder-closed", "nodev-mount",
    "user-namespace", "sandbox", "private-devices", "policy",
)  # fmt: skip
"""Why a node may not be opened."""


class Fit(FactStruct, frozen=True, kw_only=True):
    """One GPU beside one registered ICD of an implementation for GPUs of that vendor."""

    icd: Annotated[str, described("path of the .icd file")]
    implementation: Annotated[str, described("key in the implementations table")]
    version: Annotated[Fact[str], described("version of the runtime", "CL_DRIVER_VERSION, package")]
    covers: Fact[bool] = fact("whether this version drives this PCI id", "table of implementations")
    likely_covers: Fact[bool] = fact(
        "the same, or, where the version is not stated, of the version that the distribution "
        "packages",
        "tables of implementations and distributions",
    )
    too_old: Fact[bool] = fact("not covered, but by a later version", "table of implementations")
    too_new: Fact[bool] = fact(
        "not covered any more, but by an earlier version", "table of implementations"
    )
    linux_fits: Fact[bool] = fact(
        "whether this Linux is one that it can work with", "uname -r, implementations"
    )
    linux_problem: Fact[str | None] = fact(
        "what is known to go wrong between this version and this Linux; null: nothing",
        "uname -r, table of implementations",
    )
    known_flaw: Fact[str | None] = fact(
        "what this version is known to do wrong on this GPU; null: nothing",
        "table of implementations",
    )
    loadable: Fact[bool] = fact("whether its library loads and answers", "asked alone in a child")


class GpuFacts(Gpu, frozen=True, kw_only=True):
    """A GPU with what the tables know of it and what became of it in OpenCL."""

    vendor: Fact[str] = fact(
        "who made it; virtual: a hypervisor draws it",
        "/sys/bus/pci/devices/{pci_address}/vendor",
        values=VENDORS,
    )
    generation: Fact[str | None] = fact(
        "key in the generations table; null: not in it", "{pci_id} in the GPU table"
    )
    pytorch_xpu: Fact[str | None] = fact(
        "PyTorch's XPU backend on it; null: not Intel's",
        "{generation} in the table of stacks",
        values=("works", "untested", "fails"),
    )
    family: Fact[str | None] = fact(
        "of AMD's or NVIDIA's chips, such as Polaris; null: another vendor's", "{name}"
    )
    codename: Fact[str | None] = fact("such as Kaby Lake", "{pci_id} in the GPU table")
    marketing_name: Fact[str | None] = fact("such as HD Graphics 620", "{pci_id} in the GPU table")
    label: str = fact("how findings name it", default="GPU")
    computes: Fact[bool] = fact(
        "whether any OpenCL driver for its kind exists on Linux", "GPU table"
    )
    bound: Fact[bool] = fact(
        "whether a kernel driver has it; without a word on that, whether it has a node",
        "/sys/bus/pci/devices/{pci_address}/driver, /dev/dri",
    )
    discrete: Fact[bool] = fact(
        "whether it is a card with memory of its own", "table of generations"
    )
    needs_firmware: Fact[bool] = fact(
        "whether it does not start without firmware (GuC)", "table of generations, Linux"
    )
    linux_binds: Fact[str] = fact(
        "whether this Linux has a driver for it; forced: with force_probe",
        "uname -r, table of generations",
        values=("by-itself", "forced", "no"),
    )
    linux_suspect: Fact[bool] = fact(
        "whether some version of a driver for it is known to fail on this Linux, or, where "
        "that is not stated, on the one that the distribution ships",
        "uname -r, /etc/os-release, table of implementations",
    )
    implementations: Fact[tuple[str, ...]] = fact(
        "implementations that drive it in some version", "table of implementations"
    )
    left_out_by: Fact[tuple[str, ...]] = fact(
        "implementations whose later releases no longer drive it", "table of generations"
    )
    installable: Fact[str | None] = fact(
        "the first implementation that this distribution packages in a version that drives it",
        "table of distributions",
    )
    installed: Fact[tuple[str, ...]] = fact(
        "registered implementations meant for its vendor", "names of registered ICDs"
    )
    fits: Fact[tuple[Fit, ...]] = fact("registered ICDs meant for its vendor, judged")
    has_device: Fact[bool] = fact("whether an OpenCL device stands for it", "OpenCL devices seen")


class NodeFacts(DeviceNode, frozen=True, kw_only=True):
    """A device node with the reason why this process may not open it."""

    vendor: Fact[str] = fact(
        "vendor of the GPU behind it", "PCI function {pci_address}", values=VENDORS
    )
    errno: Fact[str | None] = fact(
        "errno of opening it as this user, real or predicted; null: it opens",
        'open("{path}", O_RDWR), else mode {mode}, owner {uid}, group {gid}',
    )
    is_predicted: bool = fact(
        "whether nobody tried, so that errno follows from the permissions", default=False
    )
    may_open: Fact[bool] = fact(
        "whether permissions let this user open it; predicted where nobody tried",
        'open("{path}", O_RDWR), mode {mode}, group {group}',
    )
    denied_because: Fact[str | None] = fact(
        "why it may not be opened; null: not denied",
        "mode {mode} and group {gid} of {path}, groups of the process and the database",
        values=DENIALS,
    )
    admitted_by: Fact[str | None] = fact(
        "the entry that lets this user in; root: only its capability; null: not admitted",
        "mode {mode}, access list {acl}, groups of the process",
        values=("owner", "named-user", "group", "named-group", "other", "root"),
    )
    foreign_group: bool = fact(
        "whether its group number is that of an unrelated group here, as in containers",
        "group {gid} in the group database",
        default=False,
    )
    others_may_open: Fact[bool] = fact(
        "whether users in no special group may open it, whoever asks", "mode {mode} of {path}"
    )
    group_label: Fact[str] = fact("group name, or its number where it has none", "stat {path}")
    closed_folder: str | None = fact(
        "folder on the way that this user may not search; null: none", default=None
    )
    open_to: str = fact("who may open it, root aside, in words", default="nobody")


class NvidiaFacts(FactStruct, frozen=True, kw_only=True):
    """The two halves of NVIDIA's driver."""

    module_version: Fact[str | None] = fact(
        "of the loaded kernel module; null: it tells none", "/sys/module/nvidia/version"
    )
    library_version: Fact[str] = fact(
        "of the libraries that programs load", "names of libnvidia-*.so, package database"
    )
    versions_differ: Fact[bool] = fact(
        "whether both are known and not the same", "/sys/module/nvidia/version, names"
    )


class IntelFacts(FactStruct, frozen=True, kw_only=True):
    """The parts of Intel's driver that it opens by name."""

    compiler_wanted: Fact[str | None] = fact(
        "library of IGC that the installed compute-runtime loads; null: it is not installed",
        "version of compute-runtime",
    )
    compiler_version: Fact[str | None] = fact(
        "of the package of IGC; null: no such package", "package database"
    )
    compiler_changed_alone: Fact[bool] = fact(
        "whether an upgrade replaced IGC and left the driver as it was",
        "package database, now and before",
    )
    gmmlib_needs: Fact[str | None] = fact(
        "oldest compute-runtime that works with the installed gmmlib; null: any, or no gmmlib",
        "package database",
    )
    gmmlib_fits: Fact[bool] = fact(
        "whether compute-runtime is as new as gmmlib needs it", "package database"
    )
    compiler_fits: Fact[bool | None] = fact(
        "whether that library is there; null: there is no compute-runtime",
        "ldconfig -p, package database",
    )
