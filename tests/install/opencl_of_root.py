# SPDX-License-Identifier: MIT
"""Says as JSON which OpenCL a system has. Run there by its own Python 3.9 or newer, not imported.

    python3 opencl_of_root.py            drivers, whether they load; platforms, devices, a kernel
    python3 opencl_of_root.py gbe ID…    whether Beignet's compiler builds a kernel for these ids

It shares no code with clprobe, so that both can be compared.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

SOURCE = b"kernel void k(global float *a) { a[get_global_id(0)] += 1.0f; }"
NAME, VERSION, ICD_ID, KIND = 0x102B, 0x102F, 0x4251, 0x1000
_LOADER = "libOpenCL.so.1"
_COUNT = 8


def drivers():
    """Return each registered driver, whether it loads, and the libraries that ldd misses."""
    return [
        {"icd": path.name, "library": path.read_text().strip(), **_loaded(path.read_text().strip())}
        for path in sorted(Path("/etc/OpenCL/vendors").glob("*.icd"))
    ]


def _loaded(library):
    code = f"import ctypes; ctypes.CDLL({library!r})"
    done = _run(sys.executable, "-c", code)
    error = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    missing = [
        line for line in _run("ldd", _path(library)).stdout.splitlines() if "not found" in line
    ]
    return {"error": "".join(error) or None, "missing": [line.strip() for line in missing]}


def _path(library):
    """Return where the dynamic linker finds a library that is named without a folder."""
    for line in _run("ldconfig", "-p").stdout.splitlines():
        if line.strip().startswith(f"{library} "):
            return line.rpartition(" => ")[2]
    return library


def _run(*argv):
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/sbin:/usr/sbin"}
    return subprocess.run(
        argv, capture_output=True, text=True, timeout=120, check=False, env=environment
    )


def platforms():
    """Return platforms and their devices; each device tells whether it built and ran a kernel."""
    cl = ctypes.CDLL(_LOADER)
    return [
        {"name": _text(cl.clGetPlatformInfo, one, 0x0902), "devices": _devices(cl, one)}
        for one in _handles(cl.clGetPlatformIDs)
    ]


def _devices(cl, platform):
    return [
        {
            "name": _text(cl.clGetDeviceInfo, device, NAME),
            "version": _text(cl.clGetDeviceInfo, device, VERSION),
            "type": _number(cl, device, KIND),
            "pci_device": _number(cl, device, ICD_ID),
            **_kernel(cl, device),
        }
        for device in _handles(cl.clGetDeviceIDs, platform, ctypes.c_uint64(0xFFFFFFFF))
    ]


def _kernel(cl, device):
    """Build a kernel and run it where that is not only played."""
    for function in (cl.clCreateContext, cl.clCreateProgramWithSource, cl.clCreateBuffer,
                     cl.clCreateKernel, cl.clCreateCommandQueue):  # fmt: skip
        function.restype = ctypes.c_void_p
    code, one = ctypes.c_int(), ctypes.c_void_p(device)
    context = ctypes.c_void_p(
        cl.clCreateContext(None, 1, ctypes.byref(one), None, None, ctypes.byref(code))
    )
    text, size = ctypes.c_char_p(SOURCE), ctypes.c_size_t(len(SOURCE))
    program = ctypes.c_void_p(
        cl.clCreateProgramWithSource(
            context, 1, ctypes.byref(text), ctypes.byref(size), ctypes.byref(code)
        )
    )
    built = cl.clBuildProgram(program, 1, ctypes.byref(one), b"", None, None)
    if built:
        log = ctypes.create_string_buffer(4096)
        cl.clGetProgramBuildInfo(program, one, 0x1183, ctypes.c_size_t(4096), log, None)
        return {"built": built, "ran": None, "log": log.value.decode("utf-8", "replace").strip()}
    if "SetCommandStreamReceiver" in os.environ or "RUSTICL_ENABLE" in os.environ:
        return {"built": built, "ran": None, "log": ""}
    values = (ctypes.c_float * _COUNT)(*range(_COUNT))
    length = ctypes.c_size_t(ctypes.sizeof(values))
    buffer = ctypes.c_void_p(
        cl.clCreateBuffer(context, ctypes.c_uint64(0x21), length, values, None)
    )
    kernel = ctypes.c_void_p(cl.clCreateKernel(program, b"k", None))
    queue = ctypes.c_void_p(cl.clCreateCommandQueue(context, one, ctypes.c_uint64(0), None))
    cl.clSetKernelArg(kernel, 0, ctypes.c_size_t(8), ctypes.byref(buffer))
    items = ctypes.c_size_t(_COUNT)
    cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(items), None, 0, None, None)
    cl.clEnqueueReadBuffer(queue, buffer, 1, ctypes.c_size_t(0), length, values, 0, None, None)
    return {"built": built, "ran": list(values) == [x + 1.0 for x in range(_COUNT)], "log": ""}


def _handles(function, *scope):
    count = ctypes.c_uint()
    where = tuple(ctypes.c_void_p(one) if isinstance(one, int) else one for one in scope)
    if function(*where, 0, None, ctypes.byref(count)) or not count.value:
        return []
    found = (ctypes.c_void_p * count.value)()
    function(*where, count, found, None)
    return list(found)


def _text(function, handle, key):
    text = ctypes.create_string_buffer(1024)
    function(ctypes.c_void_p(handle), key, ctypes.c_size_t(1024), text, None)
    return text.value.decode("utf-8", "replace")


def _number(cl, device, key):
    """Return a number of at most eight bytes; None if the device has no such fact."""
    value, size = ctypes.c_uint64(), ctypes.c_size_t()
    handle = ctypes.c_void_p(device)
    if cl.clGetDeviceInfo(handle, key, ctypes.c_size_t(8), ctypes.byref(value), ctypes.byref(size)):
        return None
    return value.value & ((1 << (8 * size.value)) - 1)


def gbe(ids):
    """Return for each PCI device id whether Beignet's compiler makes a program for it."""
    library = ctypes.CDLL("/usr/lib/x86_64-linux-gnu/beignet/libgbe.so", mode=ctypes.RTLD_GLOBAL)
    build = ctypes.CFUNCTYPE(
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
        ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t),
    )(ctypes.c_void_p.in_dll(library, "gbe_program_new_from_source").value)  # fmt: skip
    source = SOURCE.ljust(4096)
    made = {}
    for one in ids:
        log, size = ctypes.create_string_buffer(1 << 16), ctypes.c_size_t(1 << 16)
        program = build(int(one, 16), source, len(source), b"", log, ctypes.byref(size))
        made[one] = bool(program)
    return made


def main(words):
    if words[:1] == ["gbe"]:
        answer = gbe(words[1:])
    else:
        answer = {"drivers": drivers()}
        try:
            answer["platforms"] = platforms()
        except OSError as error:
            answer["platforms"] = None
            answer["loader"] = str(error)
    sys.stdout.write(f"\n{json.dumps(answer)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
