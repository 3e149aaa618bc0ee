# SPDX-License-Identifier: MIT
"""Builds a small kernel on a device and compares what it computes with the known answer.

Part of the child (opencl_worker.py): nothing but the standard library.
"""

import ctypes
from collections.abc import Callable

from clprobe.probe.opencl.calls import Call, OpenclError, created

_LONGEST_ANSWER = 65536
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
    devices = (ctypes.c_void_p * 1)(device)
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
    except OpenclError as failure:
        report(
            at=at, fact="kernel_result", value="build-failed", why=str(failure), code=failure.code
        )
        return
    report(stage="run")
    try:
        right = _runs_right(function, context, queue, kernel)
    except OpenclError as failure:
        report(at=at, fact="kernel_result", value="run-failed", why=str(failure), code=failure.code)
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
