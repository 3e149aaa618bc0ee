# SPDX-License-Identifier: MIT
"""What a device reaches at most: a chain of multiply-adds, a large copy, an NVIDIA's data sheet."""

import csv
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from clprobe.bench.engines import Engine
from clprobe.bench.theoretical import Theoretical
from clprobe.bench.where import Where, watch
from clprobe.model.measurement import Peak
from clprobe.resources import kernels_path
from clprobe.tensor import Device

_CHAIN = "bench/fma_chain.cl"
_CORES = Path(__file__).parent / "data" / "nvidia_cores.csv"
_EXTENSION = "cl_nv_device_attribute_query"
# A multiply-add counts as two operations.
_FMA = 2
_OPERATIONS_PER_ROUND = 64
_WORK_GROUP = 64
_SAMPLE_SECONDS = 0.01
_ROUNDS = 64
_MOST_ROUNDS = 1 << 20
_REPEATS = 5
# Vectors of a CPU's own width; GPUs gather the lanes of one work-group by themselves.
_VECTOR_SIZES = {True: (8, 16), False: (1, 4)}
_GROUPS_PER_UNIT = {True: 4, False: 128}
_COPY_MEBIBYTES = 32


Chain = tuple[float, Where]
"""What came of the chain of multiply-adds in GFLOP/s, and where it ran."""


def measured_peaks(label: str, chain: Chain | None, engine: Engine) -> tuple[Peak, ...]:
    """Return the peaks of arithmetic and memory, without those that cannot be measured."""
    peaks = []
    if chain is not None:
        how = "measured with a chain of multiply-adds that reads no memory."
        peaks.append(Peak(device=label, unit="GFLOP/s", measured=chain[0], how=how))
    bandwidth = copy_bandwidth(engine)
    if bandwidth is not None:
        how = f"measured with a copy of {_COPY_MEBIBYTES} MiB, read and written."
        peaks.append(Peak(device=label, unit="GB/s", measured=bandwidth, how=how))
    return tuple(peaks)


def copy_bandwidth(engine: Engine) -> float | None:
    """Return GB/s of the engine's own copy; None if what it copies is not what it was given."""
    values = np.arange(_COPY_MEBIBYTES << 18, dtype=np.float32)
    prepared = engine.prepare("copy", values)
    if not np.array_equal(prepared.result(), values):
        return None
    elapsed = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        prepared.run(1)
        elapsed.append(time.perf_counter() - started)
    return float(2 * values.nbytes / min(elapsed) / 1e9)


def multiply_and_add(device: Device) -> Chain | None:
    """Return the fastest chain; None where the device computes wrongly or refuses."""
    is_cpu = device.limits.is_cpu
    found = [_chain(device, size, is_cpu=is_cpu) for size in _VECTOR_SIZES[is_cpu]]
    right = [one for one in found if one is not None]
    return max(right, key=lambda one: one[0], default=None)


def _chain(device: Device, vector_size: int, *, is_cpu: bool) -> Chain | None:
    items = device.cl_device.max_compute_units * _GROUPS_PER_UNIT[is_cpu] * _WORK_GROUP
    try:
        source = (kernels_path() / _CHAIN).read_text(encoding="utf-8")
        program = cl.Program(device.context, source).build(
            [f"-DVECTOR_SIZE={vector_size}"],
            cache_dir=False,  # type: ignore[arg-type]  # means "none"
        )
        kernel = cl.Kernel(program, "fma_chain")
        values = np.zeros(items * vector_size, np.float32)
        buffer = cl.Buffer(device.context, cl.mem_flags.READ_WRITE, values.nbytes)

        def seconds(rounds: int) -> float:
            kernel.set_args(buffer, np.float32(0.5), np.float32(1), np.uint32(rounds))
            started = time.perf_counter()
            local = min(_WORK_GROUP, device.cl_device.max_work_group_size)
            cl.enqueue_nd_range_kernel(device.queue, kernel, (items,), (local,))
            device.queue.finish()
            return time.perf_counter() - started

        rounds = _ROUNDS
        seconds(rounds)
        while seconds(rounds) < _SAMPLE_SECONDS and rounds < _MOST_ROUNDS:
            rounds *= 2
        where = watch(lambda: seconds(rounds), is_cpu=is_cpu)
        best = min(seconds(rounds) for _ in range(_REPEATS))
        cl.enqueue_copy(device.queue, values, buffer, is_blocking=True)
    except (cl.Error, OSError):
        # A device without a peak can be measured all the same.
        return None
    if not np.all(values == 16):
        return None
    gflops = items * vector_size * _OPERATIONS_PER_ROUND * rounds / best / 1e9
    return float(gflops), where


def nvidia_peak(device: cl.Device) -> Theoretical | None:
    """Return the peak; None for other makers' devices, and where something is not known."""
    try:
        if _EXTENSION not in device.extensions.split():
            return None
        major: Any = device.get_info(cl.device_info.COMPUTE_CAPABILITY_MAJOR_NV)
        minor: Any = device.get_info(cl.device_info.COMPUTE_CAPABILITY_MINOR_NV)
        return peak_of((major, minor), device.max_compute_units, device.max_clock_frequency)
    except cl.Error:
        return None


def peak_of(
    capability: tuple[int, int], multiprocessors: int, clock_mhz: int
) -> Theoretical | None:
    """Return the peak of a compute capability; None for one that the table does not have.

    **Source** data/README.md.
    """
    cores = _cores().get(capability)
    if cores is None or not multiprocessors or not clock_mhz:
        return None
    major, minor = capability
    gflops = multiprocessors * cores * _FMA * clock_mhz / 1e3
    how = (
        f"{multiprocessors} multiprocessors × {cores} cores (compute capability {major}.{minor}) × "
        f"{_FMA} FLOP × {clock_mhz} MHz"
    )
    return Theoretical(gflops, f"{how}.", gflops, how)


@cache
def _cores() -> dict[tuple[int, int], int]:
    with _CORES.open(encoding="ascii", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    pairs = [(capability.split("."), int(cores)) for capability, cores in rows]
    return {(int(major), int(minor)): cores for (major, minor), cores in pairs}
