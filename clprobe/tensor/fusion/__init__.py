# SPDX-License-Identifier: MIT
"""Elementwise expressions become one kernel each, when somebody needs their values.

`plan` walks an expression, `source` writes the kernel; here it is launched.
"""

from functools import partial
from itertools import chain

import numpy as np

from clprobe.tensor.device import Argument, Device
from clprobe.tensor.errors import ShapeError
from clprobe.tensor.fusion.plan import Plan, inputs_of
from clprobe.tensor.fusion.source import KERNEL, Input, Signature, write_source
from clprobe.tensor.launching import CPU_COLUMNS_PER_ITEM, launch_over_rows
from clprobe.tensor.limits import Limits
from clprobe.tensor.storage import Constant, Operation, Shape, Storage

_MAX_OUTER_LOOPS = 8
_TYPES = {"float32": "float", "float16": "half", "int32": "int"}
_WIDEST_VECTOR = 16
_GPU_VECTOR = 4
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
            _launch(device, storage, operation)
    device.pending.discard(storage)


def compute_all(device: Device) -> None:
    """Compute everything that is pending and that somebody can still ask for.

    Whole expressions come first, as they do where somebody asks, for many parts go with them.
    """
    while device.pending:
        for storage in _whole_expressions(device):
            compute(device, storage)


def _whole_expressions(device: Device) -> list[Storage]:
    operations = [each.expression for each in device.pending]
    parts = {
        operand.storage
        for each in operations
        if isinstance(each, Operation)
        for operand in each.operands
    }
    return [storage for storage in device.pending if storage not in parts]


def compute_readers(device: Device, changing: Storage) -> None:
    """Compute every pending expression that reads a storage whose values are about to change."""
    for storage in list(device.pending):
        if changing in inputs_of(storage):
            compute(device, storage)


def broadcast_loops(output: Shape, *operands: Shape) -> tuple[Shape, tuple[Shape, ...]]:
    """Return the sizes of nested loops over `output`, and each operand's stride in them.

    The outermost loop comes first. Neighbouring axes that all operands step through alike are
    merged into one. The innermost stride of an operand is 1 or 0, for operands are contiguous.
    """
    sizes: list[int] = []
    strides: list[tuple[int, ...]] = []
    all_strides = [_strides(operand, len(output)) for operand in operands]
    for axis, size in enumerate(output):
        if size == 1:
            continue
        steps = tuple(operand[axis] for operand in all_strides)
        if sizes and all(
            outer == step * size for outer, step in zip(strides[-1], steps, strict=True)
        ):
            sizes[-1] *= size
            strides[-1] = steps
        else:
            sizes.append(size)
            strides.append(steps)
    if not sizes:
        return (1,), ((0,),) * len(operands)
    return tuple(sizes), tuple(zip(*strides, strict=True))


def _strides(shape: Shape, rank: int) -> tuple[int, ...]:
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(0 if size == 1 else step)
        step *= size
    strides += [0] * (rank - len(shape))
    return tuple(reversed(strides))


def _launch(device: Device, storage: Storage, operation: Operation) -> None:
    steps = Plan(operation, partial(compute, device))
    sizes, all_strides = broadcast_loops(operation.shape, *(each.shape for each in steps.inputs))
    *outer, columns = sizes
    if len(outer) > _MAX_OUTER_LOOPS:
        shapes = ", ".join(str(each.shape) for each in steps.inputs)
        raise ShapeError(f"Shapes {shapes} alternate on too many axes.")
    signature = Signature(
        steps=tuple(steps.steps),
        inputs=tuple(
            Input(_TYPES[each.dtype.name], repeated=strides[-1] == 0)
            for each, strides in zip(steps.inputs, all_strides, strict=True)
        ),
        constants=len(steps.constants),
        outer_loops=len(outer),
    )
    rows = int(np.prod(outer, dtype=np.int64))
    tunables = _tunables(device.limits, rows, columns)
    buffers = [each.storage.buffer for each in steps.inputs]
    buffer = device.allocate(4 * rows * columns)
    outer_strides = chain.from_iterable(strides[:-1] for strides in all_strides)
    arguments: list[Argument] = [
        *(each for each in buffers if each is not None),
        buffer,
        *(np.float32(value) for value in steps.constants),
        *(np.uint64(each) for each in (rows, columns, *outer, *outer_strides)),
    ]
    storage.hold(buffer, device.pool)
    kernel = device.programs.remember(
        (signature, *tunables.values()),
        lambda: device.programs.generated(
            write_source(signature), KERNEL, tunables, signature.name
        ),
    )
    items = -(-columns // tunables["COLUMNS_PER_ITEM"])
    launch_over_rows(device, kernel, items, rows, arguments)


def _tunables(limits: Limits, rows: int, columns: int) -> dict[str, int]:
    """Return how a signature's source is compiled; see kernels/elementwise/operations.cl."""
    if not limits.is_cpu:
        whole = columns % _GPU_VECTOR == 0
        per_item = width = _GPU_VECTOR if whole else 1
    else:
        width = min(max(4, limits.native_vector_width), _WIDEST_VECTOR)
        per_item, whole = CPU_COLUMNS_PER_ITEM, columns % width == 0
    streamed = limits.is_cpu and whole and 4 * rows * columns >= _STREAMED_BYTES
    return {
        "COLUMNS_PER_ITEM": per_item,
        "WIDTH": width,
        "WHOLE": int(whole),
        "STREAM": int(streamed),
    }
