# SPDX-License-Identifier: MIT
"""Products of matrices; an operand that is only transposed is not copied."""

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.matmul import matmul_forward

ENTRIES = Entries()


def product(a: Held, b: Held, bias: Array | None = None, *, relu: bool = False) -> Array:
    """Return a @ b, of matrices or of batches of them, plus a value for each column.

    Negative values are made zero if `relu`.
    """
    left, is_turned = _operand(a)
    right, is_other_turned = _operand(b)
    epilogue = None if bias is None else Epilogue(bias=bias, relu=relu)
    return matmul_forward(
        *(left, right), transpose_a=is_turned, transpose_b=is_other_turned, epilogue=epilogue
    )


def _operand(x: Held) -> tuple[Array, bool]:
    """Return the matrices as they lie, and whether they lie transposed."""
    turned = x.turned()
    if not x.is_whole and turned.is_whole:
        return turned.dense(), True
    return x.dense(), False


@ENTRIES.of("mm.default", "bmm.default")
def _mm(_: Running, a: Held, b: Held) -> Held:
    return held(product(a, b))


@ENTRIES.of("mv.default")
def _mv(_: Running, a: Held, x: Held) -> Held:
    column = x.viewed((*x.shape, 1), (*x.strides, 1))
    return held(product(a, column).reshape(a.shape[:1]))


@ENTRIES.of("dot.default")
def _dot(_: Running, a: Held, b: Held) -> Held:
    row, column = a.viewed((1, *a.shape), (1, *a.strides)), b.viewed((*b.shape, 1), (*b.strides, 1))
    return held(product(row, column).reshape(()))


@ENTRIES.of("addmm.default", "baddbmm.default")
def _addmm(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running, x: Held, a: Held, b: Held, beta: float = 1, alpha: float = 1
) -> Held:
    if not isinstance(x, Held):
        raise NotHereError("a number for a matrix")
    columns = b.shape[-1]
    if beta == alpha == 1 and x.shape == (columns,):
        return held(product(a, b, run.dense(x)))
    result = (
        applied(run, "multiply", held(product(a, b)), alpha) if alpha != 1 else held(product(a, b))
    )
    return (
        result
        if beta == 0
        else applied(run, "add", applied(run, "multiply", x, beta) if beta != 1 else x, result)
    )
