# SPDX-License-Identifier: MIT
"""PoCL builds kernels on CPUs that its LLVM does not know."""

import numpy as np
import pyopencl as cl
import pytest
from devices import label

from clprobe.tensor.pocl_target import best_cpu_name, name_target_cpu


def pocl_devices() -> list[cl.Device]:
    try:
        platforms = cl.get_platforms()
    except cl.Error:
        return []
    return [
        device
        for platform in platforms
        if platform.name == "Portable Computing Language"
        for device in platform.get_devices()
    ]


@pytest.mark.parametrize("device", pocl_devices() or [None], ids=lambda it: it and label(it))
def test_every_pocl_builds_and_runs_a_kernel_once_its_target_is_named(
    device: cl.Device | None,
) -> None:
    if device is None:
        pytest.skip("no PoCL on this machine")

    name_target_cpu(device)

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    # A vector as wide as AVX-512's: LLVM aborts where it builds for a CPU that lacks it.
    source = """
    kernel void fill(global float *x) {
        x[get_global_id(0)] = mad((float16)(get_global_id(0)), (float16)(2), (float16)(0)).s7;
    }"""
    program = cl.Program(context, source).build()
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    program.fill(queue, (16,), None, buffer)
    result = np.empty(16, np.float32)
    cl.enqueue_copy(queue, result, buffer)
    assert result.tolist() == [2.0 * i for i in range(16)]


def test_a_second_call_finds_nothing_left_to_mend() -> None:
    for device in pocl_devices():
        name_target_cpu(device)

        assert name_target_cpu(device) is None


def test_the_target_needs_every_feature_it_stands_for() -> None:
    avx2 = {"avx2", "fma", "bmi1", "bmi2", "movbe", "f16c", "avx", "sse4_2", "popcnt"}

    assert best_cpu_name(avx2) == "haswell"
    assert best_cpu_name(avx2 - {"fma"}) == "sandybridge"
    assert best_cpu_name(avx2 | {"avx512f"}) == "haswell"
    assert best_cpu_name(set()) == "x86-64"
