# SPDX-License-Identifier: MIT
"""OpenCL as installed and as it answers: loaders, ICDs, platforms, devices."""

from collections.abc import Iterator
from typing import Annotated, Literal

from clprobe.model.access import FileAccess
from clprobe.model.fact import FactStruct, described, fact
from clprobe.model.unknown import Fact, listed

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
    kind: Fact[str] = fact("whose loader it is", "strings of {path}", values=LOADER_KINDS)
    version: Fact[str | None] = fact("loader version; null: it tells none")
    found_by: Fact[tuple[str, ...]] = fact(
        "ldconfig, LD_LIBRARY_PATH, conda, pyopencl, prefix …: who would load it"
    )
    is_default: Fact[bool] = fact("whether a plain program of this shell gets it", "ldconfig -p")
    missing_dependencies: Fact[tuple[str, ...]] = fact(
        "needed libraries that the linker cannot find", "DT_NEEDED of {path}"
    )
    damage: Fact[str | None] = fact(
        "why its file is no whole library; null: it looks whole",
        "ELF headers of {path}",
        on_request=True,
    )
    icd_folders: Fact[tuple[str, ...]] = fact(
        "folders that it reads .icd files from, environment applied"
    )
    honours: Fact[tuple[str, ...]] = fact("environment variables that it obeys")


class Library(FactStruct, frozen=True, kw_only=True):
    """The vendor library that a .icd file names, looked at without loading it."""

    path: Fact[str | None] = fact(
        "the file that the dynamic linker would load; null: it finds none"
    )
    real_path: Fact[str] = fact("the file behind all links of the path", "links of {path}")
    format: Fact[str] = fact(
        "elf, damaged (its ELF headers contradict themselves), not-elf, empty, directory or "
        "unreadable",
        "ELF headers of {path}",
    )
    elf_class: Fact[int] = fact("32 or 64", "ELF header of {path}")
    machine: Fact[str] = fact("such as x86_64, aarch64, i386, x32", "ELF header of {path}")
    size_bytes: Fact[int] = fact("file size", "stat {path}")
    required_bytes: Fact[int] = fact(
        "size that what is loaded of it takes", "ELF headers of {path}"
    )
    missing_dependencies: Fact[tuple[str, ...]] = fact(
        "needed libraries that the linker cannot find", "DT_NEEDED of {path}"
    )
    open_error: Fact[str | None] = fact(
        "errno name of opening it for reading; null: it opens", 'open("{path}")'
    )
    access: FileAccess = fact("who may reach and read it", default=FileAccess())
    package: Fact[str | None] = fact("owning package; null: none owns it")


class Device(FactStruct, frozen=True, kw_only=True):
    """An OpenCL device as its driver describes it, before any table is asked."""

    name: Fact[str] = fact("CL_DEVICE_NAME")
    type: Fact[str] = fact("CL_DEVICE_TYPE", values=("gpu", "cpu", "accelerator", "custom"))
    vendor: Fact[str] = fact("CL_DEVICE_VENDOR")
    vendor_id: Fact[int] = fact("CL_DEVICE_VENDOR_ID; PoCL copies the CPU's")
    driver_version: Fact[str] = fact("CL_DRIVER_VERSION")
    opencl_version: Fact[str] = fact("CL_DEVICE_VERSION, whole")
    opencl_c_version: Fact[str] = fact("CL_DEVICE_OPENCL_C_VERSION, whole")
    pci_address: Fact[str | None] = fact(
        "cl_khr_pci_bus_info or a vendor's query; null: not offered"
    )
    device_id: Fact[int | None] = fact(
        "PCI device id from CL_DEVICE_ID_INTEL and the like; null: not offered"
    )
    ip_version: Fact[int | None] = fact("CL_DEVICE_IP_VERSION_INTEL; null: not offered")
    compute_units: Fact[int] = fact("CL_DEVICE_MAX_COMPUTE_UNITS")
    max_clock_mhz: Fact[int] = fact("CL_DEVICE_MAX_CLOCK_FREQUENCY")
    max_work_group_size: Fact[int] = fact("work-items")
    sub_group_sizes: Fact[tuple[int, ...]] = fact("work-items; []: the device offers none")
    local_memory_bytes: Fact[int] = fact("CL_DEVICE_LOCAL_MEM_SIZE")
    local_memory_type: Fact[str] = fact("local, global or none")
    global_memory_bytes: Fact[int] = fact("CL_DEVICE_GLOBAL_MEM_SIZE")
    max_allocation_bytes: Fact[int] = fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE")
    address_bits: Fact[int] = fact("CL_DEVICE_ADDRESS_BITS")
    extensions: Fact[tuple[str, ...]] = fact("CL_DEVICE_EXTENSIONS")
    half_fp_config: Fact[int | None] = fact(
        "CL_DEVICE_HALF_FP_CONFIG; null: without cl_khr_fp16 it is not asked"
    )
    double_fp_config: Fact[int | None] = fact(
        "CL_DEVICE_DOUBLE_FP_CONFIG; null: without cl_khr_fp64 it is not asked"
    )
    available: Fact[bool] = fact("CL_DEVICE_AVAILABLE")
    compiler_available: Fact[bool] = fact("CL_DEVICE_COMPILER_AVAILABLE")
    image_support: Fact[bool] = fact("CL_DEVICE_IMAGE_SUPPORT")
    max_sub_groups: Fact[int | None] = fact(
        "CL_DEVICE_MAX_NUM_SUB_GROUPS, 0: it has none; null: before OpenCL 2.1 it is not asked"
    )
    kernel_result: Fact[str] = fact(
        "a kernel with a known answer, when asked for",
        values=("right", "wrong", "build-failed", "run-failed"),
        on_request=True,
    )
    build_log: Fact[str] = fact("first lines of the build log, if any", on_request=True)


class Platform(FactStruct, frozen=True, kw_only=True):
    """An OpenCL platform and its devices."""

    name: Fact[str] = fact("CL_PLATFORM_NAME")
    vendor: Fact[str] = fact("CL_PLATFORM_VENDOR")
    version: Fact[str] = fact("CL_PLATFORM_VERSION")
    icd_suffix: Fact[str | None] = fact("CL_PLATFORM_ICD_SUFFIX_KHR")
    devices_error: Fact[int | None] = fact("what clGetDeviceIDs returned; null: success")
    devices: Fact[tuple[Device, ...]] = fact("devices of every type")


class Answer(FactStruct, frozen=True, kw_only=True):
    """How OpenCL answered in one child process: an ICD asked directly, or through a loader."""

    stage: Fact[Stage] = fact("the last stage that was reached")
    outcome: Fact[Outcome] = fact("how it ended")
    error_code: Fact[int | None] = fact("OpenCL error that ended it; null: none")
    signal: Fact[str | None] = fact("signal that ended the child, such as SIGABRT; null: none")
    exit_status: Fact[int | None] = fact(
        "exit status if the driver ended the child; null: it did not"
    )
    message: Fact[str | None] = fact("the dynamic linker's or our own words; null: none")
    printed: Fact[str | None] = fact("the last lines that the driver printed; null: nothing")
    platforms: Fact[tuple[Platform, ...]] = fact("platforms that it showed")

    def shown(self) -> Iterator[tuple[Platform, Device]]:
        """Yield every device that is known to have been shown, with its platform."""
        for platform in listed(self.platforms):
            for device in listed(platform.devices):
                yield platform, device


class Icd(FactStruct, frozen=True, kw_only=True):
    """A registered ICD: the .icd file, the library that it names, and what that answered."""

    path: Annotated[
        str, described("the .icd file, or the library where a variable names it directly")
    ]
    searched_by: Fact[tuple[str, ...]] = fact("paths of the loaders that read it; []: none does")
    file_type: Fact[str] = fact(
        "library: a variable names it itself", "lstat {path}", values=FILE_TYPES
    )
    file_mode: Fact[str] = fact("four octal digits", "stat {path}")
    open_error: Fact[str | None] = fact(
        "errno name of reading it; null: it reads", 'open("{path}")'
    )
    file_access: FileAccess = fact("who may reach and read the .icd file", default=FileAccess())
    text: Fact[str] = fact("its content, byte for byte as Latin-1, at most 4096", "{path}")
    library_name: Fact[str | None] = fact(
        "the library that it names; null: it names none", "{path}"
    )
    package: Fact[str | None] = fact("owning package; null: none owns it")
    library: Library = Library()
    answer: Answer = fact("asked alone in a child process, without a loader", default=Answer())


class Pair(FactStruct, frozen=True, kw_only=True):
    """Two ICDs that each answered alone, loaded into one process."""

    icds: Annotated[
        tuple[str, str], described("their .icd files, in the order that they were loaded")
    ]
    answer: Answer = fact(
        "of the order that failed, if one did: both orders are tried", default=Answer()
    )


class View(FactStruct, frozen=True, kw_only=True):
    """What one program sees through its loader, all its ICDs together in one process."""

    viewer: Annotated[
        str, described("system-loader, conda-loader, pyopencl, clinfo, or a program's name")
    ]
    loader: Fact[str | None] = fact("path of the libOpenCL that answered; null: none was found")
    version: Fact[str | None] = fact("version of the viewer, such as pyopencl's")
    misses: Fact[tuple[str, ...]] = fact(
        "what a reporter expects it to show and does not find: GPUs, drivers, platforms, in "
        "their words; []: nothing",
        on_request=True,
    )
    wrong_gpu: Fact[str | None] = fact(
        "the GPU that it computes on though a reporter wants another, in their words; null: it "
        "computes on the right one",
        on_request=True,
    )
    answer: Answer = Answer()


class Framework(FactStruct, frozen=True, kw_only=True):
    """A machine-learning framework in this Python, and what it can compute on."""

    name: Annotated[str, described("pytorch, pytorch_dlprim, intel-extension-for-pytorch …")]
    version: Fact[str | None] = fact("whole, such as 2.13.0+cpu; null: none told", "its metadata")
    built_for: Fact[tuple[str, ...]] = fact(
        "what its build contains",
        "version.py of {name}",
        values=("cpu", "cuda", "hip", "xpu", "opencl"),
    )
    needs: Fact[str | None] = fact("version range of PyTorch that it was built against; null: any")
    devices: Fact[tuple[str, ...]] = fact(
        "devices that it shows, such as xpu:0; []: none", on_request=True
    )
    message: Fact[str | None] = fact(
        "its error when it was asked for devices; null: none", on_request=True
    )
