# SPDX-License-Identifier: MIT
"""Computes what is pending: one launch for each expression."""

from functools import partial
from itertools import chain

import numpy as np

from clprobe.tensor.broadcast import Loops, broadcast_loops
from clprobe.tensor.device import Argument, Device
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.fusion.plan import Plan, inputs_of
from clprobe.tensor.fusion.source import KERNEL, Input, Signature, write_source
from clprobe.tensor.ops.launching import columns_per_item, launch_over_rows
from clprobe.tensor.program import Kernel
from clprobe.tensor.storage import Constant, Operation, Storage

_MAX_OUTER_LOOPS = 8
_TYPES = {"float32": "float", "float16": "half", "int32": "int"}
_WIDEST_VECTOR = 16
# A result this large has left the caches before anybody reads it.
_STREAMED_BYTES = 1 << 24


def compute(device: Device, storage: Storage) -> None:
    """Give a storage its memory and enqueue what fills it.

    **Raises** DeviceError, BuildError, ShapeError.
    """
    match storage.expression:
        case Constant(value, size):
            buffer = device.allocate(4 * size)
            storage.hold(buffer, device.pool)
            device.fill(buffer, np.float32(value), 4 * size)
        case Operation() as operation:
            steps = Plan(operation, partial(compute, device))
            loops = broadcast_loops(operation.shape, *(each.shape for each in steps.inputs))
            _launch(device, storage, steps, loops)
            device.pending.discard(storage)


def compute_all(device: Device) -> None:
    """Compute everything that is pending and that somebody can still ask for."""
    while device.pending:
        compute(device, next(iter(device.pending)))


def compute_readers(device: Device, changing: Storage) -> None:
    """Compute every pending expression that reads a storage whose values are about to change."""
    for storage in list(device.pending):
        if changing in inputs_of(storage):
            compute(device, storage)


def _launch(device: Device, storage: Storage, steps: Plan, loops: Loops) -> None:
    *outer, columns = loops.sizes
    if len(outer) > _MAX_OUTER_LOOPS:
        shapes = ", ".join(str(each.shape) for each in steps.inputs)
        raise ShapeError(f"Shapes {shapes} alternate on too many axes.")
    signature = Signature(
        steps=tuple(steps.steps),
        inputs=tuple(
            Input(_TYPES[each.dtype.name], repeated=strides[-1] == 0)
            for each, strides in zip(steps.inputs, loops.strides, strict=True)
        ),
        constants=len(steps.constants),
        outer_loops=len(outer),
    )
    rows = int(np.prod(outer, dtype=np.int64))
    kernel = _kernel(device, signature, rows, columns)
    buffers = [each.storage.buffer for each in steps.inputs]
    buffer = device.allocate(4 * rows * columns)
    outer_strides = chain.from_iterable(strides[:-1] for strides in loops.strides)
    arguments: list[Argument] = [
        *(each for each in buffers if each is not None),
        buffer,
        *(np.float32(value) for value in steps.constants),
        *(np.uint64(each) for each in (rows, columns, *outer, *outer_strides)),
    ]
    storage.hold(buffer, device.pool)
    launch_over_rows(device, kernel, columns, rows, arguments)


def _kernel(device: Device, signature: Signature, rows: int, columns: int) -> Kernel:
    limits = device.limits
    width = min(max(4, limits.native_vector_width), _WIDEST_VECTOR) if limits.is_cpu else 1
    # Streaming stores want whole vectors at whole addresses.
    streamed = limits.is_cpu and 4 * rows * columns >= _STREAMED_BYTES and columns % width == 0
    defines = {
        "COLUMNS_PER_ITEM": columns_per_item(limits),
        "WIDTH": width,
        "STREAM": int(streamed),
    }
    return device.programs.remember(
        (signature, width, streamed),
        lambda: device.programs.generated(write_source(signature), KERNEL, defines, signature.name),
    )
