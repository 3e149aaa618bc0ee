# SPDX-License-Identifier: MIT
"""Trains a torch module on a device: parameters, buffers and optimiser stay there.

The first step runs node by node. The second is captured, and later ones replay it, unless an
operation ran on the CPU in between.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch

from clprobe.aten.graph import Account, Graph, Ran
from clprobe.aten.held import Held, host_values
from clprobe.aten.running import OnHost
from clprobe.aten.training import TrainingGraph
from clprobe.tensor import Array, Device, Tensor
from clprobe.tensor.capture import Step, capture
from clprobe.tensor.ops.elementwise import apply
from clprobe.tensor.optim import Optimiser

MakeOptimiser = Callable[[Sequence[Tensor]], Optimiser]


@dataclass(frozen=True, slots=True)
class _Captured:
    step: Step
    ran: Ran
    loss: Array


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
        self._runner = Graph(graph.module, device, seed=seed)
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

    def train(self, *tensors: torch.Tensor) -> Array:
        """Take a step and return its loss, which the next step overwrites.

        **Raises** ClprobeError.
        """
        if not self._inputs:
            self._inputs = [
                _uploaded(each, self._device) if each.is_floating_point() else each
                for each in tensors
            ]
        else:
            self._bring(tensors)
        self._steps += 1
        began = time.perf_counter()
        try:
            return self._taken()
        finally:
            self.seconds = time.perf_counter() - began

    def _taken(self) -> Array:
        if self._captured is not None:
            return self._replayed(self._captured)
        if self._steps == 1 or self.account.fallen_back:
            return self._step()[1]
        with capture(self._device) as step:
            ran, loss = self._step()
        self._captured = _Captured(step, ran, loss)
        return loss

    def _bring(self, tensors: Sequence[torch.Tensor]) -> None:
        for at, (own, new) in enumerate(zip(self._inputs, tensors, strict=True)):
            if isinstance(own, Array):
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
                own.assign(value.dense())
            elif isinstance(value, OnHost):
                self._buffers[name] = value.value

    def _replayed(self, captured: _Captured) -> Array:
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
        for upload in captured.ran.uploads:
            if all(name in values for name in upload.names):
                made = upload.prepare(*(values[name] for name in upload.names))
                for array, each in zip(upload.arrays, made, strict=True):
                    array.assign(each)
        changed = captured.ran.outputs[: len(graph.changed)]
        for name, output in zip(graph.changed, changed, strict=True):
            if isinstance(output, OnHost):
                self._buffers[name] = values.get(output.name, output.value)
        captured.step.replay()
        return captured.loss


def _uploaded(tensor: torch.Tensor, device: Device) -> Array:
    return Array.from_numpy(host_values(tensor), device)
