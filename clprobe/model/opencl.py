# SPDX-License-Identifier: MIT
"""OpenCL as installed and as it answers: loaders, ICDs, platforms, devices."""

from typing import Annotated, Literal

from clprobe.model.access import FileAccess
from clprobe.model.fact import FactStruct, described
from clprobe.model.unknown import NOT_STATED, Fact

Stage = Literal[
    "icd-file", "library", "load", "entry-point", "platforms", "devices", "queries", "compile",
    "run",
]  # fmt: skip
"""How far an ICD got, in this order."""

Outcome = Literal["ok", "no-devices", "error", "crash", "hang"]

FILE_TYPES = (
    "file", "directory", "fifo", "socket", "character-device", "block-device", "other",
    "dangling-link", "looping-link", "missing", "library",
)  # fmt: skip
LOADER_KINDS = ("ocl-icd", "khronos", "pyopencl-wheel", "conda-ocl-icd", "vendor")


class Loader(FactStruct, frozen=True, kw_only=True):
    """A libOpenCL.so.1 that some program on this host would load."""

    path: Annotated[str, described("the file, links resolved")]
    kind: Annotated[
        Fact[str],
        described("whose loader it is", "strings of {path}", values=LOADER_KINDS),
    ] = NOT_STATED
    version: Annotated[Fact[str | None], described("loader version; null: it tells none")] = (
        NOT_STATED
    )
    found_by: Annotated[
        Fact[tuple[str, ...]],
        described("ldconfig, LD_LIBRARY_PATH, conda, pyopencl, prefix …: who would load it"),
    ] = NOT_STATED
    is_default: Annotated[
        Fact[bool], described("whether a plain program of this shell gets it", "ldconfig -p")
    ] = NOT_STATED
    missing_dependencies: Annotated[
        Fact[tuple[str, ...]],
        described("needed libraries that the linker cannot find", "DT_NEEDED of {path}"),
    ] = NOT_STATED
    damage: Annotated[
        Fact[str | None],
        # Older snapshots do not state it, and they leave no question open by that.
        described(
            "why its file is no whole library; null: it looks whole",
            "ELF headers of {path}",
            on_request=True,
        ),
    ] = NOT_STATED
    icd_folders: Annotated[
        Fact[tuple[str, ...]],
        described("folders that it reads .icd files from, environment applied"),
    ] = NOT_STATED
    honours: Annotated[Fact[tuple[str, ...]], described("environment variables that it obeys")] = (
        NOT_STATED
    )


class Library(FactStruct, frozen=True, kw_only=True):
    """The vendor library that a .icd file names, looked at without loading it."""

    path: Annotated[
        Fact[str | None],
        described("the file that the dynamic linker would load; null: it finds none"),
    ] = NOT_STATED
    real_path: Annotated[
        Fact[str], described("the file behind all links of the path", "links of {path}")
    ] = NOT_STATED
    format: Annotated[
        Fact[str],
        described(
            "elf, damaged (its ELF headers contradict themselves), not-elf, empty, directory or "
            "unreadable",
            "ELF headers of {path}",
        ),
    ] = NOT_STATED
    elf_class: Annotated[Fact[int], described("32 or 64", "ELF header of {path}")] = NOT_STATED
    machine: Annotated[
        Fact[str], described("such as x86_64, aarch64, i386, x32", "ELF header of {path}")
    ] = NOT_STATED
    size_bytes: Annotated[Fact[int], described("file size", "stat {path}")] = NOT_STATED
    required_bytes: Annotated[
        Fact[int], described("size that what is loaded of it takes", "ELF headers of {path}")
    ] = NOT_STATED
    missing_dependencies: Annotated[
        Fact[tuple[str, ...]],
        described("needed libraries that the linker cannot find", "DT_NEEDED of {path}"),
    ] = NOT_STATED
    open_error: Annotated[
        Fact[str | None],
        described("errno name of opening it for reading; null: it opens", 'open("{path}")'),
    ] = NOT_STATED
    access: Annotated[FileAccess, described("who may reach and read it")] = FileAccess()
    package: Annotated[Fact[str | None], described("owning package; null: none owns it")] = (
        NOT_STATED
    )


class Device(FactStruct, frozen=True, kw_only=True):
    """An OpenCL device as its driver describes it, before any table is asked."""

    name: Annotated[Fact[str], described("CL_DEVICE_NAME")] = NOT_STATED
    type: Annotated[
        Fact[str],
        described("CL_DEVICE_TYPE", values=("gpu", "cpu", "accelerator", "custom")),
    ] = NOT_STATED
    vendor: Annotated[Fact[str], described("CL_DEVICE_VENDOR")] = NOT_STATED
    vendor_id: Annotated[Fact[int], described("CL_DEVICE_VENDOR_ID; PoCL copies the CPU's")] = (
        NOT_STATED
    )
    driver_version: Annotated[Fact[str], described("CL_DRIVER_VERSION")] = NOT_STATED
    opencl_version: Annotated[Fact[str], described("CL_DEVICE_VERSION, whole")] = NOT_STATED
    opencl_c_version: Annotated[Fact[str], described("CL_DEVICE_OPENCL_C_VERSION, whole")] = (
        NOT_STATED
    )
    pci_address: Annotated[
        Fact[str | None], described("cl_khr_pci_bus_info or a vendor's query; null: not offered")
    ] = NOT_STATED
    device_id: Annotated[
        Fact[int | None],
        described("PCI device id from CL_DEVICE_ID_INTEL and the like; null: not offered"),
    ] = NOT_STATED
    ip_version: Annotated[
        Fact[int | None], described("CL_DEVICE_IP_VERSION_INTEL; null: not offered")
    ] = NOT_STATED
    compute_units: Annotated[Fact[int], described("CL_DEVICE_MAX_COMPUTE_UNITS")] = NOT_STATED
    max_clock_mhz: Annotated[Fact[int], described("CL_DEVICE_MAX_CLOCK_FREQUENCY")] = NOT_STATED
    max_work_group_size: Annotated[Fact[int], described("work-items")] = NOT_STATED
    sub_group_sizes: Annotated[
        Fact[tuple[int, ...]], described("work-items; []: the device offers none")
    ] = NOT_STATED
    local_memory_bytes: Annotated[Fact[int], described("CL_DEVICE_LOCAL_MEM_SIZE")] = NOT_STATED
    local_memory_type: Annotated[Fact[str], described("local, global or none")] = NOT_STATED
    global_memory_bytes: Annotated[Fact[int], described("CL_DEVICE_GLOBAL_MEM_SIZE")] = NOT_STATED
    max_allocation_bytes: Annotated[Fact[int], described("CL_DEVICE_MAX_MEM_ALLOC_SIZE")] = (
        NOT_STATED
    )
    address_bits: Annotated[Fact[int], described("CL_DEVICE_ADDRESS_BITS")] = NOT_STATED
    extensions: Annotated[Fact[tuple[str, ...]], described("CL_DEVICE_EXTENSIONS")] = NOT_STATED
    half_fp_config: Annotated[
        Fact[int | None],
        described("CL_DEVICE_HALF_FP_CONFIG; null: without cl_khr_fp16 it is not asked"),
    ] = NOT_STATED
    double_fp_config: Annotated[
        Fact[int | None],
        described("CL_DEVICE_DOUBLE_FP_CONFIG; null: without cl_khr_fp64 it is not asked"),
    ] = NOT_STATED
    available: Annotated[Fact[bool], described("CL_DEVICE_AVAILABLE")] = NOT_STATED
    compiler_available: Annotated[Fact[bool], described("CL_DEVICE_COMPILER_AVAILABLE")] = (
        NOT_STATED
    )
    kernel_result: Annotated[
        Fact[str],
        described(
            "a kernel with a known answer, when asked for",
            values=("right", "wrong", "build-failed", "run-failed"),
            on_request=True,
        ),
    ] = NOT_STATED
    build_log: Annotated[
        Fact[str], described("first lines of the build log, if any", on_request=True)
    ] = NOT_STATED


class Platform(FactStruct, frozen=True, kw_only=True):
    """An OpenCL platform and its devices."""

    name: Annotated[Fact[str], described("CL_PLATFORM_NAME")] = NOT_STATED
    vendor: Annotated[Fact[str], described("CL_PLATFORM_VENDOR")] = NOT_STATED
    version: Annotated[Fact[str], described("CL_PLATFORM_VERSION")] = NOT_STATED
    icd_suffix: Annotated[Fact[str | None], described("CL_PLATFORM_ICD_SUFFIX_KHR")] = NOT_STATED
    devices_error: Annotated[
        Fact[int | None], described("what clGetDeviceIDs returned; null: success")
    ] = NOT_STATED
    devices: Annotated[Fact[tuple[Device, ...]], described("devices of every type")] = NOT_STATED


class Answer(FactStruct, frozen=True, kw_only=True):
    """How OpenCL answered in one child process: an ICD asked directly, or through a loader."""

    stage: Annotated[Fact[Stage], described("the last stage that was reached")] = NOT_STATED
    outcome: Annotated[Fact[Outcome], described("how it ended")] = NOT_STATED
    error_code: Annotated[Fact[int | None], described("OpenCL error that ended it; null: none")] = (
        NOT_STATED
    )
    signal: Annotated[
        Fact[str | None], described("signal that ended the child, such as SIGABRT; null: none")
    ] = NOT_STATED
    exit_status: Annotated[
        Fact[int | None], described("exit status if the driver ended the child; null: it did not")
    ] = NOT_STATED
    message: Annotated[
        Fact[str | None], described("the dynamic linker's or our own words; null: none")
    ] = NOT_STATED
    printed: Annotated[
        Fact[str | None], described("the last lines that the driver printed; null: nothing")
    ] = NOT_STATED
    platforms: Annotated[Fact[tuple[Platform, ...]], described("platforms that it showed")] = (
        NOT_STATED
    )


class Icd(FactStruct, frozen=True, kw_only=True):
    """A registered ICD: the .icd file, the library that it names, and what that answered."""

    path: Annotated[
        str, described("the .icd file, or the library where a variable names it directly")
    ]
    searched_by: Annotated[
        Fact[tuple[str, ...]], described("paths of the loaders that read it; []: none does")
    ] = NOT_STATED
    file_type: Annotated[
        Fact[str],
        described(
            "library: a variable names it itself",
            "lstat {path}",
            values=FILE_TYPES,
        ),
    ] = NOT_STATED
    file_mode: Annotated[Fact[str], described("four octal digits", "stat {path}")] = NOT_STATED
    open_error: Annotated[
        Fact[str | None], described("errno name of reading it; null: it reads", 'open("{path}")')
    ] = NOT_STATED
    file_access: Annotated[FileAccess, described("who may reach and read the .icd file")] = (
        FileAccess()
    )
    text: Annotated[
        Fact[str], described("its content, byte for byte as Latin-1, at most 4096", "{path}")
    ] = NOT_STATED
    library_name: Annotated[
        Fact[str | None], described("the library that it names; null: it names none", "{path}")
    ] = NOT_STATED
    package: Annotated[Fact[str | None], described("owning package; null: none owns it")] = (
        NOT_STATED
    )
    library: Library = Library()
    answer: Annotated[Answer, described("asked alone in a child process, without a loader")] = (
        Answer()
    )


class Pair(FactStruct, frozen=True, kw_only=True):
    """Two ICDs that each answered alone, loaded into one process."""

    icds: Annotated[
        tuple[str, str], described("their .icd files, in the order that they were loaded")
    ]
    answer: Annotated[
        Answer, described("of the order that failed, if one did: both orders are tried")
    ] = Answer()


class View(FactStruct, frozen=True, kw_only=True):
    """What one program sees through its loader, all its ICDs together in one process."""

    viewer: Annotated[
        str, described("system-loader, conda-loader, pyopencl, clinfo, or a program's name")
    ]
    loader: Annotated[
        Fact[str | None], described("path of the libOpenCL that answered; null: none was found")
    ] = NOT_STATED
    version: Annotated[Fact[str | None], described("version of the viewer, such as pyopencl's")] = (
        NOT_STATED
    )
    answer: Answer = Answer()


class Framework(FactStruct, frozen=True, kw_only=True):
    """A machine-learning framework in this Python, and what it can compute on."""

    name: Annotated[str, described("pytorch, pytorch_dlprim, intel-extension-for-pytorch …")]
    version: Annotated[
        Fact[str | None], described("whole, such as 2.13.0+cpu; null: none told", "its metadata")
    ] = NOT_STATED
    built_for: Annotated[
        Fact[tuple[str, ...]],
        described(
            "what its build contains",
            "version.py of {name}",
            values=("cpu", "cuda", "hip", "xpu", "opencl"),
        ),
    ] = NOT_STATED
    needs: Annotated[
        Fact[str | None],
        described("version range of PyTorch that it was built against; null: any"),
    ] = NOT_STATED
    devices: Annotated[
        Fact[tuple[str, ...]],
        described("devices that it shows, such as xpu:0; []: none", on_request=True),
    ] = NOT_STATED
    message: Annotated[
        Fact[str | None],
        described("its error when it was asked for devices; null: none", on_request=True),
    ] = NOT_STATED
