# SPDX-License-Identifier: MIT
"""Operations that are computed together give what they give one by one, in fewer launches."""

import copy

import numpy as np
import pytest
import torch
from small_nets import cross_entropy
from torch import nn

from clprobe.aten import together
from clprobe.aten.step import ModuleStep
from clprobe.aten.table import SEVERAL
from clprobe.aten.training import training_graph
from clprobe.tensor import Device, Tensor, optim, softmax_cross_entropy
from clprobe.tensor import nn as own

IMAGES = (5, 2, 6, 6)


def perceptron() -> nn.Module:
    return nn.Sequential(
        *(nn.Flatten(), nn.Linear(72, 9), nn.ReLU(), nn.Linear(9, 7), nn.ReLU(), nn.Linear(7, 4))
    )


def convolutional() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4, 4)),
    )


def normalised() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(48, 4)),
    )


def step_of(module: nn.Module, device: Device, x: torch.Tensor, y: torch.Tensor) -> ModuleStep:
    graph = training_graph(copy.deepcopy(module), cross_entropy, (x, y))
    state = dict(module.named_parameters()) | dict(module.named_buffers())
    return ModuleStep(device, graph, state, lambda each: optim.SGD(each, 0.05, 0.9))


def batch(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(IMAGES, generator=generator), torch.randint(
        0, 4, IMAGES[:1], generator=generator
    )


@pytest.mark.parametrize("make", [perceptron, convolutional, normalised])
def test_steps_agree_with_torch_on_batches_of_either_kind(make, device: Device) -> None:
    torch.manual_seed(3)
    module = make()
    theirs, batches = copy.deepcopy(module), [batch(seed) for seed in (1, 2, 1, 2)]
    optimiser = torch.optim.SGD(theirs.parameters(), 0.05, 0.9)
    right = []
    for x, y in batches:
        optimiser.zero_grad()
        loss = cross_entropy(theirs(x), y)
        loss.backward()
        optimiser.step()
        right.append(float(loss.detach()))

    host, there = (step_of(module, device, *batches[0]) for _ in range(2))
    kept = [there.bring(*each) for each in batches[:2]] * 2

    assert [float(host.train(*each).numpy()) for each in batches] == pytest.approx(right, rel=1e-5)
    assert [float(there.train_on(each).numpy()) for each in kept] == pytest.approx(right, rel=1e-5)
    assert not host.account.fallen_back
    for name, buffer in theirs.named_buffers():
        torch.testing.assert_close(host.buffer(name), buffer)


def by_hand(device: Device, *, convolves: bool) -> own.Sequential:
    given = {"device": device, "generator": np.random.default_rng(1)}
    if not convolves:
        return own.Sequential(
            *(own.Flatten(), own.Linear(72, 9, **given), own.ReLU(), own.Linear(9, 7, **given)),
            *(own.ReLU(), own.Linear(7, 4, **given)),
        )
    return own.Sequential(
        *(own.Conv2d(2, 3, 3, padding=1, **given), own.ReLU(), own.MaxPool2d(2)),
        *(own.Conv2d(3, 4, 3, **given), own.ReLU(), own.Flatten(), own.Linear(4, 4, **given)),
    )


@pytest.mark.parametrize("make", [perceptron, convolutional])
def test_a_step_launches_what_one_by_hand_does(make, device: Device) -> None:
    given = batch(1)
    step, net = step_of(make(), device, *given), by_hand(device, convolves=make is convolutional)
    optimiser = optim.SGD(net.parameters(), 0.05, 0.9)
    x, y = (Tensor.from_numpy(each, device) for each in (given[0].numpy(), given[1].int().numpy()))
    for _ in range(2):
        step.train(*given)
    with device.record_events() as recorded:
        step.train(*given)
    with device.record_events() as wanted:
        softmax_cross_entropy(net(x), y).backward()
        optimiser.step()

    launched, hoped = (
        sorted(each.name for each in one if each.name not in {"upload", "copy"})
        for one in (recorded, wanted)
    )
    assert launched == hoped


@pytest.mark.parametrize("labels", [(1, -100, 3, 0, -100), (-100,) * 5])
def test_labels_that_are_ignored_count_for_nothing(labels: tuple, device: Device) -> None:
    torch.manual_seed(4)
    module, y = perceptron(), torch.tensor(labels)
    x, _ = batch(1)
    loss = cross_entropy(module(x), y)
    loss.backward()
    step = step_of(module, device, x, y)

    found = torch.from_numpy(step.train(x, y).numpy())

    torch.testing.assert_close(found, loss.detach(), equal_nan=True)
    for parameter, theirs in zip(step.parameters.values(), module.parameters(), strict=True):
        assert parameter.grad is not None
        torch.testing.assert_close(torch.from_numpy(parameter.grad.numpy()), theirs.grad)


def test_each_of_them_is_in_the_table() -> None:
    named = {each.name for each in vars(together).values() if isinstance(each, together.Together)}
    named |= {each.name for each, _ in together.IN_HALF.values()}

    assert named == SEVERAL.keys()


def test_on_the_cpu_they_are_what_torch_makes_of_them() -> None:
    logits, labels = torch.randn(4, 3, requires_grad=True), torch.tensor([0, 2, -100, 1])
    right = nn.functional.cross_entropy(logits, labels)
    right.backward()

    loss, gradient = together.CROSS_ENTROPY(logits.detach(), labels, -100)

    torch.testing.assert_close(loss, right.detach())
    torch.testing.assert_close(gradient, logits.grad)
    dy, y = torch.randn(3, 2), torch.randn(3, 2)
    masked, total = together.MASK_AND_SUM(dy, y)
    torch.testing.assert_close(masked, dy * (y > 0))
    torch.testing.assert_close(total, masked.sum(0, keepdim=True))
