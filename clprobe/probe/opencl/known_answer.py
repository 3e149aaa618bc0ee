# SPDX-License-Identifier: MIT
"""Builds a kernel whose answer is known, runs it on a device, and looks at what it computed.

Part of the child (opencl_worker.py): nothing but the standard library. Compiling takes most of the
time, so a build that an earlier child made may be given: the compiler is left out then, and only
then, and the device computes as ever. What such a build is worth is told by kept_files.py.
"""

import ctypes

from clprobe.probe.opencl.calls import Call, OpenclError, Report, created, mapped_files

_BUILD_LOG, _BINARY_SIZES, _BINARIES = 0x1183, 0x1165, 0x1166
_LONGEST_LOG = 4000
_LONGEST_ANSWER = 65536
_LARGEST_BUILD = 1 << 18
_KERNEL = b"""
__kernel void known_answer(__global uint *y)
{
    uint i = get_global_id(0);
    y[i] = i * i * 3u + 7u;
}
"""
_WORK_ITEMS = 256


class KnownAnswer:
    """Tries one device, named by its place, what finds its functions, and its handle."""

    def __init__(self, report: Report, at: list[int], function: Call, device: int) -> None:
        self._report, self._at, self._function, self._device = report, at, function, device
        self._devices = (ctypes.c_void_p * 1)(device)

    def run(self, builds: str, name: str) -> None:
        """Report what the device computes; errors are its result.

        `builds` is the folder of earlier builds; empty: none are taken, and none are given.
        """
        self._reached("compile")
        self._failed = "build-failed"
        try:
            self._context = created(
                self._function("clCreateContext"), None, 1, self._devices, None, None
            )
            self._queue = created(
                self._function("clCreateCommandQueue"), self._context, self._device, 0
            )
            earlier = _earlier(builds, name)
            if earlier is not None and self._agrees(*earlier):
                return
            program = self._compiled()
            result = self._result(program)
        except OpenclError as failure:
            self._tell("kernel_result", self._failed, why=str(failure), code=failure.code)
            return
        self._tell("kernel_result", result)
        if builds:
            self._give(program)

    def _agrees(self, expected: str, binary: bytes) -> bool:
        """Run an earlier build; False if the driver refuses it or it computes anything else."""
        try:
            result = self._result(self._loaded(binary))
        except OpenclError:
            result = ""
        if result != expected:
            self._reached("compile")
            self._failed = "build-failed"
            return False
        self._tell("kernel_result", result)
        return True

    def _compiled(self) -> int:
        source = (ctypes.c_char_p * 1)(_KERNEL)
        make = self._function("clCreateProgramWithSource")
        program = created(make, self._context, 1, source, None)
        code = self._build(program)
        if code:
            self._tell("build_log", self._build_log(program))
            raise OpenclError("building a kernel failed", code)
        return program

    def _loaded(self, binary: bytes) -> int:
        size, status = (ctypes.c_size_t * 1)(len(binary)), (ctypes.c_int * 1)()
        held = ctypes.create_string_buffer(binary, len(binary))
        place = (ctypes.c_void_p * 1)(ctypes.addressof(held))
        make = self._function("clCreateProgramWithBinary")
        program = created(make, self._context, 1, self._devices, size, place, status)
        code = self._build(program)
        if code:
            raise OpenclError("it refuses its own build", code)
        return program

    def _build(self, program: int) -> int:
        build = self._function("clBuildProgram")
        return int(build(program, 1, self._devices, b"", None, None))

    def _result(self, program: int) -> str:
        kernel = created(self._function("clCreateKernel"), program, b"known_answer")
        self._failed = "run-failed"
        self._reached("run")
        return "right" if self._runs_right(kernel) else "wrong"

    def _runs_right(self, kernel: int) -> bool:
        function, result = self._function, (ctypes.c_uint * _WORK_ITEMS)()
        make = function("clCreateBuffer")
        buffer = created(make, self._context, 1, ctypes.sizeof(result), None)
        handle = ctypes.c_void_p(buffer)
        code = function("clSetKernelArg")(kernel, 0, ctypes.sizeof(handle), ctypes.byref(handle))
        items = (ctypes.c_size_t * 1)(_WORK_ITEMS)
        code = code or function("clEnqueueNDRangeKernel")(
            self._queue, kernel, 1, None, items, None, 0, None, None
        )
        code = code or function("clFinish")(self._queue)
        code = code or function("clEnqueueReadBuffer")(
            self._queue, buffer, 1, 0, ctypes.sizeof(result), result, 0, None, None
        )
        if code:
            raise OpenclError("running a kernel failed", code)
        return list(result) == [i * i * 3 + 7 for i in range(_WORK_ITEMS)]

    def _give(self, program: int) -> None:
        """Report the build for later children; nobody minds a driver that gives none."""
        size = (ctypes.c_size_t * 1)()
        try:
            ask = self._function("clGetProgramInfo")
            if ask(program, _BINARY_SIZES, ctypes.sizeof(size), size, None):
                return
            if not 0 < size[0] <= _LARGEST_BUILD:
                return
            binary = ctypes.create_string_buffer(size[0])
            place = (ctypes.c_void_p * 1)(ctypes.addressof(binary))
            if ask(program, _BINARIES, ctypes.sizeof(place), place, None):
                return
        except OpenclError:
            return
        files = mapped_files()
        if not files:
            return
        self._tell("kernel_files", "".join(sorted(f"{file}\n" for file in files)))
        self._tell("kernel_build", binary.raw.hex())

    def _build_log(self, program: int) -> str:
        buffer = ctypes.create_string_buffer(_LONGEST_ANSWER)
        call = self._function("clGetProgramBuildInfo")
        call(program, self._device, _BUILD_LOG, len(buffer), buffer, None)
        return buffer.value.decode("utf-8", "replace")[:_LONGEST_LOG]

    def _reached(self, stage: str) -> None:
        self._report(stage=stage, at=self._at)

    def _tell(self, fact: str, value: str, **more: "str | int | None") -> None:
        self._report(at=self._at, fact=fact, value=value, **more)


def _earlier(builds: str, name: str) -> "tuple[str, bytes] | None":
    """Return an earlier build and what it computed; None: there is none."""
    if not builds:
        return None
    try:
        with open(f"{builds}/{name}", "rb") as file:  # noqa: PTH123 - pathlib takes longer to import than this child lives
            expected, _, binary = file.read().partition(b"\n")
    except OSError:
        return None
    return expected.decode(), binary
