# SPDX-License-Identifier: MIT
"""Walks an expression: what it reads, in which order it computes, and where it is cut."""

from collections.abc import Callable, Iterator, Sequence

from clprobe.tensor.storage import Constant, Operand, Operation, Shape, Storage

MAX_INPUTS = 12
"""With as many strides, a kernel's arguments stay below the 1024 bytes that OpenCL guarantees."""
_MAX_OPERATIONS = 48
# Reading this many inputs again costs what storing a value and reading it back would.
_CHEAP_INPUTS = 2


class Plan:
    """One expression in the order in which a kernel computes it.

    What one kernel cannot compute, or had better not compute again, is computed first.
    """

    def __init__(self, operation: Operation, compute: Callable[[Storage], None]) -> None:
        self.inputs: list[Operand] = []
        """What is read from memory: x0, x1, … in `steps`."""
        self.constants: list[float] = []
        """The values c0, c1, …"""
        self.steps: list[tuple[str, tuple[str, ...]]] = []
        """The functions to call for v0, v1, …, and the names that they are called with."""
        self._compute = compute
        self._names: dict[object, str] = {}
        self._taken = _takers_within(operation)
        self._add_step(operation)

    def _add_step(self, operation: Operation) -> str:
        arguments = tuple(self._name(operand) for operand in operation.operands)
        self.steps.append((operation.name, arguments))
        return f"v{len(self.steps) - 1}"

    def _name(self, operand: Operand) -> str:
        """Return the name under which the kernel knows an operand, with all that it needs."""
        names, storage = self._names, operand.storage
        if self._is_to_be_read(operand):
            self._compute(storage)
        match storage.expression:
            case Constant(value):
                if value not in names:
                    names[value] = f"c{len(self.constants)}"
                    self.constants.append(value)
                return names[value]
            case Operation() as operation:
                if storage not in names:
                    names[storage] = self._add_step(operation)
                return names[storage]
            case None:
                key = (storage, operand.shape)
                if key not in names:
                    names[key] = f"x{len(self.inputs)}"
                    self.inputs.append(operand)
                return names[key]

    def _is_to_be_read(self, operand: Operand) -> bool:
        """Say whether a pending operand is to be stored first and then read."""
        storage, pending = operand.storage, operand.storage.expression
        if not isinstance(pending, Operation):
            return False
        if pending.shape != operand.shape:
            return True
        if storage in self._names or storage.takers <= self._taken[storage]:
            return False
        # Another expression takes it, too.
        return len(inputs_of(storage)) > _CHEAP_INPUTS


def fits(operands: Sequence[Operand]) -> bool:
    """Say whether one kernel can compute an operation on these operands."""
    inputs: set[object] = set()
    operations: set[Storage] = set()
    for operand in _operands_below(operands):
        match operand.storage.expression:
            case Operation():
                operations.add(operand.storage)
            case Constant(value):
                inputs.add(value)
            case None:
                inputs.add((operand.storage, operand.shape))
    return len(operations) < _MAX_OPERATIONS and len(inputs) <= MAX_INPUTS


def largest(operands: Sequence[Operand]) -> Storage:
    """Return that pending operand which reads the most."""
    pending = [each.storage for each in operands if isinstance(each.storage.expression, Operation)]
    return max(pending, key=lambda storage: len(inputs_of(storage)))


def inputs_of(storage: Storage) -> set[Storage]:
    """Return the storages with memory that computing this one reads."""
    operation = storage.expression
    below = _operands_below(operation.operands) if isinstance(operation, Operation) else ()
    return {operand.storage for operand in below if operand.storage.expression is None}


def _takers_within(operation: Operation) -> dict[Storage, int]:
    """Return how many operations of an expression take each storage."""
    taken: dict[Storage, int] = {}
    operations = {operation}
    for operand in _operands_below(operation.operands):
        if isinstance(operand.storage.expression, Operation):
            operations.add(operand.storage.expression)
    for each in operations:
        for operand in each.operands:
            taken[operand.storage] = taken.get(operand.storage, 0) + 1
    return taken


def _operands_below(operands: Sequence[Operand]) -> Iterator[Operand]:
    """Yield what an expression consists of, every storage once under each of its shapes."""
    seen: set[tuple[Storage, Shape]] = set()
    waiting = list(operands)
    while waiting:
        operand = waiting.pop()
        if (operand.storage, operand.shape) in seen:
            continue
        seen.add((operand.storage, operand.shape))
        yield operand
        if isinstance(operand.storage.expression, Operation):
            waiting += operand.storage.expression.operands
