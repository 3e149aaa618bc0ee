# SPDX-License-Identifier: MIT
"""Layers, initialisation and the optimiser, up to small networks that learn."""

from pathlib import Path

import numpy as np
import pytest
from oracles import normal

from clprobe.tensor import Device, ShapeError, Tensor, nn, softmax_cross_entropy
from clprobe.tensor.optim import SGD, Adam, AdamW


def mlp(device: Device, seed: int = 1) -> nn.Sequential:
    generator = np.random.default_rng(seed)
    return nn.Sequential(
        nn.Linear(12, 32, device=device, generator=generator),
        nn.ReLU(),
        nn.Linear(32, 4, device=device, generator=generator),
    )


def cnn(device: Device) -> nn.Sequential:
    generator = np.random.default_rng(2)
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1, device=device, generator=generator),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(4 * 4 * 4, 4, device=device, generator=generator),
    )


def train(network: nn.Sequential, x: np.ndarray, labels: np.ndarray, device: Device) -> list[float]:
    """Return the loss before each of some steps on one batch."""
    inputs = Tensor.from_numpy(x, device)
    optimiser = SGD(network.parameters(), learning_rate=0.1, momentum=0.9)
    losses = []
    for _ in range(30):
        optimiser.zero_grad()
        loss = softmax_cross_entropy(network(inputs), labels)
        loss.backward()
        optimiser.step()
        losses.append(float(loss.numpy()))
    return losses


def separable(generator: np.random.Generator, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    """Return noise around one centre for each of four labels."""
    labels = generator.integers(0, 4, shape[0]).astype(np.int32)
    centres = normal(generator, 4, *shape[1:])
    return centres[labels] + 0.3 * normal(generator, *shape), labels


def test_a_two_layer_network_learns(device: Device, generator: np.random.Generator) -> None:
    losses = train(mlp(device), *separable(generator, 40, 12), device)

    assert losses[0] > 1
    assert losses[-1] < 0.1


def test_a_convolutional_network_learns(device: Device, generator: np.random.Generator) -> None:
    losses = train(cnn(device), *separable(generator, 24, 1, 8, 8), device)

    assert losses[0] > 1
    assert losses[-1] < 0.1


def test_a_network_trains_as_it_does_in_torch(
    device: Device, generator: np.random.Generator
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x, labels = separable(generator, 24, 1, 8, 8)
    network = cnn(device)
    twin = torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(64, 4),
    )
    twin.load_state_dict({name: torch.from_numpy(value) for name, value in network.state().items()})
    optimiser = torch.optim.SGD(twin.parameters(), lr=0.1, momentum=0.9)
    expected = []
    for _ in range(10):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(
            twin(torch.from_numpy(x)), torch.from_numpy(labels).long()
        )
        loss.backward()
        optimiser.step()
        expected.append(loss.item())

    found = train(network, x, labels, device)[:10]

    # Rounding differs from step one on, and steps amplify it; a wrong formula is off by far more.
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


def test_sgd_follows_torchs_formula(device: Device, generator: np.random.Generator) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    start, slope = normal(generator, 33), normal(generator, 33)
    parameter = Tensor.from_numpy(start, device, requires_grad=True)
    twin = torch.tensor(start, requires_grad=True)
    optimiser = SGD([parameter], learning_rate=0.1, momentum=0.9)
    reference = torch.optim.SGD([twin], lr=0.1, momentum=0.9)

    for _ in range(5):
        for each in (optimiser, reference):
            each.zero_grad()
        (parameter * parameter * Tensor.from_numpy(slope, device)).sum().backward()
        (twin * twin * torch.tensor(slope)).sum().backward()
        for each in (optimiser, reference):
            each.step()

    np.testing.assert_allclose(parameter.numpy(), twin.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_the_same_seed_gives_the_same_weights(device: Device) -> None:
    first, second, other = mlp(device, 1).state(), mlp(device, 1).state(), mlp(device, 2).state()

    assert list(first) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert all((first[name] == second[name]).all() for name in first)
    assert not (first["0.weight"] == other["0.weight"]).any()


def test_a_state_can_be_loaded_into_another_network(device: Device) -> None:
    source, target = mlp(device, 1), mlp(device, 2)

    target.load_state(source.state())

    for name, value in target.state().items():
        assert (value == source.state()[name]).all()


def test_a_state_that_does_not_fit_is_refused(device: Device) -> None:
    network = mlp(device)
    state = network.state()

    with pytest.raises(ShapeError, match=r"0\.bias"):
        network.load_state({**state, "0.bias": np.zeros(5, np.float32)})
    with pytest.raises(ShapeError, match=r"2\.weight"):
        network.load_state({"0.bias": state["0.bias"]})


@pytest.mark.parametrize("kind", [SGD, Adam, AdamW])
def test_training_goes_on_exactly_from_a_saved_optimiser(
    kind: type[SGD | Adam], device: Device, generator: np.random.Generator, tmp_path: Path
) -> None:
    x, labels = separable(generator, 40, 12)
    inputs = Tensor.from_numpy(x, device)

    def steps(network: nn.Sequential, optimiser: SGD | Adam, count: int) -> None:
        for _ in range(count):
            optimiser.zero_grad()
            softmax_cross_entropy(network(inputs), labels).backward()
            optimiser.step()

    whole = mlp(device)
    optimiser = kind(whole.parameters(), 0.05)
    steps(whole, optimiser, 2)
    np.savez(tmp_path / "net.npz", **whole.state())
    np.savez(tmp_path / "optimiser.npz", **optimiser.state())
    steps(whole, optimiser, 3)
    resumed = mlp(device, seed=9)
    later = kind(resumed.parameters(), 0.5)
    steps(resumed, later, 1)  # forgotten again
    resumed.load_state(dict(np.load(tmp_path / "net.npz")))
    later.load_state(dict(np.load(tmp_path / "optimiser.npz")))
    steps(resumed, later, 3)

    for name, value in whole.state().items():
        np.testing.assert_array_equal(resumed.state()[name], value)
    with pytest.raises(ShapeError, match="state has shape"):
        SGD(cnn(device).parameters(), 0.1).load_state(optimiser.state())
