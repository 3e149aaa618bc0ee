# SPDX-License-Identifier: MIT
"""What torch's users do around a net works under torch.compile, as it does in eager torch."""

import io
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

from clprobe.aten import compile as backend
from clprobe.tensor import Device

# Torch's own compiler leaves files open, and warns of what its next version drops.
pytestmark = pytest.mark.filterwarnings("ignore")
Call = Callable[[torch.Tensor], torch.Tensor]


def made() -> nn.Module:
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))


@pytest.fixture
def compiled(device: Device, monkeypatch: pytest.MonkeyPatch) -> Callable[[nn.Module], Call]:
    """Return what compiles a net for the device, where nothing may fall back."""
    torch._dynamo.reset()
    monkeypatch.setitem(backend._DEVICES, "the one", device)
    options = {"device": "the one", "fallback": "error"}
    return lambda net: torch.compile(net, backend=backend.clprobe, options=options)


def batches(count: int = 6) -> list[tuple[torch.Tensor, torch.Tensor]]:
    generator = torch.Generator().manual_seed(7)
    return [
        (torch.randn(4, 6, generator=generator), torch.randint(0, 3, (4,), generator=generator))
        for _ in range(count)
    ]


def assert_alike(own: nn.Module, right: nn.Module) -> None:
    for name, value in right.state_dict().items():
        torch.testing.assert_close(own.state_dict()[name], value, rtol=1e-4, atol=1e-5)


def test_gradients_are_accumulated_over_batches(compiled: Callable[[nn.Module], Call]) -> None:
    def train(net: nn.Module, call: Call) -> nn.Module:
        optimiser = torch.optim.SGD(net.parameters(), 0.1)
        for at, (x, labels) in enumerate(batches()):
            (functional.cross_entropy(call(x), labels) / 3).backward()
            if at % 3 == 2:
                optimiser.step()
                optimiser.zero_grad()
        return net

    own, right = made(), made()

    assert_alike(train(own, compiled(own)), train(right, right))


def test_a_data_loader_a_scheduler_and_clipping_work(
    compiled: Callable[[nn.Module], Call],
) -> None:
    """The last batch is smaller, too."""
    x = torch.randn(22, 6, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x[:, :3].argmax(1))

    def train(net: nn.Module, call: Call) -> nn.Module:
        optimiser = torch.optim.AdamW(net.parameters(), 0.01)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 3)
        order = torch.Generator().manual_seed(4)
        for _ in range(3):
            for some, labels in DataLoader(data, 8, shuffle=True, generator=order):
                optimiser.zero_grad()
                functional.cross_entropy(call(some), labels).backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimiser.step()
            scheduler.step()
        return net

    own, right = made(), made()

    assert_alike(train(own, compiled(own)), train(right, right))


def test_training_goes_on_exactly_from_what_was_saved(
    compiled: Callable[[nn.Module], Call],
) -> None:
    def train(net: nn.Module, optimiser: torch.optim.Optimizer, some: list) -> None:
        call = compiled(net)
        for x, labels in some:
            optimiser.zero_grad()
            functional.cross_entropy(call(x), labels).backward()
            optimiser.step()

    whole = made()
    train(whole, torch.optim.Adam(whole.parameters(), 0.01), batches())
    first, file = made(), io.BytesIO()
    optimiser = torch.optim.Adam(first.parameters(), 0.01)
    train(first, optimiser, batches()[:3])
    torch.save({"net": first.state_dict(), "optimiser": optimiser.state_dict()}, file)
    file.seek(0)
    saved, resumed = torch.load(file), made()
    resumed.load_state_dict(saved["net"])
    later = torch.optim.Adam(resumed.parameters(), 0.5)
    later.load_state_dict(saved["optimiser"])
    train(resumed, later, batches()[3:])

    for name, value in whole.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], value)


class Checkpointed(nn.Module):
    """Its inside is computed again for the backward pass."""

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        self.inside = inside

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.inside, x, use_reentrant=False)


def test_a_checkpointed_net_trains(compiled: Callable[[nn.Module], Call]) -> None:
    def train(net: nn.Module, call: Call) -> nn.Module:
        optimiser = torch.optim.SGD(net.parameters(), 0.1)
        for x, labels in batches():
            optimiser.zero_grad()
            functional.cross_entropy(call(x), labels).backward()
            optimiser.step()
        return net

    own, right = Checkpointed(made()), made()

    assert_alike(train(own, compiled(own)).inside, train(right, right))
