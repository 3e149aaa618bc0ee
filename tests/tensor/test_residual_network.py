# SPDX-License-Identifier: MIT
"""A small residual network, in float and in mixed precision, up to reading digits."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from built_once import optimized

from clprobe.bench.digits import Digits, load_digits
from clprobe.tensor import Device, Tensor, nn, softmax_cross_entropy
from clprobe.tensor.autocast import Policy, autocast
from clprobe.tensor.loss_scale import LossScale
from clprobe.tensor.optim import SGD

BATCH = 64
RATE = 0.05
"""At the first step; it falls to 0, for with large steps the running statistics lag behind."""
NOWHERE = Policy(frozenset(), without_fp16=True)
EVERYWHERE = Policy(Policy.shipped().half, without_fp16=True)


@pytest.fixture(autouse=True)
def built_as_for_users() -> Iterator[None]:
    """Training takes longer than building."""
    with optimized():
        yield


def residual_network(device: Device) -> nn.Sequential:
    """Return a stem, a block that keeps the size, one that halves it, and a linear layer."""
    generator = np.random.default_rng(3)

    def conv(channels: int, filters: int, size: int = 3, stride: int = 1) -> nn.Conv2d:
        options: dict[str, Any] = {"stride": stride, "padding": size // 2}
        return nn.Conv2d(channels, filters, size, **options, device=device, generator=generator)

    def block(channels: int, filters: int, stride: int) -> nn.Sequential:
        return nn.Sequential(
            conv(channels, filters, stride=stride),
            nn.BatchNorm2d(filters, device=device),
            nn.ReLU(),
            conv(filters, filters),
            nn.BatchNorm2d(filters, device=device),
        )

    shortcut = nn.Sequential(conv(8, 16, size=1, stride=2), nn.BatchNorm2d(16, device=device))
    return nn.Sequential(
        conv(1, 8),
        nn.BatchNorm2d(8, device=device),
        nn.ReLU(),
        nn.Residual(block(8, 8, stride=1)),
        nn.Residual(block(8, 16, stride=2), shortcut),
        nn.GlobalAvgPool2d(),
        nn.Flatten(),
        nn.Dropout(0.1, stream=nn.RandomStream(device, 5)),
        nn.Linear(16, 10, device=device, generator=generator),
    )


def trained(
    network: nn.Module, device: Device, batches: list[Digits], policy: Policy
) -> list[float]:
    """Return the loss before each step."""
    optimiser = SGD(network.parameters(), learning_rate=RATE, momentum=0.9)
    scale = LossScale(device)
    losses = []
    for step, batch in enumerate(batches):
        optimiser.learning_rate = RATE * (1 - step / len(batches))
        optimiser.zero_grad()
        with autocast(policy):
            logits = network(Tensor.from_numpy(batch.images, device))
        loss = softmax_cross_entropy(logits, batch.labels)
        scale.scaled(loss).backward()
        scale.step(optimiser)
        losses.append(loss)
    assert scale.skipped_steps == 0
    return [float(loss.numpy()) for loss in losses]


@pytest.mark.parametrize("policy", [NOWHERE, EVERYWHERE], ids=["float", "mixed precision"])
def test_a_residual_network_learns_to_read_digits(device: Device, policy: Policy) -> None:
    train, test = load_digits()
    network = residual_network(device)

    losses = trained(network, device, 8 * train.batches(BATCH), policy)
    network.eval()
    logits = network(Tensor.from_numpy(test.images, device)).numpy()

    share = float(np.mean(logits.argmax(1) == test.labels))
    assert losses[0] > 2
    assert share >= 0.95


def test_a_residual_network_trains_as_it_does_in_torch(device: Device) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    own = residual_network(device)
    own.layers[7].rate = 0
    twin = twin_of(torch)
    twin.load_state_dict({name: torch.from_numpy(value) for name, value in own.state().items()})
    optimiser = torch.optim.SGD(twin.parameters(), lr=RATE, momentum=0.9)
    batches = load_digits()[0].batches(32)[:5]

    expected = []
    for step, batch in enumerate(batches):
        optimiser.param_groups[0]["lr"] = RATE * (1 - step / len(batches))
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(
            twin(torch.from_numpy(batch.images)), torch.from_numpy(batch.labels).long()
        )
        loss.backward()
        optimiser.step()
        expected.append(loss.item())
    found = trained(own, device, batches, NOWHERE)

    # Rounding differs from step one on, and steps amplify it; a wrong formula is off by far more.
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    state = own.state()
    for name, value in twin.state_dict().items():
        if "running" in name:
            np.testing.assert_allclose(state[name], value.numpy(), rtol=1e-2, atol=1e-3)


def twin_of(torch: Any) -> Any:
    """Return the same network in torch, with the same names."""
    layers = torch.nn

    class Residual(layers.Module):  # type: ignore[misc, name-defined]  # torch has no types here
        def __init__(self, body: Any, shortcut: Any = None) -> None:
            super().__init__()
            self.body = body
            if shortcut is not None:
                self.shortcut = shortcut

        def forward(self, x: Any) -> Any:
            own = self.shortcut(x) if hasattr(self, "shortcut") else x
            return torch.relu(self.body(x) + own)

    def block(channels: int, filters: int, stride: int) -> Any:
        return layers.Sequential(
            layers.Conv2d(channels, filters, 3, stride=stride, padding=1),
            layers.BatchNorm2d(filters),
            layers.ReLU(),
            layers.Conv2d(filters, filters, 3, padding=1),
            layers.BatchNorm2d(filters),
        )

    shortcut = layers.Sequential(layers.Conv2d(8, 16, 1, stride=2), layers.BatchNorm2d(16))
    return layers.Sequential(
        layers.Conv2d(1, 8, 3, padding=1),
        layers.BatchNorm2d(8),
        layers.ReLU(),
        Residual(block(8, 8, 1)),
        Residual(block(8, 16, 2), shortcut),
        layers.AdaptiveAvgPool2d(1),
        layers.Flatten(),
        layers.Dropout(0),
        layers.Linear(16, 10),
    )
