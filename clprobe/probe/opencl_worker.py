# SPDX-License-Identifier: MIT
"""The child that asks one driver, or one loader, so that a crash or a hang ends nobody else.

Run by path, without clprobe, site-packages or numpy: `python -I -S opencl_worker.py ROLE REPORT
LIBRARY [kernels]`. Roles: `icd` asks a vendor library directly, `loader` asks through a libOpenCL,
`pyopencl` imports pyopencl. Before every call that may not return, one JSON line goes to the
file REPORT, opened anew each time: drivers close descriptors, print and fork as they like.
"""

import ctypes
import json
import os
import resource
import sys
from typing import Any

# Run by path and without site-packages; at the end, so that it hides nothing of the standard
# library. Only modules of this folder that need nothing else are imported from there.
_FOLDER = __file__.rpartition("/")[0]
sys.path.append(_FOLDER.removesuffix("/clprobe/probe"))

from clprobe.probe.opencl_calls import (  # noqa: E402 - found through the path above
    Call,
    OpenclError,
    dispatched,
    entry_point,
    exported,
)
from clprobe.probe.opencl_known_answer import run_known_answer  # noqa: E402

_ALL_DEVICES = 0xFFFFFFFF
_MOST_OBJECTS = 64  # more platforms or devices than this is a driver returning nonsense
_LONGEST_ANSWER = 65536
_PLATFORM_TEXTS = {"name": 0x0902, "vendor": 0x0903, "version": 0x0901, "icd_suffix": 0x0920}

# In the order asked: should a later one crash the driver, the earlier answers are kept.
_DEVICE_TEXTS = {
    "name": 0x102B,
    "vendor": 0x102C,
    "driver_version": 0x102D,
    "opencl_version": 0x102F,
    "opencl_c_version": 0x103D,
    "extensions": 0x1030,
}
_DEVICE_NUMBERS = {
    "type": 0x1000,
    "vendor_id": 0x1001,
    "compute_units": 0x1002,
    "max_work_group_size": 0x1004,
    "max_clock_mhz": 0x100C,
    "address_bits": 0x100D,
    "max_allocation_bytes": 0x1010,
    "global_memory_bytes": 0x101F,
    "local_memory_type": 0x1022,
    "local_memory_bytes": 0x1023,
    "available": 0x1027,
    "compiler_available": 0x1028,
}
# Raw answers, kept as hex, that only drivers with the named extension may be asked for: others
# are free to do anything with a code that they do not know.
_DEVICE_EXTRAS = {
    "pci_bus_info": (0x410F, "cl_khr_pci_bus_info"),
    "nv_pci_bus": (0x4008, "cl_nv_device_attribute_query"),
    "nv_pci_slot": (0x4009, "cl_nv_device_attribute_query"),
    "nv_pci_domain": (0x400A, "cl_nv_device_attribute_query"),
    "nv_warp_size": (0x4003, "cl_nv_device_attribute_query"),
    "amd_topology": (0x4037, "cl_amd_device_attribute_query"),
    "amd_wavefront_width": (0x4043, "cl_amd_device_attribute_query"),
    "intel_ip_version": (0x4250, "cl_intel_device_attribute_query"),
    "intel_device_id": (0x4251, "cl_intel_device_attribute_query"),
    "sub_group_sizes": (0x4108, "cl_intel_required_subgroup_size"),
    "double_fp_config": (0x1032, "cl_khr_fp64"),
    "half_fp_config": (0x1033, "cl_khr_fp16"),
}


def main(role: str, report_path: str, library: str, *, kernels: bool) -> None:
    """Ask as `role` and report; returns normally even if the driver answers with errors."""
    _prepare()
    report = _Report(report_path)
    try:
        if role == "pyopencl":
            _ask_pyopencl(report)
        else:
            _ask_library(report, role, library, kernels)
    except OpenclError as failure:
        report(failed=str(failure), code=failure.code)
    except Exception as error:  # noqa: BLE001 - whatever pyopencl raises is an answer too
        report(failed=f"{type(error).__name__}: {error}", code=None)
    report(done=True)


class _Report:
    """Appends JSON lines to the report, each on the disk cache before the next call is made."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, **record: Any) -> None:
        line = json.dumps(record).encode() + b"\n"
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)


def _prepare() -> None:
    # A limit of 1 byte is the value that also stops core dumps piped to a crash collector: the
    # user asked for a diagnosis, not for a crash report (core(5)).
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (1 if hard else 0, hard))
    # Should clprobe itself be killed, a driver that hangs must not stay behind.
    set_parent_death_signal, sigkill = 1, 9
    ctypes.CDLL(None).prctl(set_parent_death_signal, sigkill, 0, 0, 0)


def _ask_library(report: _Report, role: str, library: str, kernels: bool) -> None:
    report(stage="load")
    try:
        opened = ctypes.CDLL(library)
    except OSError as error:
        raise OpenclError(str(error)) from None
    if role == "loader":
        report(loader=_mapped_loader(), loader_version=_loader_version(opened))
        report(stage="platforms")
        platforms = _platform_ids(exported(opened)("clGetPlatformIDs"))
        functions = [exported(opened) for _ in platforms]
    else:
        report(stage="entry-point")
        entry = entry_point(opened)
        report(stage="platforms")
        platforms = _platform_ids(entry)
        functions = [dispatched(platform) for platform in platforms]
    devices = _ask_platforms(report, platforms, functions)
    if kernels:
        for place, platform_functions, device in devices:
            run_known_answer(report, place, platform_functions, device)


def _platform_ids(call: Call) -> list[int]:
    count = ctypes.c_uint(0)
    code = call(0, None, ctypes.byref(count))
    if code:
        raise OpenclError("asking for platforms failed", code)
    number = min(count.value, _MOST_OBJECTS)
    if not number:
        return []
    found = (ctypes.c_void_p * number)()
    code = call(number, found, None)
    if code:
        raise OpenclError("asking for the list of platforms failed", code)
    if not all(found):
        raise OpenclError("the list of platforms contains NULL")
    return [int(platform or 0) for platform in found]


def _ask_platforms(
    report: _Report, platforms: list[int], functions: list[Call]
) -> list[tuple[list[int], Call, int]]:
    """Ask all platforms, then all for devices, then all devices: the stages stay in order."""
    for index, (platform, function) in enumerate(zip(platforms, functions, strict=True)):
        report(platform=index)
        ask = _Questions(report, [index], function("clGetPlatformInfo"), platform)
        ask.texts(_PLATFORM_TEXTS)
    report(stage="devices")
    devices = []
    for index, (platform, function) in enumerate(zip(platforms, functions, strict=True)):
        code, found = _device_ids(function("clGetDeviceIDs"), platform)
        report(platform=index, devices=len(found), devices_error=code)
        devices += [([index, place], function, device) for place, device in enumerate(found)]
    if devices:
        report(stage="queries")
    for at, function, device in devices:
        _ask_device(report, at, function("clGetDeviceInfo"), device)
    return devices


def _device_ids(call: Call, platform: int) -> tuple[int | None, list[int]]:
    count = ctypes.c_uint(0)
    code = call(platform, _ALL_DEVICES, 0, None, ctypes.byref(count))
    number = min(count.value, _MOST_OBJECTS)
    if code or not number:
        return code or None, []
    found = (ctypes.c_void_p * number)()
    code = call(platform, _ALL_DEVICES, number, found, None)
    return code or None, [] if code else [int(device) for device in found if device]


def _ask_device(report: _Report, at: list[int], call: Call, device: int) -> None:
    ask = _Questions(report, at, call, device)
    texts = ask.texts(_DEVICE_TEXTS)
    for name, code in _DEVICE_NUMBERS.items():
        raw = ask(name, code)
        if raw is not None:
            report(at=at, fact=name, value=int.from_bytes(raw[:8], sys.byteorder))
    extensions = texts.get("extensions", "").split()
    for name, (code, extension) in _DEVICE_EXTRAS.items():
        raw = ask(name, code) if extension in extensions else None
        if raw is not None:
            value = _sizes(raw) if name == "sub_group_sizes" else raw[:1024].hex()
            report(at=at, fact=name, value=value)


class _Questions:
    """Asks one platform or device, reporting each question before it and each answer after."""

    def __init__(self, report: _Report, at: list[int], call: Call, subject: int) -> None:
        self._report, self._at, self._call, self._subject = report, at, call, subject
        self._buffer = ctypes.create_string_buffer(_LONGEST_ANSWER)

    def __call__(self, name: str, code: int) -> bytes | None:
        self._report(at=self._at, asking=name)
        size = ctypes.c_size_t(0)
        length = len(self._buffer)
        error = self._call(self._subject, code, length, self._buffer, ctypes.byref(size))
        if error or not size.value:
            self._report(at=self._at, fact=name, error=error)
            return None
        return ctypes.string_at(self._buffer, min(size.value, length))

    def texts(self, codes: dict[str, int]) -> dict[str, str]:
        """Ask for texts; what follows a NUL byte is the driver's rubbish."""
        texts = {}
        for name, code in codes.items():
            raw = self(name, code)
            if raw is not None:
                texts[name] = raw.split(b"\0")[0].decode("utf-8", "replace")
                self._report(at=self._at, fact=name, value=texts[name])
        return texts


def _sizes(raw: bytes) -> list[int]:
    count = len(raw) // ctypes.sizeof(ctypes.c_size_t)
    return list((ctypes.c_size_t * count).from_buffer_copy(raw))


def _mapped_loader() -> str | None:
    """Return the file of the libOpenCL in this process; only Linux knows for certain."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:  # noqa: PTH123 - pathlib takes longer to import than this child lives
            mapped = {line.rstrip("\n").partition("/")[2] for line in maps}
    except OSError:  # no /proc in this container
        return None
    loaders = (path for path in mapped if path.rpartition("/")[2].startswith("libOpenCL"))
    return next((f"/{path}" for path in loaders), None)


def _loader_version(opened: ctypes.CDLL) -> str | None:
    find = getattr(opened, "clGetExtensionFunctionAddress", None)
    if find is None:
        return None
    find.restype, find.argtypes = ctypes.c_void_p, (ctypes.c_char_p,)
    address = find(b"clGetICDLoaderInfoOCLICD")
    if not address:
        return None
    version = 2
    buffer = ctypes.create_string_buffer(256)
    prototype = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p
    )
    code = prototype(address)(version, len(buffer), buffer, None)
    return None if code else buffer.value.decode("utf-8", "replace")


def _ask_pyopencl(report: _Report) -> None:
    report(stage="load")
    # Python put this file's folder in front; its neighbours must not shadow anyone's modules.
    sys.path[:] = [folder for folder in sys.path if folder != _FOLDER]
    import pyopencl  # noqa: PLC0415 - the one role that needs it

    report(loader=_mapped_loader(), viewer_version=pyopencl.VERSION_TEXT)
    report(stage="platforms")
    try:
        platforms = pyopencl.get_platforms()
    except pyopencl.Error as error:
        raise OpenclError(str(error), getattr(error, "code", None)) from None
    for index, platform in enumerate(platforms):
        report(platform=index)
        for name in ("name", "vendor", "version"):
            report(at=[index], asking=name)
            report(at=[index], fact=name, value=getattr(platform, name))
    report(stage="devices")
    for index, platform in enumerate(platforms):
        try:
            devices = platform.get_devices()
        except pyopencl.Error as error:
            report(platform=index, devices=0, devices_error=getattr(error, "code", None))
            continue
        report(platform=index, devices=len(devices), devices_error=None)
        if devices:
            report(stage="queries")
        for place, device in enumerate(devices):
            for name in ("name", "type", "driver_version"):
                report(at=[index, place], asking=name)
                report(at=[index, place], fact=name, value=getattr(device, name))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], kernels="kernels" in sys.argv[4:])
