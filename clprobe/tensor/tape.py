# SPDX-License-Identifier: MIT
"""Records what each value was computed from, and walks that record backwards.

The tape has no list of its own: every variable holds the entry that made it, so values that
nobody needs any more take their part of the tape with them. Serial numbers give the order.
"""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from clprobe.tensor.array import Array
from clprobe.tensor.errors import ShapeError

Computed = TypeVar("Computed")
Gradient = Callable[[Array], Array]
"""Turns the gradient of an operation's output into that of one of its inputs."""

_serials = itertools.count()


@dataclass(frozen=True, slots=True)
class Result:
    """What an operation computed, and the gradients for its inputs, in their order."""

    value: Array
    gradients: tuple[Gradient, ...]


def once(compute: Callable[[Array], Computed]) -> Callable[[Array], Computed]:
    """Return `compute` for several inputs to ask about the same gradient, while it runs once."""
    last: list[tuple[Array, Computed]] = []

    def ask(gradient: Array) -> Computed:
        if not last or last[0][0] is not gradient:
            last[:] = [(gradient, compute(gradient))]
        return last[0][1]

    return ask


class Variable:
    """A value that may want a gradient, and the entry of the tape that made it."""

    def __init__(self, array: Array, requires_grad: bool) -> None:
        self.array = array
        self.requires_grad = requires_grad
        self.grad: Array | None = None
        self._serial = next(_serials)
        self._entry: tuple[tuple[Variable, Gradient], ...] | None = ()
        """The inputs and the gradients for them; None once `backward` has used them up."""

    @property
    def is_parameter(self) -> bool:
        """Whether this was not computed, and wants a gradient."""
        return self.requires_grad and self._entry == ()

    def remember(self, inputs: "tuple[Variable, ...]", gradients: tuple[Gradient, ...]) -> None:
        """Put this variable on the tape, as computed from those inputs that want gradients."""
        pairs = zip(inputs, gradients, strict=True)
        self._entry = tuple(pair for pair in pairs if pair[0].requires_grad)
        self.requires_grad = bool(self._entry)


def backward(output: Variable, gradient: Array, add: Callable[[Array, Array], Array]) -> None:
    """Give every leaf that `output` depends on its gradient, added to what it already has.

    Later variables go first, so each one's gradient is complete when its turn comes. The tape is
    used up on the way, so that what it holds on to is free as soon as nothing else needs it.

    **Raises** ShapeError on a second pass over the same tape.
    """
    gradients = {output._serial: gradient}
    waiting = [(-output._serial, output)]
    while waiting:
        _, variable = heapq.heappop(waiting)
        gradient = gradients.pop(variable._serial)
        if variable._entry is None:
            raise ShapeError(
                "These values have had their backward pass, which used up their tape.",
                hint="Compute them again.",
            )
        if not variable._entry:
            variable.grad = gradient if variable.grad is None else add(variable.grad, gradient)
            continue
        for source, pull in variable._entry:
            if source._serial in gradients:
                gradients[source._serial] = add(gradients[source._serial], pull(gradient))
            else:
                gradients[source._serial] = pull(gradient)
                heapq.heappush(waiting, (-source._serial, source))
        variable._entry = None
