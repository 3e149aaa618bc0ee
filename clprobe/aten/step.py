# SPDX-License-Identifier: MIT
"""Trains a torch module on a device: parameters, buffers and optimiser stay there.

The first step runs node by node. The second is captured, and later ones replay it, unless an
operation ran on the CPU in between.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from clprobe.aten.graph import Account, Graph, Ran
from clprobe.aten.held import Held, host_values
from clprobe.aten.running import OnHost, Upload
from clprobe.aten.training import TrainingGraph
from clprobe.tensor import Array, Device, Tensor
from clprobe.tensor.capture import Step, capture
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.optim import Optimiser

MakeOptimiser = Callable[[Sequence[Tensor]], Optimiser]


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs of a step; if they are used again, floats lie on the device, the rest on the host."""

    inputs: tuple[Array | torch.Tensor, ...]
    lasts: bool
    made: dict[int, tuple[Array, ...]] = field(default_factory=dict)
    """What an upload would bring that follows from one of the rest alone, by its place."""


@dataclass(frozen=True, slots=True)
class _Captured:
    step: Step
    ran: Ran
    loss: Array
    direct: tuple[tuple[Upload, int], ...]
    """The uploads that follow from one input alone, each with the place of that input."""
    rest: tuple[Upload, ...]


class ModuleStep:
    """One module's step, for tensors of the sizes that its graph was made for."""

    def __init__(
        self,
        device: Device,
        graph: TrainingGraph,
        state: Mapping[str, torch.Tensor],
        make_optimiser: MakeOptimiser,
        *,
        seed: int = 0,
    ) -> None:
        """Bring parameters and buffers to the device, by the names of `state`."""
        self._device = device
        self._graph = graph
        # Each step leaves the buffers that it changes where they lie.
        names = [node.name for node in graph.module.graph.nodes if node.op == "placeholder"]
        of_buffers = dict(zip(graph.buffers, names[len(graph.parameters) :], strict=False))
        changeable = {of_buffers[name] for name in graph.changed}
        self._runner = Graph(graph.module, device, seed=seed, changeable=changeable)
        own = [name for name in graph.parameters if name not in graph.tied]
        self.parameters = {name: Tensor(_uploaded(state[name], device), True) for name in own}
        self._buffers = {
            name: _uploaded(state[name], device)
            if state[name].is_floating_point()
            else state[name].clone()
            for name in graph.buffers
        }
        self._optimiser = make_optimiser(list(self.parameters.values()))
        self._inputs: list[Array | torch.Tensor] = []
        self._captured: _Captured | None = None
        self._steps = 0
        self.seconds = 0.0
        """What the last step took until all of it was enqueued."""

    @property
    def account(self) -> Account:
        """Return where the operations of the last step ran that was no replay."""
        return self._runner.account

    def buffer(self, name: str) -> torch.Tensor:
        """Return a copy of a buffer, such as a running mean, as it is now."""
        value = self._buffers[name]
        return torch.from_numpy(value.numpy()) if isinstance(value, Array) else value

    def bring(self, *tensors: torch.Tensor) -> Batch:
        """Return a batch to train on any number of times, brought to the device once."""
        there = (
            _uploaded(each, self._device) if each.is_floating_point() else each for each in tensors
        )
        return Batch(tuple(there), lasts=True)

    def train(self, *tensors: torch.Tensor) -> Array:
        """Take a step and return its loss, which the next step overwrites.

        **Raises** ClprobeError.
        """
        return self.train_on(Batch(tensors, lasts=False))

    def train_on(self, batch: Batch) -> Array:
        """Take a step on a batch and return its loss, which the next step overwrites.

        **Raises** ClprobeError.
        """
        if self._inputs:
            self._bring(batch.inputs)
        else:
            self._inputs = [self._own(each) for each in batch.inputs]
        self._steps += 1
        began = time.perf_counter()
        try:
            return self._taken(batch)
        finally:
            self.seconds = time.perf_counter() - began

    def _taken(self, batch: Batch) -> Array:
        if self._captured is not None:
            return self._replayed(self._captured, batch)
        if self._steps == 1 or self.account.fallen_back:
            return self._step()[1]
        with capture(self._device) as step:
            ran, loss = self._step()
        names = [node.name for node in self._runner.inputs]
        places = {(name,): at for at, name in enumerate(names[-len(self._inputs) :])}
        direct = tuple((each, places[each.names]) for each in ran.uploads if each.names in places)
        rest = tuple(each for each in ran.uploads if each.names not in places)
        self._captured = _Captured(step, ran, loss, direct, rest)
        return loss

    def _own(self, given: torch.Tensor | Array) -> torch.Tensor | Array:
        """Return what a captured step reads an input from: memory of its own, or the host's."""
        if isinstance(given, Array):
            own = Array.empty(self._device, given.shape, given.dtype)
            own.assign(given)
            return own
        return _uploaded(given, self._device) if given.is_floating_point() else given

    def _bring(self, tensors: Sequence[torch.Tensor | Array]) -> None:
        for at, (own, new) in enumerate(zip(self._inputs, tensors, strict=True)):
            if isinstance(own, Array):
                if isinstance(new, Array):
                    own.assign(new)
                    continue
                with own.filling() as values:
                    torch.from_numpy(values).copy_(new.detach())
            else:
                self._inputs[at] = new

    def _step(self) -> tuple[Ran, Array]:
        graph, tied = self._graph, self._graph.tied
        weights = [self.parameters[tied.get(name, name)].array for name in graph.parameters]
        buffers = [self._buffers[name] for name in graph.buffers]
        given = [*weights, *buffers, *self._inputs]
        ran = self._runner.run([Held.of(one) if isinstance(one, Array) else one for one in given])
        changed = ran.outputs[: len(graph.changed)]
        loss, *gradients = ran.outputs[len(graph.changed) :]
        for parameter in self.parameters.values():
            parameter.grad = None
        for name, gradient in zip(graph.gradients, gradients, strict=True):
            if isinstance(gradient, Held):
                self._add(self.parameters[tied.get(name, name)], gradient.dense())
        self._optimiser.step()
        self._keep(changed)
        result = loss.dense()
        assert result.buffer  # noqa: S101 - computes it within a capture
        return ran, result

    @staticmethod
    def _add(parameter: Tensor, gradient: Array) -> None:
        parameter.grad = (
            gradient if parameter.grad is None else apply("add", parameter.grad, gradient)
        )

    def _keep(self, changed: Sequence[Held | OnHost]) -> None:
        """Put what the step made of buffers in their place."""
        for name, value in zip(self._graph.changed, changed, strict=True):
            own = self._buffers[name]
            if isinstance(own, Array) and isinstance(value, Held):
                made = value.dense()
                if made.storage is not own.storage:
                    own.assign(made)
            elif isinstance(value, OnHost):
                self._buffers[name] = value.value

    def _replayed(self, captured: _Captured, batch: Batch) -> Array:
        for at, (upload, place) in enumerate(captured.direct):
            given = batch.inputs[place]
            if isinstance(given, torch.Tensor):
                self._bring_made(upload, given, batch, at)
        if captured.ran.on_host or captured.rest:
            self._follow_on_host(captured)
        captured.step.replay()
        return captured.loss

    def _bring_made(self, upload: Upload, given: torch.Tensor, batch: Batch, at: int) -> None:
        """Bring what follows from an input of the host; only once if the batch is used again."""
        made: Sequence[Any] = batch.made.get(at) or upload.prepare(given)
        if batch.lasts and at not in batch.made:
            made = tuple(Array.from_numpy(each, self._device) for each in made)
            batch.made[at] = made
        upload.bring(made)

    def _follow_on_host(self, captured: _Captured) -> None:
        """Compute anew what the host computes, and bring what follows from it."""
        graph = self._graph
        names = [node.name for node in self._runner.inputs]
        given = [
            *(None for _ in graph.parameters),
            *(self._buffers[name] for name in graph.buffers),
            *self._inputs,
        ]
        on_host = {
            name: value
            for name, value in zip(names, given, strict=True)
            if isinstance(value, torch.Tensor)
        }
        values = self._runner.again_on_host(captured.ran, on_host)
        for upload in captured.rest:
            upload.renew(values)
        changed = captured.ran.outputs[: len(graph.changed)]
        for name, output in zip(graph.changed, changed, strict=True):
            if isinstance(output, OnHost):
                self._buffers[name] = values.get(output.name, output.value)


def _uploaded(tensor: torch.Tensor, device: Device) -> Array:
    return Array.from_numpy(host_values(tensor), device)
