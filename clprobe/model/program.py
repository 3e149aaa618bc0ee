# SPDX-License-Identifier: MIT
"""A program as it was watched: what it loaded, opened, was refused, and ran on devices."""

from typing import Annotated, Literal

from clprobe.model.fact import FactStruct, described, fact
from clprobe.model.unknown import Fact, Unknown

LIBRARY_ROLES = ("loader", "opencl-driver", "level-zero", "cuda", "hip", "vulkan", "va-api")
"""What a library is to a program that computes; drivers of OpenCL are what a loader opened."""


class LoadedLibrary(FactStruct, frozen=True, kw_only=True):
    """A library that is loaded into the program, or into a process that it started."""

    path: Annotated[str, described("the file")]
    role: Fact[str] = fact("what it is to the program", "{path}", values=LIBRARY_ROLES)
    package: Fact[str | None] = fact("owning package; null: none owns it")


class RefusedLibrary(FactStruct, frozen=True, kw_only=True):
    """A library that the program asked for and did not get."""

    name: Annotated[str, described("as it was asked for, such as libOpenCL.so")]
    asked_by: Fact[str] = fact("the file that asked for it", "the dynamic linker, LD_AUDIT")


class UsedNode(FactStruct, frozen=True, kw_only=True):
    """A device node that the program opened, or was refused."""

    path: Annotated[str, described("such as /dev/dri/renderD128")]
    error: Fact[str | None] = fact("errno name; null: it was opened")


class KernelUse(FactStruct, frozen=True, kw_only=True):
    """What ran on one device."""

    device: Fact[str] = fact("CL_DEVICE_NAME")
    platform: Fact[str] = fact("CL_PLATFORM_NAME")
    type: Fact[str] = fact("CL_DEVICE_TYPE", values=("gpu", "cpu", "accelerator", "custom"))
    kernels: Fact[int] = fact("launches that were accepted")
    refused: Fact[int] = fact("launches that ended with an error")
    error_code: Fact[int | None] = fact("the last such error; null: none")
    busy_share: Fact[float] = fact("part of the program's time in which kernels ran, 0 to 1")


class FailedCall(FactStruct, frozen=True, kw_only=True):
    """A call of OpenCL that the program made and that returned an error."""

    call: Annotated[str, described("such as clGetDeviceIDs")]
    error_code: Annotated[int, described("what it returned")]
    times: Fact[int] = fact("how often")


class OffSetting(FactStruct, frozen=True, kw_only=True):
    """A setting in a file of the program's own that switches OpenCL or a device off."""

    setting: Annotated[str, described("as it stands there, such as opencl=FALSE")]
    file: Fact[str] = fact("the file that holds it")
    does: Fact[str] = fact("what it does", "table of programs")
    instead: Fact[str] = fact("what to write instead", "table of programs")


class ClosedCache(FactStruct, frozen=True, kw_only=True):
    """A folder in which a driver keeps what it compiles, and the program may not write."""

    folder: Annotated[str, described("the folder, or the one above it that is there")]
    owner: Fact[str] = fact("whose it is")
    driver: Fact[str] = fact("which driver keeps it")
    is_needed: bool = fact("whether that driver computes nothing without", default=False)


class AbsentPath(FactStruct, frozen=True, kw_only=True):
    """A variable that names a file or folder which is not there."""

    variable: Annotated[str, described("its name")]
    value: Fact[str] = fact("what it names")
    does: Fact[str] = fact("what the variable is", "tables of programs and implementations")


class Program(FactStruct, frozen=True, kw_only=True):
    """What a program did, or does, while it was looked at."""

    name: Annotated[str, described("of its file, such as hashcat")]
    key: Fact[str | None] = fact("its entry in the table of programs; null: it has none")
    looked_at: Literal["run", "process", "service"] = "run"
    exit_status: Fact[int | None] = fact("null: a signal ended it, or it still runs")
    signal: Fact[str | None] = fact("such as SIGSEGV; null: none ended it")
    elapsed_ms: Fact[int] = fact("wall time")
    started_ahead_s: Fact[float | None] = fact(
        "seconds by which it started before the folder of the GPUs' nodes was last changed; null: "
        "it started after that",
        "/proc/PID/stat, time of /dev/dri",
        on_request=True,
    )
    linkage: Fact[str] = fact("static: no library is loaded into it", values=("dynamic", "static"))
    changes_user: Fact[bool] = fact("whether its file is setuid or setgid, or has capabilities")
    uid: Fact[int] = fact("effective user id", "/proc/PID/status")
    groups: Fact[tuple[int, ...]] = fact("all its group ids", "/proc/PID/status")
    address_space_bytes: Fact[int | None] = fact(
        "null: unlimited", "ulimit -v of its process", on_request=True
    )
    lower_limits: Fact[tuple[str, ...]] = fact(
        "limits that are lower than ours, and to what, such as nofile 64",
        "getrlimit of its process",
        on_request=True,
    )
    processor_limit_s: Fact[int | None] = fact(
        "seconds of processor time after which it is ended; null: unlimited",
        "ulimit -t of its process",
        on_request=True,
    )
    file_limit_bytes: Fact[int | None] = fact(
        "bytes that a file may have; null: unlimited", "/proc/PID/limits", on_request=True
    )
    processor_ms: Fact[int] = fact(
        "processor time of all its processes", "getrusage", on_request=True
    )
    closed_folders: Fact[tuple[str, ...]] = fact(
        "variables that name folders for what drivers keep, in which it may not write, and why",
        "faccessat of its process",
        on_request=True,
    )
    seccomp: Fact[bool] = fact("whether a filter of system calls is on", "/proc/PID/status")
    sandbox: Fact[str | None] = fact(
        "what it runs in that is not this system's view of files; null: nothing",
        "/proc/PID/ns/mnt",
    )
    sandbox_icds: Fact[tuple[str, ...]] = fact(
        ".icd files inside the sandbox", "/proc/PID/root/etc/OpenCL/vendors", on_request=True
    )
    sandbox_nodes: Fact[tuple[str, ...]] = fact(
        "nodes to GPUs inside the sandbox", "/proc/PID/root/dev", on_request=True
    )
    environment: dict[str, str | Unknown | None] = fact(
        "its variables that matter and differ from those of the shell; null: not set in it",
        "/proc/PID/environ",
        default={},
    )
    switches: tuple[str, ...] = fact(
        "its own options and variables, known to the table of programs, that it was given",
        default=(),
    )
    hints: tuple[str, ...] = fact(
        "options and variables that it was given, that no table knows, and whose names speak of "
        "devices",
        default=(),
    )
    numbers: tuple[str, ...] = fact(
        "options and variables that it was given and that choose a device or platform by number",
        default=(),
    )
    names_opencl: bool = fact("whether a word that it was given names OpenCL", default=False)
    shadowing: tuple[str, ...] = fact(
        "files beside its script that stand before the modules whose names it stumbled over",
        default=(),
    )
    off_settings: tuple[OffSetting, ...] = fact(
        "settings in its own files that switch OpenCL or devices off", default=()
    )
    absent_paths: tuple[AbsentPath, ...] = fact(
        "variables of its and of its drivers that name what is not there", default=()
    )
    wanted_features: tuple[str, ...] = fact(
        "features of devices, extensions or images, that its words ask for or that it says are "
        "lacking",
        default=(),
    )
    closed_caches: tuple[ClosedCache, ...] = fact(
        "folders of its drivers' caches in which it may not write", default=()
    )
    closed_files: tuple[str, ...] = fact(
        "files of its own that it says it cannot open, in folders where it may not write",
        default=(),
    )
    hidden_commands: tuple[str, ...] = fact(
        "commands that its drivers start by name, and that its PATH does not lead to", default=()
    )
    absent_parts: tuple[str, ...] = fact(
        "parts that its drivers looked for by their whole paths, and that are not there",
        default=(),
    )
    nodev_nodes: Fact[tuple[str, ...]] = fact(
        "nodes in its sandbox that lie where it is mounted without device files",
        "/proc/PID/mountinfo",
        on_request=True,
    )
    lost_variables: tuple[str, ...] = fact(
        "variables that matter and were set before it was started, which did not reach it",
        "environments of the shell and of what led to it",
        default=(),
    )
    names_loader: Fact[bool] = fact(
        "whether its file holds the name of an OpenCL loader", "its file", on_request=True
    )
    loader: Fact[str | None] = fact(
        "the libOpenCL in it, or the file that holds a loader within itself; null: neither"
    )
    apis: Fact[tuple[str, ...]] = fact(
        "interfaces whose libraries are loaded: opencl, level-zero, cuda, hip, vulkan, va-api"
    )
    libraries: Fact[tuple[LoadedLibrary, ...]] = fact("loaded libraries that matter")
    refused: Fact[tuple[RefusedLibrary, ...]] = fact("libraries that it asked for in vain")
    nodes: Fact[tuple[UsedNode, ...]] = fact("nodes to GPUs that it opened or was refused")
    kernels: Fact[tuple[KernelUse, ...]] = fact("what ran on which device; []: nothing ran")
    asked_types: Fact[tuple[str, ...]] = fact(
        "types of devices that it asked for in vain: gpu, cpu, accelerator, default, all",
        "clGetDeviceIDs",
    )
    found_types: Fact[tuple[str, ...]] = fact(
        "types of devices that it asked for and got", "clGetDeviceIDs"
    )
    asked_properties: Fact[tuple[str, ...]] = fact(
        "what it asked of devices, in its order", "clGetDeviceInfo", on_request=True
    )
    made_context: Fact[bool] = fact(
        "whether it made a context for a device", "clCreateContext", on_request=True
    )
    calls_opencl: Fact[bool] = fact("whether it called any function of OpenCL at all")
    died_in: Fact[tuple[str, ...]] = fact("calls of OpenCL that never returned; []: none")
    failed_calls: Fact[tuple[FailedCall, ...]] = fact("calls of OpenCL that returned errors")
    complaints: Fact[tuple[str, ...]] = fact(
        "the first error in each log of kernels that did not build",
        "clGetProgramBuildInfo",
        on_request=True,
    )
    hidden_files: tuple[str, ...] = fact(
        "files that these logs or drivers do not find, and that are there outside its sandbox",
        default=(),
    )
    printed: Fact[str] = fact("the last lines that it printed")
    unseen: tuple[str, ...] = fact("what could not be seen, and why", default=())
