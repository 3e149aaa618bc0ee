# SPDX-License-Identifier: MIT
"""CLBlast through its C interface, on the first OpenCL device.

CLPROBE_CLBLAST names the library where it is not installed. The folder CLPROBE_CLBLAST_TUNED holds
what CLBlast's own tuners found (clblast_tuner_*, in JSON); their best parameters are set first.
"""

import ctypes
import json
import os
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path

import numpy as np
import pyopencl as cl
from works import Convolution, Prepared, Product, UnsupportedError, Work, serve

_ROW_MAJOR, _NO, _YES, _CORRELATION = 101, 111, 112, 151
_SINGLE = 32
# Its tuners write other names than its library reads.
_KERNELS = {
    "xgemm": "Xgemm",
    "xgemm_direct": "XgemmDirect",
    "copy": "Copy",
    "pad": "Pad",
    "transpose": "Transpose",
    "padtranspose": "Padtranspose",
}
Handle = ctypes.c_void_p
Arguments = Callable[..., tuple[object, ...]]


def prepare(work: Work) -> Prepared:
    match work:
        case Product():
            result = np.zeros((work.m, work.n), np.float32)
            return _prepared("CLBlastSgemm", _product(work), work.inputs(), result)
        case Convolution(part="forward"):
            result = np.zeros((work.images, work.filters, work.out, work.out), np.float32)
            return _prepared("CLBlastSconvgemm", _convolution(work), work.inputs()[:2], result)
    raise UnsupportedError("CLBlast has no such routine")


def _product(work: Product) -> Arguments:
    sides = [_YES if letter == "T" else _NO for letter in work.transposed]
    sizes = [ctypes.c_size_t(size) for size in (work.m, work.n, work.k)]
    rows_a = ctypes.c_size_t(work.m if sides[0] == _YES else work.k)
    rows_b = ctypes.c_size_t(work.k if sides[1] == _YES else work.n)
    zero, one = ctypes.c_size_t(0), ctypes.c_float(1)

    def arguments(a: Handle, b: Handle, c: Handle) -> tuple[object, ...]:
        beta = ctypes.c_float(0)
        inputs = (a, zero, rows_a, b, zero, rows_b)
        return (_ROW_MAJOR, *sides, *sizes, one, *inputs, beta, c, zero, sizes[1])

    return arguments


def _convolution(work: Convolution) -> Arguments:
    numbers = (
        *(work.channels, work.height, work.height, work.size, work.size),
        *(work.padding, work.padding, work.stride, work.stride, 1, 1),
        *(work.filters, work.images),
    )
    sizes = [ctypes.c_size_t(number) for number in numbers]
    zero = ctypes.c_size_t(0)
    return lambda x, weight, y: (_CORRELATION, *sizes, x, zero, weight, zero, y, zero)


def _prepared(
    routine: str, arguments: Arguments, inputs: tuple[np.ndarray, ...], result: np.ndarray
) -> Prepared:
    buffers = [_buffer(values) for values in (*inputs, result)]
    given = arguments(*(ctypes.c_void_p(buffer.int_ptr) for buffer in buffers))
    queue = ctypes.c_void_p(QUEUE.int_ptr)

    def run() -> None:
        status = getattr(LIBRARY, routine)(*given, ctypes.byref(queue), None)
        if status:
            raise UnsupportedError(f"{routine} answers {status}")

    def read() -> np.ndarray:
        run()
        cl.enqueue_copy(QUEUE, result, buffers[-1])
        return result

    return Prepared(run, QUEUE.finish, read)


def _buffer(values: np.ndarray) -> cl.Buffer:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(CONTEXT, flags, hostbuf=values)


def _set_tuned(folder: Path) -> None:
    results = [json.loads(path.read_text()) for path in folder.glob("*_32.json")]
    # A kernel is tuned in several parts; the fastest of them comes last and stays.
    for found in sorted(results, key=lambda each: -float(each["best_time"])):
        best = dict(pair.split("=") for pair in found["best_parameters"].split())
        best.pop("PRECISION", None)
        names = (ctypes.c_char_p * len(best))(*(name.encode() for name in best))
        values = (ctypes.c_size_t * len(best))(*map(int, best.values()))
        device = ctypes.c_void_p(CONTEXT.devices[0].int_ptr)
        kernel = _KERNELS[found["kernel_family"].rstrip("_0123456789")].encode()
        count = ctypes.c_size_t(len(best))
        LIBRARY.CLBlastOverrideParameters(device, kernel, _SINGLE, count, names, values)


if __name__ == "__main__":
    LIBRARY = ctypes.CDLL(os.environ.get("CLPROBE_CLBLAST") or find_library("clblast") or "")
    CONTEXT = cl.Context(cl.get_platforms()[0].get_devices()[:1])
    QUEUE = cl.CommandQueue(CONTEXT)
    if tuned := os.environ.get("CLPROBE_CLBLAST_TUNED"):
        _set_tuned(Path(tuned))
    serve(prepare)
