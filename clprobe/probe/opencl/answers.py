# SPDX-License-Identifier: MIT
"""Asks platforms and devices everything that a snapshot holds, reporting each question first.

Part of the child (opencl_worker.py): nothing but the standard library.
"""

import ctypes
import sys
from collections.abc import Callable

from clprobe.probe.opencl.calls import Call, OpenclError, created
from clprobe.probe.opencl.questions import (
    DEVICE_EXTRAS,
    DEVICE_NUMBERS,
    DEVICE_TEXTS,
    MOST_OBJECTS,
    PLATFORM_TEXTS,
)

Report = Callable[..., None]

_ALL_DEVICES = 0xFFFFFFFF
_MOST_CREDIBLE = 4096
_LONGEST_ANSWER = 65536
# cl_uint and cl_bool, size_t and cl_ulong; some drivers have a C bool for cl_bool.
_BYTES_OF_NUMBERS = (4, 8)
_BYTES_OF_FLAGS = (1, 4, 8)
_FLAGS = ("available", "compiler_available")

FoundDevice = tuple[list[int], Call, int]
"""Its place in the report, what finds its functions, and its handle."""


def platform_ids(call: Call) -> list[int]:
    """Return the platforms that a driver or a loader shows.

    Raises: OpenclError if it answers with an error or with nonsense.
    """
    count = ctypes.c_uint(0)
    code = call(0, None, ctypes.byref(count))
    if code:
        raise OpenclError("asking for platforms failed", code)
    if count.value > _MOST_CREDIBLE:
        raise OpenclError(f"it claims to have {count.value} platforms")
    number = min(count.value, MOST_OBJECTS)
    if not number:
        return []
    found = (ctypes.c_void_p * number)()
    code = call(number, found, None)
    if code:
        raise OpenclError("asking for the list of platforms failed", code)
    if not all(found):
        raise OpenclError("the list of platforms contains NULL")
    return [int(platform or 0) for platform in found]


def ask_platforms(report: Report, platforms: list[int], functions: list[Call]) -> list[FoundDevice]:
    """Ask all platforms, then all for devices, then all devices: the stages stay in order."""
    for index, (platform, function) in enumerate(zip(platforms, functions, strict=True)):
        report(platform=index)
        ask = _Questions(report, [index], function("clGetPlatformInfo"), platform)
        ask.texts(PLATFORM_TEXTS)
    if platforms:
        report(stage="devices")
    devices: list[FoundDevice] = []
    for index, (platform, function) in enumerate(zip(platforms, functions, strict=True)):
        code, found, odd = _device_ids(function("clGetDeviceIDs"), platform)
        if odd:
            report(odd=odd, code=code)
        report(platform=index, devices=len(found), devices_error=code)
        devices += [([index, place], function, device) for place, device in enumerate(found)]
    if devices:
        report(stage="queries")
    for at, function, device in devices:
        _ask_device(report, at, function("clGetDeviceInfo"), device)
    return devices


def _device_ids(call: Call, platform: int) -> tuple[int | None, list[int], str]:
    """Return the error, the devices, and what contradicts itself in the answer."""
    count = ctypes.c_uint(0)
    code = call(platform, _ALL_DEVICES, 0, None, ctypes.byref(count))
    if code or not count.value:
        return code or None, [], ""
    if count.value > _MOST_CREDIBLE:
        return None, [], f"clGetDeviceIDs claims that there are {count.value} devices"
    number = min(count.value, MOST_OBJECTS)
    found = (ctypes.c_void_p * number)()
    again = ctypes.c_uint(count.value)
    code = call(platform, _ALL_DEVICES, number, found, ctypes.byref(again))
    if code:
        return code, [], f"clGetDeviceIDs counts {number} and then fails to list them"
    handles = [int(device) for device in found if device]
    odd = "the list of devices contains NULL" if len(handles) < number else ""
    if again.value != count.value:
        odd = odd or f"clGetDeviceIDs counts {count.value} devices and then {again.value}"
    return None, handles, odd


def _ask_device(report: Report, at: list[int], call: Call, device: int) -> None:
    ask = _Questions(report, at, call, device)
    texts = ask.texts(DEVICE_TEXTS)
    for name, code in DEVICE_NUMBERS.items():
        raw = ask(name, code)
        if raw is None:
            continue
        report(at=at, fact=name, value=int.from_bytes(raw[:8], sys.byteorder))
        if len(raw) not in (_BYTES_OF_FLAGS if name in _FLAGS else _BYTES_OF_NUMBERS):
            report(odd=f"it gives {len(raw)} bytes for the number {name}", code=None)
    extensions = texts.get("extensions", "").split()
    for name, (code, extension) in DEVICE_EXTRAS.items():
        raw = ask(name, code) if extension in extensions else None
        if raw is not None:
            value = _sizes(raw) if name == "sub_group_sizes" else raw[:1024].hex()
            report(at=at, fact=name, value=value)


class _Questions:
    """Asks one platform or device, reporting each question before it and each answer after."""

    def __init__(self, report: Report, at: list[int], call: Call, subject: int) -> None:
        self._report, self._at, self._call, self._subject = report, at, call, subject
        self._buffer = ctypes.create_string_buffer(_LONGEST_ANSWER)

    def __call__(self, name: str, code: int) -> bytes | None:
        self._report(at=self._at, asking=name)
        size = ctypes.c_size_t(0)
        length = len(self._buffer)
        # What an earlier question left behind must not pass for an answer to this one.
        ctypes.memset(self._buffer, 0, length)
        error = self._call(self._subject, code, length, self._buffer, ctypes.byref(size))
        if error or not size.value:
            self._report(at=self._at, fact=name, error=error)
            return None
        return ctypes.string_at(self._buffer, min(size.value, length))

    def texts(self, codes: dict[str, int]) -> dict[str, str]:
        """Ask for texts; what follows a NUL byte is the driver's rubbish."""
        texts = {}
        for name, code in codes.items():
            announced = self._size(name, code)
            raw = self(name, code)
            if raw is not None:
                text = raw.split(b"\0")[0]
                texts[name] = text.decode("utf-8", "replace")
                self._report(at=self._at, fact=name, value=texts[name])
                if announced is not None and not len(text) <= announced <= _LONGEST_ANSWER:
                    self._report(odd=f"it announces {announced} bytes for {name}", code=None)
        return texts

    def _size(self, name: str, code: int) -> int | None:
        """Ask for the size alone, as programs do before they make room for a text."""
        self._report(at=self._at, asking=name)
        size = ctypes.c_size_t(0)
        error = self._call(self._subject, code, 0, None, ctypes.byref(size))
        # An error here comes again with the text itself.
        return None if error else size.value


def _sizes(raw: bytes) -> list[int]:
    count = len(raw) // ctypes.sizeof(ctypes.c_size_t)
    return list((ctypes.c_size_t * count).from_buffer_copy(raw))


_BUILD_LOG = 0x1183
_LONGEST_LOG = 4000

_KERNEL = b"""
__kernel void known_answer(__global uint *y)
{
    uint i = get_global_id(0);
    y[i] = i * i * 3u + 7u;
}
"""
_WORK_ITEMS = 256


def run_known_answer(
    report: Callable[..., None], at: list[int], function: Call, device: int
) -> None:
    """Build a kernel and compare what it computes; errors are this device's result."""
    report(stage="compile")
    devices, result = (ctypes.c_void_p * 1)(device), "build-failed"
    try:
        context = created(function("clCreateContext"), None, 1, devices, None, None)
        queue = created(function("clCreateCommandQueue"), context, device, 0)
        source = (ctypes.c_char_p * 1)(_KERNEL)
        program = created(function("clCreateProgramWithSource"), context, 1, source, None)
        code = function("clBuildProgram")(program, 1, devices, b"", None, None)
        if code:
            report(at=at, fact="build_log", value=_build_log(function, program, device))
            raise OpenclError("building a kernel failed", code)
        kernel = created(function("clCreateKernel"), program, b"known_answer")
        result = "run-failed"
        report(stage="run")
        right = _runs_right(function, context, queue, kernel)
    except OpenclError as failure:
        report(at=at, fact="kernel_result", value=result, why=str(failure), code=failure.code)
        return
    report(at=at, fact="kernel_result", value="right" if right else "wrong")


def _runs_right(function: Call, context: int, queue: int, kernel: int) -> bool:
    result = (ctypes.c_uint * _WORK_ITEMS)()
    buffer = created(function("clCreateBuffer"), context, 1, ctypes.sizeof(result), None)
    handle = ctypes.c_void_p(buffer)
    code = function("clSetKernelArg")(kernel, 0, ctypes.sizeof(handle), ctypes.byref(handle))
    items = (ctypes.c_size_t * 1)(_WORK_ITEMS)
    code = code or function("clEnqueueNDRangeKernel")(
        queue, kernel, 1, None, items, None, 0, None, None
    )
    code = code or function("clFinish")(queue)
    code = code or function("clEnqueueReadBuffer")(
        queue, buffer, 1, 0, ctypes.sizeof(result), result, 0, None, None
    )
    if code:
        raise OpenclError("running a kernel failed", code)
    return list(result) == [i * i * 3 + 7 for i in range(_WORK_ITEMS)]


def _build_log(function: Call, program: int, device: int) -> str:
    buffer = ctypes.create_string_buffer(_LONGEST_ANSWER)
    call = function("clGetProgramBuildInfo")
    call(program, device, _BUILD_LOG, len(buffer), buffer, None)
    return buffer.value.decode("utf-8", "replace")[:_LONGEST_LOG]
