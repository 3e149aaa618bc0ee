# SPDX-License-Identifier: MIT
"""OpenCL's functions as ctypes calls, found in a driver's dispatch table or by name.

Part of the child (opencl_worker.py): nothing but the standard library.
"""

import ctypes

# Imports count here, and these are slow ones: see opencl_worker.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Call = Callable[..., Any]
    Report = Callable[..., None]
else:  # annotations are all that asks for them
    Call = Report = object

_UINT_P = ctypes.POINTER(ctypes.c_uint)
_SIZE_P = ctypes.POINTER(ctypes.c_size_t)
_INT_P = ctypes.POINTER(ctypes.c_int)
_VOID_P, _TEXT = ctypes.c_void_p, ctypes.c_char_p

_INT, _UINT, _SIZE, _BITS = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_uint64
_INFO = (_VOID_P, _UINT, _SIZE, _VOID_P, _SIZE_P)
_EVENTS = (_UINT, _VOID_P, _VOID_P)
_RANGE = (_SIZE_P, _SIZE_P, _SIZE_P)

# Place in the dispatch table that every OpenCL object starts with (struct _cl_icd_dispatch in
# CL/cl_icd.h), result, arguments. Vendor libraries need not export these functions by name.
_FUNCTIONS: "dict[str, tuple[int, Any, tuple[Any, ...]]]" = {
    "clGetPlatformIDs": (0, _INT, (_UINT, _VOID_P, _UINT_P)),
    "clGetPlatformInfo": (1, _INT, _INFO),
    "clGetDeviceIDs": (2, _INT, (_VOID_P, _BITS, _UINT, _VOID_P, _UINT_P)),
    "clGetDeviceInfo": (3, _INT, _INFO),
    "clCreateContext": (4, _VOID_P, (_VOID_P, _UINT, _VOID_P, _VOID_P, _VOID_P, _INT_P)),
    "clCreateCommandQueue": (9, _VOID_P, (_VOID_P, _VOID_P, _BITS, _INT_P)),
    "clCreateBuffer": (14, _VOID_P, (_VOID_P, _BITS, _SIZE, _VOID_P, _INT_P)),
    "clCreateProgramWithSource": (26, _VOID_P, (_VOID_P, _UINT, _VOID_P, _SIZE_P, _INT_P)),
    "clCreateProgramWithBinary": (27, _VOID_P, (_VOID_P, _UINT, *(_VOID_P,) * 4, _INT_P)),
    "clBuildProgram": (30, _INT, (_VOID_P, _UINT, _VOID_P, _TEXT, _VOID_P, _VOID_P)),
    "clGetProgramInfo": (32, _INT, _INFO),
    "clGetProgramBuildInfo": (33, _INT, (_VOID_P, *_INFO)),
    "clCreateKernel": (34, _VOID_P, (_VOID_P, _TEXT, _INT_P)),
    "clSetKernelArg": (38, _INT, (_VOID_P, _UINT, _SIZE, _VOID_P)),
    "clFinish": (47, _INT, (_VOID_P,)),
    "clEnqueueReadBuffer": (48, _INT, (_VOID_P, _VOID_P, _UINT, _SIZE, _SIZE, _VOID_P, *_EVENTS)),
    "clEnqueueNDRangeKernel": (59, _INT, (_VOID_P, _VOID_P, _UINT, *_RANGE, *_EVENTS)),
}


class OpenclError(Exception):
    """The driver answered with an error that ends the conversation."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


def entry_point(opened: ctypes.CDLL) -> Call:
    """Return a vendor library's clIcdGetPlatformIDsKHR."""
    _, result, arguments = _FUNCTIONS["clGetPlatformIDs"]
    prototype = ctypes.CFUNCTYPE(result, *arguments)
    # Asked as loaders ask: PoCL does not export the entry point by name.
    find = getattr(opened, "clGetExtensionFunctionAddress", None)
    if find is not None:
        find.restype, find.argtypes = _VOID_P, (ctypes.c_char_p,)
        address = find(b"clIcdGetPlatformIDsKHR")
        if address:
            return prototype(address)
    elif hasattr(opened, "clIcdGetPlatformIDsKHR"):
        # Both ocl-icd and the Khronos loader pass over such a library, whatever else it exports.
        raise OpenclError("loaders skip it: it has no clGetExtensionFunctionAddress")
    try:
        return prototype(("clIcdGetPlatformIDsKHR", opened))
    except AttributeError:
        raise OpenclError("not an OpenCL ICD: it has no clIcdGetPlatformIDsKHR") from None


def exported(opened: ctypes.CDLL) -> Call:
    """Return what finds functions among the names that a loader exports."""

    def function(name: str) -> Call:
        _, result, arguments = _FUNCTIONS[name]
        try:
            return ctypes.CFUNCTYPE(result, *arguments)((name, opened))
        except AttributeError:
            raise OpenclError(f"the library has no {name}") from None

    return function


def dispatched(platform: int) -> Call:
    """Return what finds functions in the dispatch table of a platform."""
    table = ctypes.cast(platform, ctypes.POINTER(_VOID_P))[0]
    if not table:
        raise OpenclError("the platform object has a NULL dispatch table")
    entries = ctypes.cast(table, ctypes.POINTER(_VOID_P))

    def function(name: str) -> Call:
        place, result, arguments = _FUNCTIONS[name]
        if not entries[place]:
            raise OpenclError(f"the dispatch table of the platform has no {name}")
        return ctypes.CFUNCTYPE(result, *arguments)(entries[place])

    return function


def mapped_files() -> "set[str]":
    """Return the files in this process, which only Linux knows for certain; none without /proc."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:  # noqa: PTH123 - pathlib takes longer to import than this child lives
            named = {line.rstrip("\n").partition("/")[2] for line in maps}
    except OSError:  # no /proc in this container
        return set()
    return {f"/{path}" for path in named if path}


def mapped_loader() -> "str | None":
    """Return the file of the libOpenCL in this process."""
    names = ((path.rpartition("/")[2], path) for path in mapped_files())
    return next((path for name, path in names if name.startswith("libOpenCL")), None)


def created(call: Call, *arguments: "Any") -> int:
    """Return the object that a clCreate… function makes."""
    code = ctypes.c_int(0)
    handle = call(*arguments, ctypes.byref(code))
    if code.value or not handle:
        raise OpenclError("creating an OpenCL object failed", code.value)
    return int(handle)
