# SPDX-License-Identifier: MIT
"""Trains the user's own net on the device and beside it in torch, and times that."""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import torch
from msgspec import structs

from clprobe.aten.step import ModuleStep
from clprobe.aten.training import TrainingGraph, drawing_operations, training_graph
from clprobe.bench import nets
from clprobe.bench.digits import Digits, Floats, Labels
from clprobe.bench.engines import Engine, Reference, Subject, Trainer
from clprobe.bench.engines.opencl import OpenClSubject, gradients_of
from clprobe.bench.engines.torch_cpu import TorchTrainer
from clprobe.bench.engines.torch_witness import TorchWitness, as_given
from clprobe.bench.measure import Contest
from clprobe.bench.own_net.check import UNSUPPORTED, unsupported
from clprobe.bench.own_net.loading import load_user_net
from clprobe.bench.own_net.net import UserNet
from clprobe.bench.plan import steps_of
from clprobe.bench.protocol import Job, Outcome, OwnNet, Started
from clprobe.bench.training import measure_batch
from clprobe.bench.verdicts import without_figures
from clprobe.model.errors import ClprobeError
from clprobe.tensor import Device, Tensor, optim

Step = tuple[Started, Callable[[Contest], Outcome]]


class OpenClUserTrainer:
    """The net as a graph of torch's operations, whose kernels are clprobe's."""

    def __init__(self, device: Device, net: UserNet, batches: Sequence[Digits]) -> None:
        self._batches = [
            tuple(as_given(torch.from_numpy(each)) for each in (one.images, one.labels))
            for one in batches
        ]
        # Torch runs the module while it follows it, which must not move its statistics.
        module = copy.deepcopy(net.module).train()
        graph = _graph(module, net, self._batches[0])
        self._names = [name for name, _ in module.named_parameters()]
        state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        self._step = ModuleStep(device, graph, state, _descending)

    def train(self, batches: range) -> list[float]:
        """Train on these batches, wait, and return the loss of each."""
        return [float(self._step.train(*self._batches[at]).numpy()) for at in batches]

    def weights(self) -> list[Floats]:
        """Return a copy of every parameter, in torch's own order."""
        return [self._step.parameters[name].numpy() for name in self._names]

    def gradients(self) -> list[Floats]:
        """Return a copy of the last gradient by every parameter; zeros where there is none."""
        return gradients_of([self._step.parameters[name] for name in self._names])

    def predict(self, images: Floats) -> Labels:
        """Return nothing: a net that was trained on random input has learned nothing."""
        raise NotImplementedError(len(images))

    @property
    def remark(self) -> str:
        """Return which of a step's operations ran on the CPU, if any did."""
        account = self._step.account
        if not account.fallen_back:
            return ""
        share = account.seconds / max(account.seconds, self._step.seconds)
        named = ", ".join(f"{name} ({count})" for name, count in account.fallen_back.items())
        return f"{share:.0%} of a step ran on the CPU, for clprobe has no kernel for: {named}."


def _descending(parameters: Sequence[Tensor]) -> optim.Optimiser:
    return optim.SGD(parameters, nets.LEARNING_RATE, nets.MOMENTUM)


def _graph(module: Any, net: UserNet, example: Sequence[torch.Tensor]) -> TrainingGraph:
    """Return one step as a graph.

    **Raises** ClprobeError where torch cannot follow the module, or numbers are drawn at random.
    """
    try:
        graph = training_graph(module, net.ends.loss_of, example)
    # Whatever the user's forward does with a stand-in for its input.
    except Exception as error:
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        problem = f"a forward that depends on the values of its input ({said})"
        raise unsupported([problem]) from error
    drawn = drawing_operations(graph.module)
    if drawn:
        raise unsupported(f"random numbers ({name})" for name in drawn)
    return graph


class _Trains:
    """An engine that trains the user's net, and is otherwise the one that it stands for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.made: list[OpenClUserTrainer] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def trainer(self, net: Any, batches: Sequence[Digits]) -> Trainer:
        """Return the untrained net with its batches in place."""
        if isinstance(self._engine, OpenClSubject):
            self.made = [OpenClUserTrainer(self._engine.device, net, batches)]
            return self.made[0]
        device = getattr(self._engine, "torch_device", "cpu")
        return TorchTrainer(copy.deepcopy(net.module), batches, device, net.ends.loss_of)

    def witness(self, net: Any) -> TorchWitness:
        """Return torch on the CPU, asked for the gradients of the user's net."""
        return TorchWitness(net.module, net.ends.loss_of)


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
    trained = _Trains(contest.device)
    own = replace(
        contest,
        device=cast("Subject", trained),
        reference=cast("Reference", _Trains(contest.reference)),
        # NumPy knows bench's own nets alone.
        others=(),
    )
    try:
        outcome = measure_batch(net, net.batch(started.batch or 1), own)
    except ClprobeError as error:
        if error.reference != UNSUPPORTED:
            raise
        return _unsupported(str(error), started, contest)
    device, *others = outcome.results
    remarks = (net.remark, *(one.remark for one in trained.made))
    remarked = structs.replace(device, remark=" ".join(filter(None, remarks)))
    return structs.replace(outcome, results=(remarked, *others))
