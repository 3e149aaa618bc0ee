# SPDX-License-Identifier: MIT
"""Captures the commands of a compiled graph once, and enqueues them again from then on.

A captured graph reads its inputs from memory of its own and leaves its results where they lay the
last time. What is saved for the backward pass therefore must have been used before the next run:
as long as anybody keeps it, as where two forward passes come before one backward pass, the graph
runs node by node.
"""

import weakref
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from clprobe.aten.graph import Graph, Ran
from clprobe.aten.held import FLOATS, Held, host_values
from clprobe.aten.running import OnHost
from clprobe.tensor import Array, Device, DeviceError
from clprobe.tensor.capture import Step, capture
from clprobe.tensor.storage import Storage

_MOST_KINDS = 4
"""So many kinds of inputs are captured of one graph: each has memory of its own."""
_MOST_SEEN = 64
Signature = tuple[Hashable, ...]


@dataclass(slots=True)
class Outputs:
    """What came of a run; `captured` says in whose memory, which its next run overwrites."""

    values: list[Any]
    captured: "_Captured | None" = None


@dataclass(slots=True)
class _Captured:
    step: Step
    ran: Ran
    inputs: list[Any]
    """`Held` in memory of its own, or what it was first run with."""
    kept: "list[weakref.ref[torch.Tensor]]" = field(default_factory=list)
    """What stands for saved values in autograd, as long as it needs them."""

    @property
    def is_in_use(self) -> bool:
        """Whether somebody will still read what the last run saved."""
        return any(each() is not None for each in self.kept)


class Replays:
    """One graph, captured for each kind of inputs that comes again."""

    def __init__(self, graph: Graph, device: Device, lasting: "weakref.WeakSet[Storage]") -> None:
        """Take a graph; `lasting` are the storages that stay where they are from run to run."""
        self._graph = graph
        self._device = device
        self._lasting = lasting
        self._names = [node.name for node in graph.inputs]
        self._captured: dict[Signature, _Captured] = {}
        self._seen: Counter[Signature] = Counter()
        self._is_possible = True

    def run(self, given: Sequence[Any]) -> Outputs:
        """Return the outputs for `Held` values, tensors of the CPU, and numbers.

        **Raises** ClprobeError.
        """
        signature = self._signature(given)
        captured = self._captured.get(signature) if signature is not None else None
        if captured is not None and not captured.is_in_use:
            return Outputs(self._replayed(captured, given), captured)
        if captured is None and signature is not None and self._comes_again(signature):
            try:
                return self._capture(signature, given)
            except DeviceError:
                # Some operation reads what it made; node by node all works.
                self._is_possible = False
        ran = self._graph.run(given)
        self._is_possible &= not self._graph.account.fallen_back
        return Outputs(ran.outputs)

    def keep(self, captured: _Captured, placeholders: Iterable[torch.Tensor]) -> None:
        """Note what stands for the saved values of the last run."""
        captured.kept = [weakref.ref(each) for each in placeholders]

    def _signature(self, given: Sequence[Any]) -> Signature | None:
        """Return what has to be alike for a replay; None where there can be none."""
        if not self._is_possible or self._device.capturing is not None:
            return None
        parts: list[Hashable] = []
        for each in given:
            match each:
                case Held():
                    if each.base.storage not in self._lasting:
                        return None
                    parts.append((each.base.storage, each.shape, each.strides, each.offset))
                case torch.Tensor():
                    parts.append((each.dtype, each.shape))
                case _:
                    parts.append(each)
        return tuple(parts)

    def _comes_again(self, signature: Signature) -> bool:
        if len(self._captured) >= _MOST_KINDS:
            return False
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen[signature] += 1
        return self._seen[signature] > 1

    def _capture(self, signature: Signature, given: Sequence[Any]) -> Outputs:
        inputs = [
            Held.of(Array.from_numpy(host_values(each), self._device))
            if isinstance(each, torch.Tensor) and each.dtype in FLOATS
            else each
            for each in given
        ]
        with capture(self._device) as step:
            ran = self._graph.run(inputs)
            for each in ran.outputs:
                if isinstance(each, Held):
                    _ = each.base.size and each.base.buffer
        captured = _Captured(step, ran, inputs)
        self._captured[signature] = captured
        self._lasting.update(
            each.base.storage for each in (*inputs, *ran.outputs) if isinstance(each, Held)
        )
        return Outputs(list(ran.outputs), captured)

    def _replayed(self, captured: _Captured, given: Sequence[Any]) -> list[Any]:
        for own, new in zip(captured.inputs, given, strict=True):
            if isinstance(own, Held) and isinstance(new, torch.Tensor):
                with own.base.filling() as values:
                    torch.from_numpy(values).copy_(new.detach())
        host = self._follow_on_host(captured, given)
        captured.step.replay()
        return [
            OnHost(each.name, host.get(each.name, each.value)) if isinstance(each, OnHost) else each
            for each in captured.ran.outputs
        ]

    def _follow_on_host(self, captured: _Captured, given: Sequence[Any]) -> dict[str, torch.Tensor]:
        """Compute anew what the host computes and bring what follows; return it by name."""
        on_host = {
            name: new.detach()
            for name, own, new in zip(self._names, captured.inputs, given, strict=True)
            if isinstance(own, torch.Tensor)
        }
        if not (captured.ran.on_host or captured.ran.uploads):
            return on_host
        values = self._graph.again_on_host(captured.ran, on_host)
        for upload in captured.ran.uploads:
            upload.renew(values)
        return values
