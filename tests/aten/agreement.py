# SPDX-License-Identifier: MIT
"""How near to eager torch a device trains, beside how near torch is to itself.

Rounding makes trainings drift apart, by how much depends on the net and the step: a value that
ReLU cuts off on one side and not on the other changes all gradients before it. So torch trains
again, from weights that are moved by a millionth, and a device may be as far off.
"""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from further import Further
from known_nets import Batch, Known, Loss
from torch import nn

from clprobe.aten import compile as backend
from clprobe.aten.step import ModuleStep
from clprobe.aten.training import training_graph
from clprobe.tensor import Device, optim

MOVED = 1e-6
"""By how much of themselves, times a normal number, weights are moved."""
DRAWS, MOST_DRAWS = 4, 15
"""The more before a device is called wrong: where max-pool or ReLU decides by a hair, half of the
draws miss one of the two sides."""
SPREAD = 2.0
"""A device may be off by this many times the most that a draw is; few draws miss some of it."""
LOSS_FLOOR, GRADIENT_FLOOR = 1e-6, 2e-5
"""Of their size, however sure torch is of them: some sums of float32 in another order."""
_LEAST = 1e-2
"""Of the whole gradient: a smaller gradient, such as a bias's before a normalisation, which is
nothing but rounding, is held against this much."""
_RATE, _MOMENTUM = 0.01, 0.9
"""So slow that five steps do not tear apart what began a millionth apart, or nothing would show."""

Taken = tuple[float, dict[str, torch.Tensor]]
"""A step's loss and gradients, by the names of parameters."""
Run = Iterator[Taken]


@dataclass
class Apart:
    """How far a training is from eager torch's, step by step."""

    losses: list[float] = field(default_factory=list)
    gradients: list[float] = field(default_factory=list)
    """All parameters' together."""
    worst: list[float] = field(default_factory=list)
    """The one parameter's that is furthest off."""
    names: list[str] = field(default_factory=list)


@dataclass
class Agreement:
    """How far a device is off, and how far it may be; `step` is where it comes closest to that."""

    step: int
    loss: float
    loss_bound: float
    gradient: float
    gradient_bound: float
    worst: float
    worst_bound: float
    parameter: str
    """Whose gradient is furthest off."""

    @property
    def share(self) -> float:
        """Return how much of what is allowed is used up."""
        return max(
            self.loss / self.loss_bound,
            self.gradient / self.gradient_bound,
            self.worst / self.worst_bound,
        )


class Yardstick:
    """Eager torch's training of a net, and how far torch itself may be from it."""

    def __init__(self, known: Known | Further) -> None:
        self.module, self.batches = known.made()
        self.loss = known.loss
        right = eagerly(copy.deepcopy(self.module), self.batches, self.loss)
        self._right = [copied(each) for each in right]
        self.draws = [self.apart(self._moved(seed)) for seed in range(DRAWS)]

    def agreement(self, run: Run) -> Agreement:
        """Return how a training compares, at the step where it is closest to what is allowed."""
        seen = self.apart(run)
        found = self._closest(seen)
        while found.share > 1 and len(self.draws) < MOST_DRAWS:
            self.draws.append(self.apart(self._moved(len(self.draws))))
            found = self._closest(seen)
        return found

    def apart(self, run: Run) -> Apart:
        """Return how far a training is from eager torch's."""
        found = Apart()
        for (loss, gradients), (right, slopes) in zip(run, self._right, strict=True):
            found.losses.append(abs(loss - right) / abs(right))
            size, off = _whole(slopes), {name: gradients[name] - slopes[name] for name in slopes}
            found.gradients.append(float(_whole(off) / size))
            each = {
                name: float(norm(off[name]) / torch.maximum(norm(slope), _LEAST * size))
                for name, slope in slopes.items()
            }
            found.names.append(max(each, key=lambda name: each[name]))
            found.worst.append(each[found.names[-1]])
        return found

    def _closest(self, seen: Apart) -> Agreement:
        steps = [self._at(step, seen) for step in range(len(self._right))]
        return max(steps, key=lambda each: each.share)

    def _at(self, step: int, seen: Apart) -> Agreement:
        def bound(kind: str, floor: float) -> float:
            return max(floor, SPREAD * max(getattr(each, kind)[step] for each in self.draws))

        return Agreement(
            step + 1,
            seen.losses[step],
            bound("losses", LOSS_FLOOR),
            seen.gradients[step],
            bound("gradients", GRADIENT_FLOOR),
            seen.worst[step],
            bound("worst", GRADIENT_FLOOR),
            seen.names[step],
        )

    def _moved(self, seed: int) -> Run:
        module = copy.deepcopy(self.module)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for weight in module.parameters():
                weight.mul_(1 + MOVED * torch.randn(weight.shape, generator=generator))
        return eagerly(module, self.batches, self.loss)


def eagerly(
    module: nn.Module,
    batches: list[Batch],
    loss_of: Loss,
    call: Callable[..., torch.Tensor] | None = None,
) -> Run:
    """Train by torch's own optimiser, with the module or what was made of it."""
    optimiser = torch.optim.SGD(module.parameters(), _RATE, _MOMENTUM)
    for x, target in batches:
        optimiser.zero_grad()
        loss = loss_of((module if call is None else call)(x), target)
        loss.backward()
        optimiser.step()
        yield float(loss.detach()), _gradients(module)


def _gradients(module: nn.Module) -> dict[str, torch.Tensor]:
    """Return gradients by name; a parameter that nothing depends on has none."""
    return {name: one.grad for name, one in module.named_parameters() if one.grad is not None}


def as_bench_does(yardstick: Yardstick, device: Device) -> tuple[ModuleStep, Run]:
    """Return a step that keeps all on the device, and its training."""
    module, batches = copy.deepcopy(yardstick.module), yardstick.batches
    graph = training_graph(copy.deepcopy(module), yardstick.loss, batches[0])
    state = dict(module.named_parameters()) | dict(module.named_buffers())
    step = ModuleStep(device, graph, state, lambda each: optim.SGD(each, _RATE, _MOMENTUM))

    def run() -> Run:
        for batch in batches:
            loss = float(step.train(*batch).numpy())
            gradients = {name: one.grad for name, one in step.parameters.items()}
            yield (
                loss,
                {
                    name: torch.from_numpy(each.numpy())
                    for name, each in gradients.items()
                    if each is not None
                },
            )

    return step, run()


def compiled(yardstick: Yardstick, device: Device) -> Run:
    """Train through torch.compile, which takes it as one graph and lets nothing fall back."""
    torch._dynamo.reset()
    if hasattr(torch._dynamo.config, "allow_rnn"):
        torch._dynamo.config.allow_rnn = True
    backend._DEVICES["the one"] = device
    module = copy.deepcopy(yardstick.module)
    options = {"device": "the one", "fallback": "error"}
    call = torch.compile(module, backend=backend.clprobe, fullgraph=True, options=options)
    return eagerly(module, yardstick.batches, yardstick.loss, call)


def copied(taken: Taken) -> Taken:
    """Return a step's loss and gradients, to keep."""
    return taken[0], {name: each.clone() for name, each in taken[1].items()}


def _whole(gradients: dict[str, torch.Tensor]) -> torch.Tensor:
    return norm(torch.stack([norm(each) for each in gradients.values()]))


def norm(values: torch.Tensor) -> torch.Tensor:
    """Return the root of the sum of squares, in float64."""
    return values.double().norm()
