# SPDX-License-Identifier: MIT
"""The facts about GPUs and the nodes that lead to them, with what tables and reasoning add."""

from typing import Annotated

from clprobe.model.fact import FactStruct, described
from clprobe.model.hardware import DeviceNode, Gpu
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

AMBIGUOUS = Unknown(unknown="a device may stand for this GPU or for another")
"""Two GPUs of one kind, or a device that does not say which it is."""

VENDORS = ("intel", "amd", "nvidia", "arm", "qualcomm", "broadcom", "virtual", "other")
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
    covers: Annotated[
        Fact[bool],
        described("whether this version drives this PCI id", "table of implementations"),
    ] = NOT_STATED
    likely_covers: Annotated[
        Fact[bool],
        described(
            "the same, or, where the version is not stated, of the version that the distribution "
            "packages",
            "tables of implementations and distributions",
        ),
    ] = NOT_STATED
    too_old: Annotated[
        Fact[bool],
        described("not covered, but by a later version", "table of implementations"),
    ] = NOT_STATED
    too_new: Annotated[
        Fact[bool],
        described("not covered any more, but by an earlier version", "table of implementations"),
    ] = NOT_STATED
    linux_fits: Annotated[
        Fact[bool],
        described("whether this Linux is one that it can work with", "uname -r, implementations"),
    ] = NOT_STATED
    linux_suspect: Annotated[
        Fact[bool],
        described(
            "whether some version of it is known to fail on this Linux and GPU",
            "uname -r, table of implementations",
        ),
    ] = NOT_STATED
    linux_problem: Annotated[
        Fact[str | None],
        described(
            "what is known to go wrong between this version and this Linux; null: nothing",
            "uname -r, table of implementations",
        ),
    ] = NOT_STATED
    known_flaw: Annotated[
        Fact[str | None],
        described(
            "what this version is known to do wrong on this GPU; null: nothing",
            "table of implementations",
        ),
    ] = NOT_STATED
    loadable: Annotated[
        Fact[bool], described("whether its library loads and answers", "asked alone in a child")
    ] = NOT_STATED


class GpuFacts(Gpu, frozen=True, kw_only=True):
    """A GPU with what the tables know of it and what became of it in OpenCL."""

    vendor: Annotated[
        Fact[str],
        described(
            "who made it; virtual: a hypervisor draws it",
            "/sys/bus/pci/devices/{pci_address}/vendor",
            values=VENDORS,
        ),
    ] = NOT_STATED
    generation: Annotated[
        Fact[str | None],
        described("key in the generations table; null: not in it", "{pci_id} in the GPU table"),
    ] = NOT_STATED
    pytorch_xpu: Annotated[
        Fact[str | None],
        described(
            "PyTorch's XPU backend on it; null: not Intel's",
            "{generation} in the table of stacks",
            values=("works", "untested", "fails"),
        ),
    ] = NOT_STATED
    family: Annotated[
        Fact[str | None],
        described("of AMD's or NVIDIA's chips, such as Polaris; null: another vendor's", "{name}"),
    ] = NOT_STATED
    codename: Annotated[
        Fact[str | None], described("such as Kaby Lake", "{pci_id} in the GPU table")
    ] = NOT_STATED
    marketing_name: Annotated[
        Fact[str | None], described("such as HD Graphics 620", "{pci_id} in the GPU table")
    ] = NOT_STATED
    label: Annotated[str, described("how findings name it")] = "GPU"
    computes: Annotated[
        Fact[bool],
        described("whether any OpenCL driver for its kind exists on Linux", "GPU table"),
    ] = NOT_STATED
    bound: Annotated[
        Fact[bool],
        described(
            "whether a kernel driver has it; without a word on that, whether it has a node",
            "/sys/bus/pci/devices/{pci_address}/driver, /dev/dri",
        ),
    ] = NOT_STATED
    discrete: Annotated[
        Fact[bool], described("whether it is a card with memory of its own", "table of generations")
    ] = NOT_STATED
    needs_firmware: Annotated[
        Fact[bool],
        described(
            "whether it does not start without firmware (GuC)", "table of generations, Linux"
        ),
    ] = NOT_STATED
    linux_binds: Annotated[
        Fact[str],
        described(
            "whether this Linux has a driver for it; forced: with force_probe",
            "uname -r, table of generations",
            values=("by-itself", "forced", "no"),
        ),
    ] = NOT_STATED
    linux_suspect: Annotated[
        Fact[bool],
        described(
            "whether some version of a driver for it is known to fail on this Linux, or, where "
            "that is not stated, on the one that the distribution ships",
            "uname -r, /etc/os-release, table of implementations",
        ),
    ] = NOT_STATED
    implementations: Annotated[
        Fact[tuple[str, ...]],
        described("implementations that drive it in some version", "table of implementations"),
    ] = NOT_STATED
    left_out_by: Annotated[
        Fact[tuple[str, ...]],
        described(
            "implementations whose later releases no longer drive it", "table of generations"
        ),
    ] = NOT_STATED
    installable: Annotated[
        Fact[str | None],
        described(
            "the first implementation that this distribution packages in a version that drives it",
            "table of distributions",
        ),
    ] = NOT_STATED
    installed: Annotated[
        Fact[tuple[str, ...]],
        described("registered implementations meant for its vendor", "names of registered ICDs"),
    ] = NOT_STATED
    fits: Annotated[
        Fact[tuple[Fit, ...]], described("registered ICDs meant for its vendor, judged")
    ] = NOT_STATED
    has_device: Annotated[
        Fact[bool], described("whether an OpenCL device stands for it", "OpenCL devices seen")
    ] = NOT_STATED


class NodeFacts(DeviceNode, frozen=True, kw_only=True):
    """A device node with the reason why this process may not open it."""

    vendor: Annotated[
        Fact[str],
        described("vendor of the GPU behind it", "PCI function {pci_address}", values=VENDORS),
    ] = NOT_STATED
    errno: Annotated[
        Fact[str | None],
        described(
            "errno of opening it as this user, real or predicted; null: it opens",
            'open("{path}", O_RDWR), else mode {mode}, owner {uid}, group {gid}',
        ),
    ] = NOT_STATED
    is_predicted: Annotated[
        bool, described("whether nobody tried, so that errno follows from the permissions")
    ] = False
    may_open: Annotated[
        Fact[bool],
        described(
            "whether permissions let this user open it; predicted where nobody tried",
            'open("{path}", O_RDWR), mode {mode}, group {group}',
        ),
    ] = NOT_STATED
    denied_because: Annotated[
        Fact[str | None],
        described(
            "why it may not be opened; null: not denied",
            "mode {mode} and group {gid} of {path}, groups of the process and the database",
            values=DENIALS,
        ),
    ] = NOT_STATED
    admitted_by: Annotated[
        Fact[str | None],
        described(
            "the entry that lets this user in; root: only its capability; null: not admitted",
            "mode {mode}, access list {acl}, groups of the process",
            values=("owner", "named-user", "group", "named-group", "other", "root"),
        ),
    ] = NOT_STATED
    foreign_group: Annotated[
        bool,
        described(
            "whether its group number is that of an unrelated group here, as in containers",
            "group {gid} in the group database",
        ),
    ] = False
    others_may_open: Annotated[
        Fact[bool],
        described(
            "whether users in no special group may open it, whoever asks", "mode {mode} of {path}"
        ),
    ] = NOT_STATED
    group_label: Annotated[
        Fact[str], described("group name, or its number where it has none", "stat {path}")
    ] = NOT_STATED
    closed_folder: Annotated[
        str | None, described("folder on the way that this user may not search; null: none")
    ] = None
    open_to: Annotated[str, described("who may open it, root aside, in words")] = "nobody"


class NvidiaFacts(FactStruct, frozen=True, kw_only=True):
    """The two halves of NVIDIA's driver."""

    module_version: Annotated[
        Fact[str | None],
        described("of the loaded kernel module; null: it tells none", "/sys/module/nvidia/version"),
    ] = NOT_STATED
    library_version: Annotated[
        Fact[str],
        described(
            "of the libraries that programs load", "names of libnvidia-*.so, package database"
        ),
    ] = NOT_STATED
    versions_differ: Annotated[
        Fact[bool],
        described("whether both are known and not the same", "/sys/module/nvidia/version, names"),
    ] = NOT_STATED


class IntelFacts(FactStruct, frozen=True, kw_only=True):
    """The parts of Intel's driver that it opens by name."""

    compiler_wanted: Annotated[
        Fact[str | None],
        described(
            "library of IGC that the installed compute-runtime loads; null: it is not installed",
            "version of compute-runtime",
        ),
    ] = NOT_STATED
    compiler_version: Annotated[
        Fact[str | None],
        described("of the package of IGC; null: no such package", "package database"),
    ] = NOT_STATED
    compiler_changed_alone: Annotated[
        Fact[bool],
        described(
            "whether an upgrade replaced IGC and left the driver as it was",
            "package database, now and before",
        ),
    ] = NOT_STATED
    compiler_fits: Annotated[
        Fact[bool | None],
        described(
            "whether that library is there; null: there is no compute-runtime",
            "ldconfig -p, package database",
        ),
    ] = NOT_STATED
