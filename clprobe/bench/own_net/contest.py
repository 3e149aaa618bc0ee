# SPDX-License-Identifier: MIT
"""Trains the user's own net, translated, on the device and beside it in torch, and times that."""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from msgspec import structs

from clprobe.bench.digits import Digits
from clprobe.bench.engines import Engine, Reference, Subject, Trainer
from clprobe.bench.engines.opencl import OpenClSubject, OpenClTrainer
from clprobe.bench.engines.torch_cpu import TorchTrainer
from clprobe.bench.engines.torch_witness import TorchWitness
from clprobe.bench.measure import Contest
from clprobe.bench.own_net.layers import translated
from clprobe.bench.own_net.loading import load_user_net
from clprobe.bench.own_net.net import Node, UserNet
from clprobe.bench.plan import steps_of
from clprobe.bench.protocol import Job, Outcome, OwnNet, Started
from clprobe.bench.training import measure_batch
from clprobe.bench.verdicts import without_figures
from clprobe.model.errors import ClprobeError
from clprobe.tensor import Array, Device, Tensor, nn

Step = tuple[Started, Callable[[Contest], Outcome]]


class OpenClUserTrainer(OpenClTrainer):
    """Takes the steps one by one: whether a user's net can be captured nobody knows."""

    def __init__(self, device: Device, net: UserNet, batches: Sequence[Digits]) -> None:
        super().__init__(device, _Translated(device, net), batches)

    def _train(self, images: Tensor, labels: Tensor) -> Array:
        return self.step(images, labels).array


class _Translated(nn.Module):
    """The net's operations one after the other, on clprobe's layers."""

    def __init__(self, device: Device, net: UserNet) -> None:
        self._net = net
        self._layers = {
            node.layer: translated(net.layers[node.layer], device)
            for node in net.nodes
            if node.operation == "layer"
        }

    def children(self) -> Iterator[tuple[str, nn.Module]]:
        """Yield the layers in torch's own order, in which the weights are compared."""
        names = [name for name, _ in self._net.module.named_modules()]
        for name in dict.fromkeys([*names, *self._layers]):
            layer = self._layers.get(name)
            if layer is not None:
                yield name, layer

    def forward(self, x: Tensor) -> Tensor:
        """Return the net's output."""
        values = {self._net.input: x}
        for node in self._net.nodes:
            values[node.name] = self._apply(node, [values[name] for name in node.inputs])
        return values[self._net.output]

    def _apply(self, node: Node, operands: list[Tensor]) -> Tensor:
        first = operands[0]
        match node.operation:
            case "relu":
                return first.relu()
            case "flatten":
                return first.flatten()
            case "add":
                return first + operands[1]
        layer = self._layers[node.layer]
        return first if layer is None else layer(first)


class _Trains:
    """An engine that trains the user's net, and is otherwise the one that it stands for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def trainer(self, net: Any, batches: Sequence[Digits]) -> Trainer:
        """Return the untrained net with its batches in place."""
        if isinstance(self._engine, OpenClSubject):
            return OpenClUserTrainer(self._engine.device, net, batches)
        device = getattr(self._engine, "torch_device", "cpu")
        return TorchTrainer(copy.deepcopy(net.module), batches, device)

    def witness(self, net: Any) -> TorchWitness:
        """Return torch on the CPU, asked for the gradients of the user's net."""
        return TorchWitness(net.module)


def own_net_steps(own: OwnNet, contest: Contest, job: Job) -> Iterator[Step]:
    """Yield what begins and how it is measured; all of it unsupported if the net is."""
    measure: Callable[[Started, Contest], Outcome]
    try:
        measure = partial(_measure, load_user_net(own, job.folder))
    except ClprobeError as error:
        measure = partial(_unsupported, str(error))
    for started in steps_of(own, contest.effort):
        yield started, partial(measure, started)


def _unsupported(problem: str, started: Started, contest: Contest) -> Outcome:
    return without_figures(started, contest.label, "unsupported", problem)


def _measure(net: UserNet, started: Started, contest: Contest) -> Outcome:
    own = replace(
        contest,
        device=cast("Subject", _Trains(contest.device)),
        reference=cast("Reference", _Trains(contest.reference)),
        # NumPy knows bench's own nets alone.
        others=(),
    )
    outcome = measure_batch(net, net.batch(started.batch or 1), own)
    device, *others = outcome.results
    remarked = structs.replace(device, remark=net.remark)
    return structs.replace(outcome, results=(remarked, *others))
