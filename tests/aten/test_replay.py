# SPDX-License-Identifier: MIT
"""Compiled graphs are captured and replayed, and nobody sees it but by the clock."""

import copy
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn
from torch.nn import functional

from clprobe.aten import compile as backend
from clprobe.aten import replay
from clprobe.tensor import Device

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what replays enqueued, a line for each."""
    found: list[str] = []
    usual = replay.Step.replay

    def noted(step: replay.Step) -> None:
        found.append(" ".join(step.names))
        usual(step)

    monkeypatch.setattr(replay.Step, "replay", noted)
    return found


@pytest.fixture
def compiled(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable]:
    monkeypatch.setattr(backend, "device_of", lambda _: device)
    monkeypatch.setattr(backend, "_DEVICES", {})
    torch._dynamo.reset()
    yield lambda module: torch.compile(module, backend=backend.clprobe)
    torch._dynamo.reset()


def small() -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))


def test_steps_are_replayed_and_train_as_in_torch(compiled: Callable, replayed: list[str]) -> None:
    ours = small()
    theirs = copy.deepcopy(ours)
    nets = [(compiled(ours), ours), (theirs, theirs)]
    optimisers = [torch.optim.SGD(module.parameters(), 0.1, momentum=0.9) for _, module in nets]
    for step in range(6):
        x, losses = torch.randn(5, 6), []
        for (net, _), optimiser in zip(nets, optimisers, strict=True):
            optimiser.zero_grad()
            loss = (net(x) ** 2).mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        assert losses[0] == pytest.approx(losses[1], rel=1e-5), step
    # Both graphs run by themselves at first, are captured, and run again from then on.
    assert len(replayed) >= 2 * (6 - 3)


def test_what_is_saved_is_not_overwritten_before_it_was_used(
    compiled: Callable, replayed: list[str]
) -> None:
    ours = small()
    theirs = copy.deepcopy(ours)
    net = compiled(ours)
    for _ in range(3):
        net(torch.randn(5, 6)).sum().backward()
    begun = len(replayed)
    assert begun
    batches = [torch.randn(5, 6) for _ in range(3)]
    for module, run in ((ours, net), (theirs, theirs)):
        module.zero_grad()
        sum(run(x).square().sum() for x in batches).backward()

    for own, right in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(own.grad, right.grad, rtol=1e-4, atol=1e-5)


def test_results_are_the_callers_own(compiled: Callable, replayed: list[str]) -> None:
    net = compiled(small().requires_grad_(False))
    inputs = [torch.full((2, 6), float(at)) for at in range(5)]

    results = [net(x) for x in inputs]

    assert replayed
    for x, result in zip(inputs, results, strict=True):
        torch.testing.assert_close(result, small()(x).detach(), rtol=1e-5, atol=1e-6)


def test_each_replay_drops_others(compiled: Callable, replayed: list[str]) -> None:
    drop = compiled(nn.Dropout(0.5))
    seen = []
    for _ in range(6):
        x = torch.ones(4000, requires_grad=True)
        y = drop(x)
        y.sum().backward()
        torch.testing.assert_close(x.grad, y.detach())
        seen.append(tuple((y > 0).tolist()))

    assert replayed
    assert len(set(seen)) == len(seen)


def test_sizes_take_turns(compiled: Callable, replayed: list[str]) -> None:
    ours = small()
    net = compiled(ours)
    for rows in (5, 3, 5, 3, 5, 3, 5, 3):
        x = torch.randn(rows, 6)
        torch.testing.assert_close(net(x), ours(x), rtol=1e-5, atol=1e-6)

    assert replayed


def test_whole_numbers_and_counters_follow(compiled: Callable, replayed: list[str]) -> None:
    class Words(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(9, 4)
            self.norm = nn.BatchNorm1d(4)

        def forward(self, words: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
            return functional.cross_entropy(self.norm(self.table(words)), target)

    torch.manual_seed(2)
    ours = Words()
    theirs = copy.deepcopy(ours)
    net = compiled(ours)
    for _ in range(6):
        words, target = torch.randint(0, 9, (8,)), torch.randint(0, 4, (8,))
        losses = []
        for module, run in ((ours, net), (theirs, theirs)):
            module.zero_grad()
            loss = run(words, target)
            loss.backward()
            losses.append(loss.item())
            with torch.no_grad():
                for each in module.parameters():
                    each.sub_(each.grad, alpha=0.1)
        assert losses[0] == pytest.approx(losses[1], rel=1e-4)

    assert replayed
    assert ours.norm.num_batches_tracked == 6
    torch.testing.assert_close(ours.norm.running_mean, theirs.norm.running_mean)
