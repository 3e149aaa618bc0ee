# SPDX-License-Identifier: MIT
"""The gradients of what ends in an epilogue of bias and relu."""

from collections.abc import Sequence

from clprobe.tensor.array import Array
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.mask_and_sum import mask_and_sum, sum_channels
from clprobe.tensor.tape import Gradient, Result, once


def with_epilogue(y: Array, epilogue: Epilogue, gradients: Sequence[Gradient]) -> Result:
    """Return y with its gradients, the bias's last; `gradients` take that of the bare sum."""
    if epilogue.bias is None and not epilogue.relu:
        return Result(y, tuple(gradients))
    if epilogue.bias is None:
        masked = once(lambda dy: apply("relu_gradient", dy, y))
        return Result(y, tuple(_after(masked, gradient) for gradient in gradients))
    if not epilogue.relu:
        return Result(y, (*gradients, sum_channels))
    both = once(lambda dy: mask_and_sum(dy, y))
    rest = tuple(_after(lambda dy: both(dy)[0], gradient) for gradient in gradients)
    return Result(y, (*rest, lambda dy: both(dy)[1]))


def _after(first: Gradient, then: Gradient) -> Gradient:
    return lambda dy: then(first(dy))
