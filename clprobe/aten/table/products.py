# SPDX-License-Identifier: MIT
"""Products of matrices; an operand that is only transposed is not copied."""

from clprobe.aten.held import Held
from clprobe.aten.running import NotHereError, Running
from clprobe.aten.table.elementwise import applied, held
from clprobe.aten.table.entries import Entries
from clprobe.tensor.array import Array
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import to_half
from clprobe.tensor.ops.matmul import matmul_forward

ENTRIES = Entries()


def product(
    a: Held, b: Held, bias: Array | None = None, *, relu: bool = False, in_half: bool = False
) -> Array:
    """Return a @ b, of matrices or of batches of them, plus a value for each column.

    Negative values are made zero if `relu`. With `in_half` halves are multiplied, and added up in
    float.
    """
    left, is_turned = _operand(a)
    right, is_other_turned = _operand(b)
    if in_half:
        left, right = to_half(left), to_half(right)
    return matmul_forward(
        *(left, right),
        transpose_a=is_turned,
        transpose_b=is_other_turned,
        epilogue=None if bias is None else Epilogue(bias=bias, relu=relu),
        in_half=in_half,
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
def addmm(  # noqa: PLR0913, PLR0917 - torch's own argument list
    run: Running,
    x: Held,
    a: Held,
    b: Held,
    beta: float = 1,
    alpha: float = 1,
    *,
    in_half: bool = False,
) -> Held:
    """Return beta times a matrix, or a row of values, plus alpha times a @ b."""
    if not isinstance(x, Held):
        raise NotHereError("a number for a matrix")
    columns = b.shape[-1]
    if beta == alpha == 1 and x.shape == (columns,):
        return held(product(a, b, run.dense(x), in_half=in_half))
    result = held(product(a, b, in_half=in_half))
    if alpha != 1:
        result = applied(run, "multiply", result, alpha)
    return (
        result
        if beta == 0
        else applied(run, "add", applied(run, "multiply", x, beta) if beta != 1 else x, result)
    )
