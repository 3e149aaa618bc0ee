# SPDX-License-Identifier: MIT
"""The facts that rules ask about: the snapshot's, and those that tables and reasoning add.

Each type extends its counterpart in `clprobe.model`, so a path in a rule reads like the path in a
snapshot: `gpu.kernel_driver` is read from the host, `gpu.generation` is derived from the PCI id.
"""

from clprobe.facts.hardware_facts import VENDORS, GpuFacts, IntelFacts, NodeFacts, NvidiaFacts
from clprobe.model.access import Folder
from clprobe.model.fact import FactStruct, fact
from clprobe.model.interfaces import InterfaceFile
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
from clprobe.model.program import Program
from clprobe.model.system import Package, System, User
from clprobe.model.unknown import Fact, Unknown

FILE_FAULTS = {
    "utf-16": "the .icd file is written in UTF-16, which no loader reads",
    "carriage-return": "the .icd file has a carriage return (DOS line ending)",
    "byte-order-mark": "the .icd file starts with a byte order mark",
    "blanks": "the .icd file has blanks around the library's name",
    "comment": "the .icd file starts with a comment",
    "quotation-marks": "the .icd file has quotation marks around the library's name",
    "several-lines": "the .icd file has several lines",
    "no-library-name": "the .icd file's first line is no library name; not every user may read it",
    "empty": "the .icd file is empty",
    "too-long": "the .icd file's line is longer than a path can be",
    "not-a-file": "the .icd file is not a regular file",
}
"""What may be wrong with an .icd file, in words."""
LIBRARY_FAULTS = {
    "missing": "the library is not there",
    "unreadable": "the library may not be read",
    "empty": "the library is an empty file",
    "not-elf": "the library is not a shared library",
    "directory": "the library is a directory",
    "truncated": "the library is cut off",
    "damaged-headers": "the library's ELF headers are damaged",
    "other-architecture": "the library is for another processor",
    "missing-dependency": "a library that it needs is missing",
    "damaged-dependency": "a library that it needs is damaged",
}
"""What may be wrong with a library, in words."""


class LoaderFacts(Loader, frozen=True, kw_only=True):
    """A loader with whom it serves and what it leaves out."""

    serves_programs: Fact[bool] = fact(
        "whether programs without a loader of their own get it", "ldconfig -p, {path}"
    )

    fails: Fact[bool] = fact(
        "whether what was asked through it shows no device, though drivers here have some",
        "clGetDeviceIDs through {path}",
        default=False,
    )
    missed_icds: Fact[tuple[str, ...]] = fact(
        "ICDs with devices that only other loaders read", ".icd folders of each loader"
    )


class IcdFacts(Icd, frozen=True, kw_only=True):
    """A registered ICD with what it is and how it ended."""

    closed_folder: Fact[Folder | None] = fact(
        "first folder on the way to its file or library that the user may not search", default=None
    )
    in_system_folder: bool = fact(
        "whether that folder is root's, in /usr, /opt or /etc: no private one", default=False
    )
    implementation: Fact[str | None] = fact(
        "key in the implementations table; null: not recognised", "{library_name}"
    )
    title: str = fact("what people call the implementation", default="this ICD")
    drives: Fact[str | None] = fact(
        "what it computes on; null: not recognised",
        "table of implementations",
        values=("gpu", "cpu", "several"),
    )
    vendor: Fact[str | None] = fact(
        "whose GPUs it drives; cpu: nobody's; null: not recognised",
        "table of implementations",
        values=(*VENDORS, "several", "cpu"),
    )
    version: Fact[str] = fact(
        "version of the runtime", "CL_DRIVER_VERSION, else version of package {package}"
    )
    file_name: str = fact("the last part of its path", "{path}", default="")
    relocated: Fact[str | None] = fact(
        "the library of that name in the prefix that {path} stands in", "{path}"
    )
    is_read: Fact[bool] = fact("whether any loader reads it", "search paths of the loaders")
    file_fault: Fact[str | None] = fact(
        "what is wrong with the file; null: nothing", "{path}", values=FILE_FAULTS
    )
    library_fault: Fact[str | None] = fact(
        "what is wrong with the library; null: nothing",
        "the library that {path} names",
        values=LIBRARY_FAULTS,
    )
    stage: Fact[Stage | None] = fact(
        "last stage that was reached; null: not asked", "asked alone in a child"
    )
    outcome: Fact[Outcome | None] = fact(
        'how it ended, a driver\'s own way to say "no device" translated; null: not asked',
        "asked alone in a child",
    )
    detail: str = fact("how it ended, in words", default="")
    device_count: Fact[int] = fact("devices of all its platforms", "clGetDeviceIDs of {path}")
    printed_text: Fact[str] = fact("what it printed and said, in one text", "its standard streams")
    narrowing_variable: str = fact(
        "where it shows no device, the variable that chooses none of those that are always there; "
        "empty: none",
        "table of implementations",
        default="",
    )
    narrowed_by: str = fact("that variable with its value", default="")
    narrowing: str = fact("why that value chooses none, in words", default="")


class DeviceFacts(Device, frozen=True, kw_only=True):
    """An OpenCL device with its place and what the tables know of it."""

    platform: Fact[str] = fact("CL_PLATFORM_NAME")
    icd: Fact[str] = fact("the .icd file that it came from")
    library: Fact[str | None] = fact("the library that it came from")
    implementation: Fact[str | None] = fact(
        "key in the implementations table; null: not recognised", "CL_PLATFORM_NAME"
    )
    called: tuple[str, ...] = fact(
        "what people call its driver and its maker", "table of implementations", default=()
    )
    pci_id: Fact[str | None] = fact(
        "vendor:device; null: the device is no PCI function", "vendor's device query"
    )
    generation: Fact[str | None] = fact(
        "key in the generations table; null: none", "PCI id or CL_DEVICE_IP_VERSION"
    )
    marketing_name: Fact[str | None] = fact("such as HD Graphics 620", "{pci_id} in the GPU table")
    usable: Fact[bool] = fact(
        "available, its driver survived, and no kernel came out wrong",
        "CL_DEVICE_AVAILABLE, known-answer kernel",
    )
    builds_nothing: Fact[str | None] = fact(
        "by the tables, why its compiler knows no processor like this one; null: nothing says so",
        "CL_PLATFORM_VERSION, CL_DRIVER_VERSION, the processor",
    )
    disguised: Fact[bool] = fact(
        "a CPU that calls itself a GPU", "CL_DEVICE_NAME, CL_DEVICE_VERSION, CL_DRIVER_VERSION"
    )
    software: Fact[bool] = fact("computed by the CPU whatever its type says", "implementation")


class PairFacts(Pair, frozen=True, kw_only=True):
    """Two ICDs in one process, judged."""

    name: str = fact("both .icd files, as one text", default="")
    second: str = fact("the one that was loaded last", default="")
    outcome: Fact[Outcome] = fact("how it ended", "both loaded into one child")
    detail: Fact[str] = fact("how it ended, in words", "the child's end")


class ViewFacts(View, frozen=True, kw_only=True):
    """What one program sees, compared with the others."""

    outcome: Fact[Outcome] = fact("how it ended", "asked in a child process as {viewer}")
    device_count: Fact[int] = fact("devices that it sees", "clGetDeviceIDs as {viewer}")
    missing_devices: Fact[tuple[str, ...]] = fact(
        "devices that work elsewhere and that it does not see", "the other viewers"
    )
    missing_platforms: Fact[tuple[str, ...]] = fact(
        "platforms that another program shows and this one does not", "the other viewers"
    )
    loader_kind: Fact[str | None] = fact(
        "kind of its loader; null: it has none", "{loader}", values=LOADER_KINDS
    )
    printed_text: Fact[str] = fact("what it printed and said, in one text", "its standard streams")
    uses_opencl: Fact[bool] = fact(
        "whether the program, in this version, uses OpenCL at all", "table of programs"
    )
    lacks_loader: bool = fact(
        "whether it looked for a loader and found none", "dlopen as {viewer}", default=False
    )


class FrameworkFacts(Framework, frozen=True, kw_only=True):
    """A machine-learning framework beside the PyTorch that it extends."""

    fits_pytorch: Fact[bool] = fact(
        "whether the PyTorch beside it is one that it was built against", "metadata of {name}"
    )


class Boot(FactStruct, frozen=True, kw_only=True):
    """How the system was started."""

    parameters: Fact[tuple[str, ...]] = fact("words of the boot command line", "/proc/cmdline")


class UserFacts(User, frozen=True, kw_only=True):
    """The user, judged."""

    is_root: Fact[bool] = fact("whether the user id is 0", "geteuid()")
    label: str = fact("how remedies name the user; USER: a person", default=USER)
    subject: str = fact("how texts begin: You, or the user who is asked about", default="You")


class ProgramFault(FactStruct, frozen=True, kw_only=True):
    """A known fault of some releases of a program, whose words were printed."""

    program: str = fact("as the table of programs names it", default="")
    versions: str = fact("releases that have it, such as <=6.2.6", "table of programs", default="")
    version: Fact[str] = fact("of the program here", "views, packages, frameworks")
    note: str = fact("what goes wrong and what avoids it", "table of programs", default="")
    applies: Fact[bool] = fact("whether the program here is such a release", "its version")


class ProgramFacts(Program, frozen=True, kw_only=True):
    """The program that was looked at, judged; without one nothing of it holds."""

    name: str = fact("of its file", default="")
    watched: bool = fact("whether a program was looked at", default=False)
    uses_opencl: Fact[bool] = fact(
        "whether it uses OpenCL at all", "table of programs", default=False
    )
    instead: str = fact("with what it computes otherwise", "table of programs", default="")
    wants_opencl: Fact[bool] = fact(
        "whether it loaded an OpenCL loader or asked for one", "/proc/PID/maps", default=False
    )
    lacks_loader: Fact[bool] = fact(
        "whether it asked for an OpenCL loader and got none",
        "the dynamic linker, LD_AUDIT",
        default=False,
    )
    lacks_plain_name: Fact[bool] = fact(
        "whether it asked for libOpenCL.so alone, and the loader here has another name",
        "the dynamic linker, LD_AUDIT",
        default=False,
    )
    came_too_early: Fact[bool] = fact(
        "whether it started before the GPUs' nodes were there and has none of them open",
        "/proc/PID/stat, time of /dev/dri",
        default=False,
    )
    asked_for: str = fact("libraries that it asked for in vain, as one text", default="")
    never_calls: Fact[bool] = fact(
        "whether it loaded an OpenCL loader and called none of its functions", default=False
    )
    asks_other_type: Fact[bool] = fact(
        "whether it asked for types of devices alone that no device here has",
        "clGetDeviceIDs",
        default=False,
    )
    wanted_types: str = fact("the types that it asked for in vain, as one text", default="")
    finds_none: Fact[bool] = fact(
        "whether it asked for devices or platforms, was shown none, and fails; where its calls "
        "were not seen, by its own words",
        "clGetDeviceIDs",
        default=False,
    )
    stops_at_empty: Fact[bool] = fact(
        "whether a platform without devices is all that it ever asked for devices",
        "clGetDeviceIDs",
        default=False,
    )
    closed_nodes: Fact[tuple[str, ...]] = fact(
        "nodes in its sandbox that it may not open", default=()
    )
    is_switched: Fact[bool] = fact(
        "whether it was given options or variables of its own that choose devices, and no kernel "
        "ran",
        default=False,
    )
    switched_by: str = fact(
        "these, with what each does, as one text", "table of programs", default=""
    )
    hidden_icds: Fact[tuple[str, ...]] = fact(
        ".icd files of this system that its sandbox does not hold", default=()
    )
    hidden_nodes: Fact[tuple[str, ...]] = fact(
        "nodes to GPUs that its sandbox does not hold", default=()
    )
    ran_on: tuple[str, ...] = fact("devices on which its kernels ran", default=())
    ran_on_cpu_alone: Fact[bool] = fact(
        "whether all kernels ran on CPUs while its loader shows a GPU that works", default=False
    )
    died_in_opencl: Fact[bool] = fact(
        "whether a signal ended it after it had loaded OpenCL", default=False
    )
    died_in_call: Fact[bool] = fact(
        "whether a signal ended it in a call of OpenCL that never returned", default=False
    )
    died_outside: Fact[bool] = fact(
        "whether a signal by which faults end programs ended it while no call of OpenCL was open, "
        "and all that it asked of OpenCL was done",
        default=False,
    )
    died_after: str = fact("after what it was ended so, in words", default="")
    last_call: str = fact("that call", default="")
    meant_for: str = fact("devices that it made queues on, as one text", default="none yet")
    ignored_variables: Fact[tuple[str, ...]] = fact(
        "variables of OpenCL that its loader ignores, because its file changes the user",
        default=(),
    )
    ignoring: str = fact("these, as a part of a sentence; empty: none", default="")
    missing_library: str | None = fact(
        "the library without which it is not started, or Python loads no module; null: none",
        "what it printed",
        default=None,
    )
    lacks_library: Fact[bool] = fact("whether that ended it", default=False)
    other_library: str | None = fact(
        "what a library of another release than it was built with does not hold; null: nothing",
        "what it printed",
        default=None,
    )
    has_other_library: Fact[bool] = fact("whether that ended it", default=False)
    builds_fail: Fact[bool] = fact(
        "whether kernels of its do not build and none ran", "clBuildProgram", default=False
    )
    failed_build: str = fact("which calls returned what then, as one text", default="")
    complaint: str = fact("the first error of the log", "clGetProgramBuildInfo", default="")
    absent_header: str = fact("the file that was not found by it; empty: none", default="")
    lacks_driver_files: bool = fact(
        "whether that is one that drivers bring for every kernel",
        "rules/tables/printed/builds.yaml",
        default=False,
    )
    shadowed_by: str = fact(
        "files in the way of modules that it stumbled over, as one text", default=""
    )
    is_shadowed: Fact[bool] = fact("whether there are any, and no kernel ran", default=False)
    build_lacks_opencl: Fact[bool] = fact(
        "whether it says that its build has no OpenCL, or was asked for it, refused the word and "
        "holds no loader's name",
        default=False,
    )
    absent_choice: str = fact(
        "what it was told to take by a number that no device or platform here has; empty: nothing",
        default="",
    )
    choices: str = fact("how many there are, as one text", default="")
    chooses_absent: Fact[bool] = fact(
        "whether there is such a number, and it takes no device", default=False
    )
    killed_by: str = fact("the signal from outside that ended it; empty: none", default="")
    is_killed: Fact[bool] = fact(
        "whether such a signal ended it with OpenCL loaded, before a kernel ran", default=False
    )
    writes_too_much: Fact[bool] = fact(
        "whether it ended as a file grew beyond its limit, or fails under one that is too low for "
        "what drivers write",
        default=False,
    )
    most_written: str = fact("that limit, as text", default="")
    is_out_of_time: Fact[bool] = fact(
        "whether such a signal ended it as its processor time was used up", default=False
    )
    hides_files: Fact[bool] = fact(
        "whether it fails and drivers miss files that its sandbox does not hold", default=False
    )
    hidden: str = fact("these files, as one text", default="")
    fails: Fact[bool] = fact(
        "whether it wanted a device and did without, by its end, its words or its calls",
        default=False,
    )
    own_loader_finds_none: Fact[bool] = fact(
        "whether its loader is part of another file of its, and shows it no device", default=False
    )
    own_loader_reads: str = fact("what such a loader reads, in words", default="")
    lacks_cache: Fact[bool] = fact(
        "whether it computes nothing and may not write to a cache that its driver needs",
        default=False,
    )
    compiles_anew: Fact[bool] = fact(
        "whether it computes and may not write to caches that its drivers can do without",
        default=False,
    )
    closed_caches_told: str = fact("these folders and whose they are, as one text", default="")
    closed_cache: str = fact("the first of them", default="")
    lacks_own_files: Fact[bool] = fact(
        "whether it says that it cannot open files of its own, where it may not write, and fails",
        default=False,
    )
    lacking_files: str = fact("these files, as one text", default="")
    lacks_command: Fact[bool] = fact(
        "whether it computes nothing and its PATH hides commands that its drivers start",
        default=False,
    )
    lacking_commands: str = fact("these commands, as one text", default="")
    lacks_parts: Fact[bool] = fact(
        "whether it is shown no device, and parts of its drivers are not where they look",
        default=False,
    )
    lacking_parts: str = fact("these parts, as one text", default="")
    is_nodev: Fact[bool] = fact(
        "whether its sandbox is mounted so that nobody may open the nodes in it, and nothing ran",
        default=False,
    )
    wants_absent_feature: Fact[bool] = fact(
        "whether it computes nothing and asks for a feature that no usable device here has",
        default=False,
    )
    absent_features: str = fact("these features, as one text", default="")
    is_switched_off: Fact[bool] = fact(
        "whether settings in its own files switch devices off, and it made a context for none",
        "table of programs",
        default=False,
    )
    switched_off_by: str = fact("these settings, as one text", default="")
    switch_on: str = fact("what to write instead, as one text", default="")
    is_misled: Fact[bool] = fact(
        "whether variables of its or of its drivers name what is not there, and it fails",
        default=False,
    )
    misled_by: str = fact("these variables with their values, as one text", default="")
    misleading: str = fact("what these variables are, as one text", default="")
    misleading_variable: str = fact("the first of them", default="")
    loses_variables: Fact[bool] = fact(
        "whether variables that were set for it did not reach it, and it fails", default=False
    )
    lost: str = fact("these variables, as one text", default="")
    is_hinted: Fact[bool] = fact(
        "whether nothing ran and it was given options or variables whose names speak of devices",
        default=False,
    )
    hinted_by: str = fact("these, as one text", default="")
    takes_none: Fact[bool] = fact(
        "whether it was shown devices and made a context for none", default=False
    )
    refuses_devices: Fact[bool] = fact(
        "whether it was shown devices, made a context for none, and fails", default=False
    )
    takes_gpus_alone: Fact[bool] = fact(
        "whether it takes GPUs alone, was shown CPUs, went on, and no GPU is in the machine",
        "table of programs, clGetDeviceIDs",
        default=False,
    )
    asked_for_properties: str = fact(
        "what it asked of devices, as one text", "clGetDeviceInfo", default=""
    )
    shown_devices: str = fact("usable devices here, as one text", default="")
    unmet: str = fact(
        "what it demands of a device and none here has, as one text",
        "table of programs",
        default="",
    )
    drivers: Fact[tuple[str, ...]] = fact(
        "implementations whose drivers are loaded into it, such as pocl", default=()
    )
    cannot_write: Fact[bool] = fact(
        "whether it may not write to its home, cache or temporary folder, and sees no device or "
        "builds no kernel",
        default=False,
    )
    closed: str = fact("these folders' variables, as one text", default="")
    idles_in_sandbox: Fact[bool] = fact(
        "whether drivers that are loaded into it show devices outside and none in its sandbox",
        default=False,
    )
    idle_drivers: str = fact("these drivers, as one text", default="")
    is_narrowed: Fact[bool] = fact(
        "whether it is shown no device, CPUs would do, and a variable leaves a driver without one",
        default=False,
    )
    narrowed_by: str = fact("that variable with its value", default="")
    narrowing: str = fact("why that value chooses none, in words", default="")
    narrowed: str = fact("these drivers, as one text", default="")
    has_low_limits: Fact[bool] = fact(
        "whether limits of its own are too low for drivers, and it sees no device or dies",
        default=False,
    )
    low_limits: str = fact("these limits, as one text", default="")
    missing_module: str | None = fact(
        "the module that an interpreter does not find; null: none", "what it printed", default=None
    )
    lacks_module: Fact[bool] = fact("whether that keeps it from computing", default=False)
    missing_command: str | None = fact(
        "the command that it was to start and that is not there; null: none",
        "what it printed",
        default=None,
    )
    is_static_with_loader: Fact[bool] = fact(
        "whether it is statically linked, opens a loader itself, and fails", default=False
    )
    ends_early: Fact[bool] = fact(
        "whether it ended with an error before it asked for OpenCL", default=False
    )
    dies_early: Fact[bool] = fact(
        "whether a signal ended it before it asked for OpenCL", default=False
    )
    deadly_signal: str = fact("the signal that ended it, also by a shell's status", default="")
    opens_absent_path: Fact[bool] = fact(
        "whether it asks for a loader by its whole path alone, and there is none", default=False
    )
    decides: str = fact(
        "what decides whether it uses OpenCL, as one text",
        "table of programs, its file",
        default="",
    )
    given: str = fact(
        "what it was given that chooses devices, as one text", "table of programs", default=""
    )
    chosen_by: str = fact("what of it chooses a device or platform, as one text", default="")
    misses_choice: Fact[bool] = fact(
        "whether it says that the device which it was told to take is not there, and fails",
        "what it printed",
        default=False,
    )
    has_other_loader: Fact[bool] = fact(
        "whether it loaded a loader that is not the system's and leads to no device, and fails",
        "ldconfig -p, /proc/PID/maps",
        default=False,
    )
    lacks_driver: Fact[bool] = fact(
        "whether drivers that show devices here were not loaded into it, and it sees none",
        "the dynamic linker, LD_AUDIT",
        default=False,
    )
    lost_drivers: str = fact("these drivers, as one text", default="")
    hides_use: bool = fact(
        "whether it is static and names a loader, so that its use of OpenCL is not seen",
        default=False,
    )
    mesa_driver: str | None = fact(
        "the driver of Mesa's that an option of it asks for; null: none", default=None
    )
    demands: str = fact(
        "what it demands of a device and none here has, or that no table says it, as one text",
        "table of programs",
        default="",
    )


class OpenclFacts(FactStruct, frozen=True, kw_only=True):
    """The sum of it: is there anything to compute on."""

    usable_device: Fact[bool] = fact(
        "whether a usable device of any type exists", "all ICDs and viewers"
    )
    gpu_device: Fact[bool] = fact("whether a usable device is a real GPU", "all ICDs and viewers")
    any_gpu: Fact[bool] = fact(
        "whether a GPU or a way to one is there", "PCI functions, /dev/dri, /dev/dxg"
    )
    empty_platforms: Fact[tuple[str, ...]] = fact(
        "platforms that were shown without any device", "clGetDeviceIDs", default=()
    )
    idle_drivers: Fact[tuple[str, ...]] = fact(
        "installed drivers of whose maker no GPU is on the bus",
        ".icd files, packages, PCI functions",
    )
    silent_drivers: Fact[tuple[str, ...]] = fact(
        "drivers that a report tells of, of which no device shows while another driver's does",
        ".icd files, packages, OpenCL devices",
    )
    misses_idle: Fact[bool] = fact(
        "whether somebody expects a device of a driver of whose maker no GPU is on the bus",
        "what a reporter misses",
        on_request=True,
    )
    unnamed_node: bool = fact(
        "whether there is a node to a GPU and nobody says to which; a GPU that computes has one",
        "/dev/dri, /dev/kfd, OpenCL devices",
        default=False,
    )
    loader_found: Fact[bool] = fact(
        "whether any libOpenCL.so.1 was found", "ldconfig -p and other ways"
    )
    icd_registered: Fact[bool] = fact(
        "whether any loader finds an ICD; a driver's package or platform tells it too",
        ".icd folders of the loaders",
    )
    plain_loader: Fact[bool] = fact(
        "whether a plain program finds libOpenCL.so.1", "ldconfig -p, dlopen"
    )


class OtherFacts(FactStruct, frozen=True, kw_only=True):
    """The answer to the same question for another user or in another place."""

    who: Fact[str | None] = fact("user; null: the same user")
    where: Fact[str | None] = fact("place; null: the same place")
    when: Fact[str | None] = fact("time; null: the same time")
    is_root: Fact[bool] = fact("whether it is root who sees this")
    environment: dict[str, str | Unknown | None] = fact(
        "variables that matter to OpenCL there; null: not set", "environment", default={}
    )
    usable_device: Fact[bool] = fact(
        "whether a usable device exists there", "all its ICDs and viewers"
    )
    gpu_device: Fact[bool] = fact("whether a usable GPU exists there", "all its ICDs and viewers")
    called_sudo: bool = fact(
        "whether it is the user who became root by sudo", "SUDO_UID", default=False
    )
    closed_nodes: tuple[str, ...] = fact(
        "nodes to a GPU that this user may not open",
        "modes of the nodes, this user's groups in the group database",
        default=(),
    )
    needed_groups: str = fact(
        "groups that would open them, as usermod takes them", "groups of the nodes", default=""
    )


class Facts(FactStruct, frozen=True, kw_only=True):
    """Everything a rule may ask; each name below starts a path."""

    system: System = System()
    user: UserFacts = UserFacts()
    environment: dict[str, str | Unknown | None] = fact(
        "variables that matter to OpenCL; null: not set", "environment", default={}
    )
    boot: Boot = Boot()
    gpus: Fact[tuple[GpuFacts, ...]] = fact("GPUs", "/sys/bus/pci/devices")
    device_nodes: Fact[tuple[NodeFacts, ...]] = fact(
        "device nodes", "/dev/dri, /dev/kfd, /dev/nvidia*"
    )
    packages: Fact[tuple[Package, ...]] = fact("installed packages", "package database")
    package_sources: Fact[tuple[str, ...]] = fact(
        "repositories beyond the distribution's", "/etc/apt, /etc/yum.repos.d"
    )
    package_trouble: Fact[str | None] = fact(
        "complaint of the package manager; null: none", "package manager"
    )
    libraries: dict[str, str | Unknown | None] = fact(
        "libraries opened at run time by name; null: not found", "ldconfig -p", default={}
    )
    interfaces: Fact[tuple[InterfaceFile, ...]] = fact(
        "loaders and drivers of interfaces beside OpenCL", "ldconfig -p, vulkan/icd.d, dri"
    )
    frameworks: Fact[tuple[FrameworkFacts, ...]] = fact(
        "PyTorch and the like", "this Python's packages"
    )
    loaders: Fact[tuple[LoaderFacts, ...]] = fact("ICD loaders", "ldconfig -p and other ways")
    icds: Fact[tuple[IcdFacts, ...]] = fact("registered ICDs", ".icd folders of the loaders")
    devices: Fact[tuple[DeviceFacts, ...]] = fact("OpenCL devices", "each ICD asked alone")
    pairs: Fact[tuple[PairFacts, ...]] = fact(
        "every two ICDs that answer alone, together", "clprobe doctor --pairs", on_request=True
    )
    views: Fact[tuple[ViewFacts, ...]] = fact("what programs see", "programs' own loaders")
    others: tuple[OtherFacts, ...] = fact(
        "what others see", "the same, asked elsewhere", default=()
    )
    said: Fact[str] = fact(
        "everything that drivers, programs, the package manager and Linux printed, in one text",
        "messages of programs, dmesg",
    )
    program_faults: Fact[tuple[ProgramFault, ...]] = fact(
        "known faults of programs whose words were printed", "table of programs"
    )
    opencl: OpenclFacts = OpenclFacts()
    intel: IntelFacts = IntelFacts()
    nvidia: NvidiaFacts = NvidiaFacts()
    program: ProgramFacts = ProgramFacts()
    excerpts: tuple[str, ...] = fact("lists above that may name only a part", default=())
    follows_from: dict[str, str] = fact(
        "premises of what was concluded, by the start of its name", default={}
    )
