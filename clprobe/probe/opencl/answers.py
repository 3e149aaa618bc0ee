# SPDX-License-Identifier: MIT
"""Asks platforms and devices everything that a snapshot holds, reporting each question first.

Part of the child (opencl_worker.py): nothing but the standard library.
"""

import ctypes
import sys

from clprobe.probe.opencl.calls import Call, OpenclError, Report
from clprobe.probe.opencl.questions import (
    DEVICE_EXTRAS,
    DEVICE_NUMBERS,
    DEVICE_NUMBERS_SINCE,
    DEVICE_TEXTS,
    MOST_OBJECTS,
    PLATFORM_TEXTS,
    identity,
    version_in,
)

_ALL_DEVICES = 0xFFFFFFFF
_MOST_CREDIBLE = 4096
_LONGEST_ANSWER = 65536
# cl_uint and cl_bool, size_t and cl_ulong; some drivers have a C bool for cl_bool.
_BYTES_OF_NUMBERS = (4, 8)
_BYTES_OF_FLAGS = (1, 4, 8)
_FLAGS = ("available", "compiler_available", "image_support")

FoundDevice = tuple[list[int], Call, int, str]
"""Its place in the report, what finds its functions, its handle, and its name with the driver's."""


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
    found_devices: list[tuple[list[int], Call, int]] = []
    for index, (platform, function) in enumerate(zip(platforms, functions, strict=True)):
        code, found, odd = _device_ids(function("clGetDeviceIDs"), platform)
        if odd:
            report(odd=odd, code=code)
        report(platform=index, devices=len(found), devices_error=code)
        found_devices += [([index, place], function, one) for place, one in enumerate(found)]
    if found_devices:
        report(stage="queries")
    return [
        (at, function, device, _ask_device(report, at, function("clGetDeviceInfo"), device))
        for at, function, device in found_devices
    ]


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


def _ask_device(report: Report, at: list[int], call: Call, device: int) -> str:
    ask = _Questions(report, at, call, device)
    texts = ask.texts(DEVICE_TEXTS)
    version = version_in(texts.get("opencl_version", "")) or (0, 0)
    newer = {n: code for n, (code, since) in DEVICE_NUMBERS_SINCE.items() if version >= since}
    for name, code in {**DEVICE_NUMBERS, **newer}.items():
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
    return identity(texts.get("name", ""), texts.get("driver_version", ""))


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
