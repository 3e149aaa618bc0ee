# SPDX-License-Identifier: MIT
"""Checks recorded gradients against finite differences, for any function of tensors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clprobe.tensor.device import Device
from clprobe.tensor.tensor import Tensor

_STEP = 1e-2
# Half the distance from 1 to the next float32: the largest relative error of one rounding.
_UNIT = 2.0**-24
# Central differences leave step² / 6 times the third derivative, here 1.7e-5 of it.
_TRUNCATION = 1e-3
# How many roundings of the size of an output its computation is trusted to add up to.
_ROUNDINGS = 16


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A direction in which the recorded gradient is wrong."""

    argument: int
    recorded: float
    measured: float


def check_gradients(
    function: Callable[..., Tensor],
    arguments: Sequence[npt.NDArray[np.float32]],
    device: Device,
    generator: np.random.Generator,
    directions: int = 3,
) -> list[Disagreement]:
    """Return where the gradients of `function` differ from central differences; none is good.

    Every argument is moved along random directions, and the outputs are weighted at random, so
    that errors in different elements do not cancel. The function must be smooth near the arguments.

    **Source** Griewank & Walther 2008, Evaluating Derivatives.
    """
    tensors = [Tensor.from_numpy(value, device, requires_grad=True) for value in arguments]
    output = function(*tensors)
    weights = generator.uniform(0.5, 1.5, output.shape).astype(np.float32)
    (output * Tensor.from_numpy(weights, device)).sum().backward()

    magnitude = float(np.sum(np.abs(output.numpy() * weights), dtype=np.float64))

    def weighted(index: int, moved: npt.NDArray[np.float32]) -> float:
        values = [moved if at == index else value for at, value in enumerate(arguments)]
        result = function(*(Tensor.from_numpy(value, device) for value in values)).numpy()
        # Summed on the host in double precision: the difference of two sums loses digits.
        return float(np.sum(result.astype(np.float64) * weights))

    wrong = []
    for index, (tensor, value) in enumerate(zip(tensors, arguments, strict=True)):
        gradient = np.zeros(value.shape) if tensor.grad is None else tensor.grad.numpy()
        gradient = gradient.astype(np.float64)
        # Along random signs the derivative is as large as the gradient's Euclidean norm; one wrong
        # element among many must not hide in their sum. Moved arguments are rounded, too.
        bound = _TRUNCATION * float(np.linalg.norm(gradient)) + _UNIT / _STEP * (
            2 * float(np.sum(np.abs(gradient))) + _ROUNDINGS * magnitude
        )
        for _ in range(directions):
            direction = generator.choice([-1.0, 1.0], value.shape).astype(np.float32)
            above = weighted(index, value + np.float32(_STEP) * direction)
            below = weighted(index, value - np.float32(_STEP) * direction)
            measured = (above - below) / (2 * _STEP)
            recorded = float(np.sum(gradient * direction))
            if not abs(recorded - measured) <= bound:
                wrong.append(Disagreement(index, recorded, measured))
    return wrong
