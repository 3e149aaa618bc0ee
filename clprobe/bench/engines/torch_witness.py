# SPDX-License-Identifier: MIT
"""torch on the CPU as the witness of a net's gradients, in float64 and float32."""

import copy
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from clprobe.bench.conditions.readings import number_in, text_of
from clprobe.bench.digits import Digits, Floats
from clprobe.bench.engines import Slope

_MEMORY = Path("/proc/meminfo")
_CONTROL_GROUP = Path("/sys/fs/cgroup")
_DOUBLE = 3
"""Times what float32 keeps for the way back: twice the size, and one and a half for the rest."""


class TorchWitness:
    """A copy of a module; what it was trained to before does not matter."""

    def __init__(self, module: Any, loss: Any = nn.functional.cross_entropy) -> None:
        self._loss = loss
        self._module = copy.deepcopy(module).train()
        self._kept_bytes = 0

    def slope(self, batch: Digits, weights: Sequence[Floats], *, double: bool) -> Slope:
        """Return loss and gradients at these weights, in float64 or float32."""
        kind = torch.float64 if double else torch.float32
        module = self._module.to(kind)
        parameters = list(module.parameters())
        with torch.no_grad():
            for parameter, values in zip(parameters, weights, strict=True):
                parameter.copy_(torch.from_numpy(values))
                parameter.grad = None
        given = (as_given(torch.from_numpy(one)) for one in (batch.images, batch.labels))
        images, labels = (one.to(kind) if one.is_floating_point() else one for one in given)
        kept: dict[int, int] = {}

        def keep(tensor: Any) -> Any:
            storage = tensor.untyped_storage()
            kept[storage.data_ptr()] = storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            loss: Any = self._loss(module(images), labels)
        loss.backward()
        if not double:
            self._kept_bytes = sum(kept.values())
        return Slope(float(loss.detach()), gradients_of(parameters))

    def fits_double(self) -> bool:
        """Return whether memory is free for float64, as far as the last slope tells."""
        free = _free_bytes()
        return free is None or _DOUBLE * self._kept_bytes < free


def as_given(values: Any) -> Any:
    """Return values as torch takes them: labels and numbers of words as its long ones."""
    return values if values.is_floating_point() else values.long()


def gradients_of(parameters: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """Return a copy of each parameter's gradient; zeros where the loss does not depend on it."""
    return [
        np.zeros(tuple(one.shape), np.float32)
        if one.grad is None
        else one.grad.detach().cpu().numpy().copy()
        for one in parameters
    ]


def _free_bytes() -> float | None:
    """Return the memory that this process may still take; None where nobody says."""
    available = re.search(r"^MemAvailable:\s*(\d+) kB", text_of(_MEMORY) or "", re.MULTILINE)
    known = [] if available is None else [float(available[1]) * 1024]
    # What a control group of version 2 leaves, as containers see theirs; "max" is no number.
    most, used = (number_in(_CONTROL_GROUP / name) for name in ("memory.max", "memory.current"))
    if most is not None and used is not None:
        known.append(most - used)
    return min(known, default=None)
