# SPDX-License-Identifier: MIT
"""Adds up the parts of sums that were split to keep a device busy."""

from collections.abc import Iterator
from math import prod

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.launching import powers_of_two_down_from
from clprobe.tensor.ops.arguments import uint32
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.program import Candidate, Kernel

_WORK_ITEMS = 256
_FILE = "matmul/tiled_sum.cl"
# With more parts, more work-items share those of one result.
_LANES = {5: 1, 32: 4}
_MOST_LANES = 16


def sum_parts(
    parts: Array, result: Array, epilogue: Epilogue, *, bias_axis: int = 0, batches: int = 1
) -> None:
    """Set `result` to the sum of its parts, after the epilogue.

    **Shapes** parts (batches, any number, size of a batch), result (batches, ...) with a bias for
    each place along `bias_axis`.
    """
    device = result.device
    number = parts.size // result.size
    count = result.size // batches
    kernel, values, lanes = device.programs.remember(
        ("sum_parts", number, epilogue.flags), lambda: _build(device, number, epilogue)
    )
    arguments = (
        *(parts.buffer, result.buffer, np.uint64(count), uint32(number)),
        *(uint32(result.shape[bias_axis]), np.uint64(prod(result.shape[bias_axis:][1:]))),
        *epilogue.arguments(unused=parts),
    )
    ranges = (-(-count // values) * values, lanes, batches), (values, lanes, 1)
    device.launch(kernel, *ranges, arguments)


def _build(device: Device, number: int, epilogue: Epilogue) -> tuple[Kernel, int, int]:
    lanes = next((few for most, few in _LANES.items() if number < most), _MOST_LANES)
    candidates = list(_candidates(lanes, epilogue))
    kernel, chosen = device.programs.first_that_fits("sum_parts", candidates)
    return kernel, chosen.defines["VALUES"], chosen.defines["LANES"]


def _candidates(lanes: int, epilogue: Epilogue) -> Iterator[Candidate]:
    for size in powers_of_two_down_from(_WORK_ITEMS):
        few = min(lanes, size)
        yield Candidate(
            file=_FILE,
            defines={"VALUES": size // few, "LANES": few, **epilogue.defines},
            work_group_size=size,
            local_memory_bytes=4 * size,
        )
