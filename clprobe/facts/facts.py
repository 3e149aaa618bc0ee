# SPDX-License-Identifier: MIT
"""The facts that rules ask about: the snapshot's, and those that tables and reasoning add.

Each type extends its counterpart in `clprobe.model`, so a path in a rule reads like the path in a
snapshot: `gpu.kernel_driver` is read from the host, `gpu.generation` is derived from the PCI id.
"""

from typing import Annotated

import msgspec

from clprobe.facts.hardware_facts import VENDORS, GpuFacts, IntelFacts, NodeFacts, NvidiaFacts
from clprobe.model.access import Folder
from clprobe.model.fact import FactStruct, described
from clprobe.model.opencl import (
    LOADER_KINDS,
    Device,
    Framework,
    Icd,
    Loader,
    Outcome,
    Pair,
    Stage,
    View,
)
from clprobe.model.placeholders import USER
from clprobe.model.system import Package, System, User
from clprobe.model.unknown import NOT_STATED, Fact, Unknown

FILE_FAULTS = (
    "utf-16", "carriage-return", "byte-order-mark", "blanks", "comment", "quotation-marks",
    "several-lines", "no-library-name", "empty", "too-long", "not-a-file",
)  # fmt: skip
LIBRARY_FAULTS = (
    "missing", "unreadable", "empty", "not-elf", "directory", "truncated", "damaged-headers",
    "other-architecture", "missing-dependency",
)  # fmt: skip


class LoaderFacts(Loader, frozen=True, kw_only=True):
    """A loader with whom it serves and what it leaves out."""

    serves_programs: Annotated[
        Fact[bool],
        described("whether programs without a loader of their own get it", "ldconfig -p, {path}"),
    ] = NOT_STATED

    missed_icds: Annotated[
        Fact[tuple[str, ...]],
        described("ICDs with devices that only other loaders read", ".icd folders of each loader"),
    ] = NOT_STATED


class IcdFacts(Icd, frozen=True, kw_only=True):
    """A registered ICD with what it is and how it ended."""

    closed_folder: Annotated[
        Fact[Folder | None],
        described("first folder on the way to its file or library that the user may not search"),
    ] = None
    in_system_folder: Annotated[
        bool, described("whether that folder is root's, in /usr, /opt or /etc: no private one")
    ] = False
    implementation: Annotated[
        Fact[str | None],
        described("key in the implementations table; null: not recognised", "{library_name}"),
    ] = NOT_STATED
    title: Annotated[str, described("what people call the implementation")] = "this ICD"
    drives: Annotated[
        Fact[str | None],
        described(
            "what it computes on; null: not recognised",
            "table of implementations",
            values=("gpu", "cpu", "several"),
        ),
    ] = NOT_STATED
    vendor: Annotated[
        Fact[str | None],
        described(
            "whose GPUs it drives; cpu: nobody's; null: not recognised",
            "table of implementations",
            values=(*VENDORS, "several", "cpu"),
        ),
    ] = NOT_STATED
    version: Annotated[
        Fact[str],
        described("version of the runtime", "CL_DRIVER_VERSION, else version of package {package}"),
    ] = NOT_STATED
    file_name: Annotated[str, described("the last part of its path", "{path}")] = ""
    relocated: Annotated[
        Fact[str | None],
        described("the library of that name in the prefix that {path} stands in", "{path}"),
    ] = NOT_STATED
    is_read: Annotated[
        Fact[bool], described("whether any loader reads it", "search paths of the loaders")
    ] = NOT_STATED
    file_fault: Annotated[
        Fact[str | None],
        described(
            "what is wrong with the file; null: nothing",
            "{path}",
            values=FILE_FAULTS,
        ),
    ] = NOT_STATED
    library_fault: Annotated[
        Fact[str | None],
        described(
            "what is wrong with the library; null: nothing",
            "the library that {path} names",
            values=LIBRARY_FAULTS,
        ),
    ] = NOT_STATED
    stage: Annotated[
        Fact[Stage | None],
        described("last stage that was reached; null: not asked", "asked alone in a child"),
    ] = NOT_STATED
    outcome: Annotated[
        Fact[Outcome | None],
        described(
            'how it ended, a driver\'s own way to say "no device" translated; null: not asked',
            "asked alone in a child",
        ),
    ] = NOT_STATED
    detail: Annotated[str, described("how it ended, in words")] = ""
    device_count: Annotated[
        Fact[int], described("devices of all its platforms", "clGetDeviceIDs of {path}")
    ] = NOT_STATED
    printed_text: Annotated[
        Fact[str], described("what it printed and said, in one text", "its standard streams")
    ] = NOT_STATED


class DeviceFacts(Device, frozen=True, kw_only=True):
    """An OpenCL device with its place and what the tables know of it."""

    platform: Annotated[Fact[str], described("CL_PLATFORM_NAME")] = NOT_STATED
    icd: Annotated[Fact[str], described("the .icd file that it came from")] = NOT_STATED
    library: Annotated[Fact[str | None], described("the library that it came from")] = NOT_STATED
    seen_by: Annotated[tuple[str, ...], described("programs that see it")] = ()
    implementation: Annotated[
        Fact[str | None],
        described("key in the implementations table; null: not recognised", "CL_PLATFORM_NAME"),
    ] = NOT_STATED
    pci_id: Annotated[
        Fact[str | None],
        described("vendor:device; null: the device is no PCI function", "vendor's device query"),
    ] = NOT_STATED
    generation: Annotated[
        Fact[str | None],
        described("key in the generations table; null: none", "PCI id or CL_DEVICE_IP_VERSION"),
    ] = NOT_STATED
    marketing_name: Annotated[
        Fact[str | None], described("such as HD Graphics 620", "{pci_id} in the GPU table")
    ] = NOT_STATED
    usable: Annotated[
        Fact[bool],
        described(
            "available, its driver survived, and no kernel came out wrong",
            "CL_DEVICE_AVAILABLE, known-answer kernel",
        ),
    ] = NOT_STATED
    disguised: Annotated[
        Fact[bool],
        described(
            "a CPU that calls itself a GPU",
            "CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION",
        ),
    ] = NOT_STATED
    software: Annotated[
        Fact[bool], described("computed by the CPU whatever its type says", "implementation")
    ] = NOT_STATED


class PairFacts(Pair, frozen=True, kw_only=True):
    """Two ICDs in one process, judged."""

    name: Annotated[str, described("both .icd files, as one text")] = ""
    second: Annotated[str, described("the one that was loaded last")] = ""
    outcome: Annotated[Fact[Outcome], described("how it ended", "both loaded into one child")] = (
        NOT_STATED
    )
    detail: Annotated[Fact[str], described("how it ended, in words", "the child's end")] = (
        NOT_STATED
    )


class ViewFacts(View, frozen=True, kw_only=True):
    """What one program sees, compared with the others."""

    outcome: Annotated[
        Fact[Outcome], described("how it ended", "asked in a child process as {viewer}")
    ] = NOT_STATED
    device_count: Annotated[
        Fact[int], described("devices that it sees", "clGetDeviceIDs as {viewer}")
    ] = NOT_STATED
    missing_devices: Annotated[
        Fact[tuple[str, ...]],
        described("devices that work elsewhere and that it does not see", "the other viewers"),
    ] = NOT_STATED
    loader_kind: Annotated[
        Fact[str | None],
        described("kind of its loader; null: it has none", "{loader}", values=LOADER_KINDS),
    ] = NOT_STATED
    printed_text: Annotated[
        Fact[str], described("what it printed and said, in one text", "its standard streams")
    ] = NOT_STATED
    lacks_loader: Annotated[
        bool, described("whether it looked for a loader and found none", "dlopen as {viewer}")
    ] = False


class FrameworkFacts(Framework, frozen=True, kw_only=True):
    """A machine-learning framework beside the PyTorch that it extends."""

    fits_pytorch: Annotated[
        Fact[bool],
        described(
            "whether the PyTorch beside it is one that it was built against", "metadata of {name}"
        ),
    ] = NOT_STATED


class Boot(FactStruct, frozen=True, kw_only=True):
    """How the system was started."""

    parameters: Annotated[
        Fact[tuple[str, ...]], described("words of the boot command line", "/proc/cmdline")
    ] = NOT_STATED


class UserFacts(User, frozen=True, kw_only=True):
    """The user, judged."""

    is_root: Annotated[Fact[bool], described("whether the user id is 0", "geteuid()")] = NOT_STATED
    label: Annotated[str, described("how remedies name the user; USER: a person")] = USER
    subject: Annotated[str, described("how texts begin: You, or the user who is asked about")] = (
        "You"
    )


class OpenclFacts(FactStruct, frozen=True, kw_only=True):
    """The sum of it: is there anything to compute on."""

    usable_device: Annotated[
        Fact[bool], described("whether a usable device of any type exists", "all ICDs and viewers")
    ] = NOT_STATED
    gpu_device: Annotated[
        Fact[bool], described("whether a usable device is a real GPU", "all ICDs and viewers")
    ] = NOT_STATED
    any_gpu: Annotated[
        Fact[bool],
        described("whether a GPU or a way to one is there", "PCI functions, /dev/dri, /dev/dxg"),
    ] = NOT_STATED
    empty_platforms: Annotated[
        tuple[str, ...],
        described("platforms that were shown without any device", "clGetDeviceIDs"),
    ] = ()
    idle_drivers: Annotated[
        Fact[tuple[str, ...]],
        described(
            "installed drivers of whose maker no GPU is on the bus",
            ".icd files, packages, PCI functions",
        ),
    ] = NOT_STATED
    loader_found: Annotated[
        Fact[bool], described("whether any libOpenCL.so.1 was found", "ldconfig -p and other ways")
    ] = NOT_STATED
    icd_registered: Annotated[
        Fact[bool],
        described(
            "whether any loader finds an ICD; a driver's package or platform tells it too",
            ".icd folders of the loaders",
        ),
    ] = NOT_STATED
    plain_loader: Annotated[
        Fact[bool],
        described("whether a plain program finds libOpenCL.so.1", "ldconfig -p, dlopen"),
    ] = NOT_STATED


class OtherFacts(FactStruct, frozen=True, kw_only=True):
    """The answer to the same question for another user or in another place."""

    who: Annotated[Fact[str | None], described("user; null: the same user")] = NOT_STATED
    where: Annotated[Fact[str | None], described("place; null: the same place")] = NOT_STATED
    when: Annotated[Fact[str | None], described("time; null: the same time")] = NOT_STATED
    is_root: Annotated[Fact[bool], described("whether it is root who sees this")] = NOT_STATED
    environment: Annotated[
        dict[str, str | Unknown | None],
        described("variables that matter to OpenCL there; null: not set", "environment"),
    ] = msgspec.field(default_factory=dict)
    usable_device: Annotated[
        Fact[bool], described("whether a usable device exists there", "all its ICDs and viewers")
    ] = NOT_STATED
    gpu_device: Annotated[
        Fact[bool], described("whether a usable GPU exists there", "all its ICDs and viewers")
    ] = NOT_STATED
    called_sudo: Annotated[
        bool, described("whether it is the user who became root by sudo", "SUDO_UID")
    ] = False
    closed_nodes: Annotated[
        tuple[str, ...],
        described(
            "nodes to a GPU that this user may not open",
            "modes of the nodes, this user's groups in the group database",
        ),
    ] = ()
    needed_groups: Annotated[
        str,
        described("groups that would open them, as usermod takes them", "groups of the nodes"),
    ] = ""


class Facts(FactStruct, frozen=True, kw_only=True):
    """Everything a rule may ask; each name below starts a path."""

    system: System = System()
    user: UserFacts = UserFacts()
    environment: Annotated[
        dict[str, str | Unknown | None],
        described("variables that matter to OpenCL; null: not set", "environment"),
    ] = msgspec.field(default_factory=dict)
    boot: Boot = Boot()
    gpus: Annotated[Fact[tuple[GpuFacts, ...]], described("GPUs", "/sys/bus/pci/devices")] = (
        NOT_STATED
    )
    device_nodes: Annotated[
        Fact[tuple[NodeFacts, ...]], described("device nodes", "/dev/dri, /dev/kfd, /dev/nvidia*")
    ] = NOT_STATED
    packages: Annotated[
        Fact[tuple[Package, ...]], described("installed packages", "package database")
    ] = NOT_STATED
    package_sources: Annotated[
        Fact[tuple[str, ...]],
        described("repositories beyond the distribution's", "/etc/apt, /etc/yum.repos.d"),
    ] = NOT_STATED
    package_trouble: Annotated[
        Fact[str | None],
        described("complaint of the package manager; null: none", "package manager"),
    ] = NOT_STATED
    libraries: Annotated[
        dict[str, str | Unknown | None],
        described("libraries opened at run time by name; null: not found", "ldconfig -p"),
    ] = msgspec.field(default_factory=dict)
    frameworks: Annotated[
        Fact[tuple[FrameworkFacts, ...]],
        described("PyTorch and the like", "this Python's packages"),
    ] = NOT_STATED
    loaders: Annotated[
        Fact[tuple[LoaderFacts, ...]], described("ICD loaders", "ldconfig -p and other ways")
    ] = NOT_STATED
    icds: Annotated[
        Fact[tuple[IcdFacts, ...]], described("registered ICDs", ".icd folders of the loaders")
    ] = NOT_STATED
    devices: Annotated[
        Fact[tuple[DeviceFacts, ...]], described("OpenCL devices", "each ICD asked alone")
    ] = NOT_STATED
    pairs: Annotated[
        Fact[tuple[PairFacts, ...]],
        described(
            "every two ICDs that answer alone, together", "clprobe doctor --pairs", on_request=True
        ),
    ] = NOT_STATED
    views: Annotated[
        Fact[tuple[ViewFacts, ...]], described("what programs see", "programs' own loaders")
    ] = NOT_STATED
    others: Annotated[
        tuple[OtherFacts, ...], described("what others see", "the same, asked elsewhere")
    ] = ()
    said: Annotated[
        Fact[str],
        described(
            "everything that drivers, programs, the package manager and Linux printed, in one text",
            "messages of programs, dmesg",
        ),
    ] = NOT_STATED
    opencl: OpenclFacts = OpenclFacts()
    intel: IntelFacts = IntelFacts()
    nvidia: NvidiaFacts = NvidiaFacts()
    excerpts: Annotated[tuple[str, ...], described("lists above that may name only a part")] = ()
