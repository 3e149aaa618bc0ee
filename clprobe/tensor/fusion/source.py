# SPDX-License-Identifier: MIT
"""Writes the kernel of an expression: from what its code depends on to OpenCL C, and no device."""

from collections.abc import Iterator
from dataclasses import dataclass

KERNEL = "elementwise"


@dataclass(frozen=True, slots=True)
class Input:
    """How an expression reads one of its inputs."""

    type: str
    """The OpenCL type in memory: float, half or int."""
    repeated: bool
    """Whether it has one value for a whole row, and not one for each column."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that the source depends on; sizes and strides are arguments."""

    steps: tuple[tuple[str, tuple[str, ...]], ...]
    inputs: tuple[Input, ...]
    constants: int
    outer_loops: int
    """The loops around a row; each input has a stride in each."""

    @property
    def formula(self) -> str:
        """Return the expression as nested calls, for people to read."""
        written: dict[str, str] = {}
        for index, (function, arguments) in enumerate(self.steps):
            inner = ", ".join(written.get(name, name) for name in arguments)
            written[f"v{index}"] = f"{function}({inner})"
        return written[f"v{len(self.steps) - 1}"]

    @property
    def name(self) -> str:
        """Return the names of the functions, as many as are worth reading."""
        functions = [function for function, _ in self.steps]
        return "_".join(functions[:4] + ["etc"] * (len(functions) > 4))


def write_source(signature: Signature) -> str:
    """Return the source of kernel `elementwise`, which takes its arguments in this order.

    The inputs x0, x1, …, the output y, the constants c0, c1, …, rows, columns, the sizes of the
    outer loops from the outermost one, the strides of x0 in them, those of x1, …
    """
    return "\n".join(
        [
            f"// y = {signature.formula}",
            '#include "elementwise/operations.cl"',
            "",
            *_formula(signature),
            "",
            *_kernel(signature),
            "",
        ]
    )


def _formula(signature: Signature) -> Iterator[str]:
    names = [f"x{index}" for index in range(len(signature.inputs))]
    names += [f"c{index}" for index in range(signature.constants)]
    yield f"VALUES formula({', '.join(f'VALUES {name}' for name in names)}) {{"
    for index, (function, arguments) in enumerate(signature.steps):
        yield f"    VALUES v{index} = {function}({', '.join(arguments)});"
    yield f"    return v{len(signature.steps) - 1};"
    yield "}"


def _kernel(signature: Signature) -> Iterator[str]:
    inputs = list(enumerate(signature.inputs))
    constants = [f"c{index}" for index in range(signature.constants)]
    loops = range(signature.outer_loops)
    parameters = [f"global const {each.type} *restrict x{index}" for index, each in inputs]
    parameters += ["global float *restrict y"]
    parameters += [f"float {name}" for name in constants]
    parameters += ["ulong rows", "ulong columns", *(f"ulong size{loop}" for loop in loops)]
    parameters += [f"ulong x{index}_stride{loop}" for index, _ in inputs for loop in loops]
    whole = [
        f"x{index}_value" if each.repeated else f"LOAD_{each.type}(x{index}_row, column)"
        for index, each in inputs
    ]
    single = [
        f"x{index}_value" if each.repeated else f"LOAD_ONE_{each.type}(x{index}_row, column)"
        for index, each in inputs
    ]
    spread = [f"(VALUES)({name})" for name in constants]
    yield f"kernel void {KERNEL}({', '.join(parameters)}) {{"
    yield "    size_t first = get_global_id(0) * COLUMNS_PER_ITEM;"
    yield "    size_t last = min((size_t)columns, first + COLUMNS_PER_ITEM);"
    yield "    for (size_t row = get_global_id(1); row < rows; row += get_global_size(1)) {"
    yield from (f"        {line}" for line in _indices(signature.outer_loops))
    for index, each in inputs:
        offset = "".join(f" + index{loop} * x{index}_stride{loop}" for loop in loops)
        yield f"        global const {each.type} *x{index}_row = x{index}{offset};"
        if each.repeated:
            yield f"        VALUES x{index}_value = LOAD_ONE_{each.type}(x{index}_row, 0);"
    yield "        global float *y_row = y + row * columns;"
    yield "        size_t column = first;"
    yield "#if WIDTH > 1"
    yield "        for (; column + WIDTH <= last; column += WIDTH)"
    yield f"            STORE(formula({', '.join(whole + spread)}), y_row, column);"
    yield "#endif"
    yield "        for (; column < last; column++)"
    yield f"            y_row[column] = FIRST(formula({', '.join(single + spread)}));"
    yield "    }"
    yield "}"


def _indices(outer_loops: int) -> Iterator[str]:
    """Yield lines that turn the number of a row into one index for each outer loop."""
    rest = "row"
    for loop in range(outer_loops - 1, 0, -1):
        yield f"size_t index{loop} = {rest} % size{loop};"
        yield f"size_t rest{loop} = {rest} / size{loop};"
        rest = f"rest{loop}"
    if outer_loops:
        yield f"size_t index0 = {rest};"
