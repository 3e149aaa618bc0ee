# SPDX-License-Identifier: MIT
"""Whole nets train as in torch: captured as a graph, and as a backend of torch.compile."""

import copy

import pytest
import torch
from small_nets import NETS, Dropping, cross_entropy, made
from torch import nn
from torch.nn import functional

from clprobe.aten import compile as backend
from clprobe.aten import graph as graphs
from clprobe.aten.step import ModuleStep
from clprobe.aten.table.elementwise import applied
from clprobe.aten.training import drawing_operations, training_graph
from clprobe.model.errors import ClprobeError
from clprobe.tensor import Device, DeviceError, optim

# Torch's own compiler leaves files open, and warns of what its next version drops.
pytestmark = pytest.mark.filterwarnings("ignore")


def losses_of_torch(module: nn.Module, batches: list) -> list[float]:
    optimiser = torch.optim.SGD(module.parameters(), 0.05, 0.9)
    losses = []
    for x, target in batches:
        optimiser.zero_grad()
        loss = cross_entropy(module(x), target)
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    return losses


@pytest.mark.parametrize("name", sorted(NETS))
def test_a_net_trains_as_in_torch(name: str, device: Device) -> None:
    module, batches = made(name)
    theirs = copy.deepcopy(module)
    graph = training_graph(copy.deepcopy(module), cross_entropy, batches[0])
    state = dict(module.named_parameters()) | dict(module.named_buffers())
    step = ModuleStep(device, graph, state, lambda each: optim.SGD(each, 0.05, 0.9))

    losses = [float(step.train(*batch).numpy()) for batch in batches]

    assert losses == pytest.approx(losses_of_torch(theirs, batches), rel=1e-4)
    assert not step.account.fallen_back
    for parameter, (_, right) in zip(
        step.parameters.values(), theirs.named_parameters(), strict=True
    ):
        torch.testing.assert_close(
            torch.from_numpy(parameter.numpy()), right.detach(), rtol=1e-3, atol=1e-4
        )


def test_statistics_and_counters_follow_through_replays(device: Device) -> None:
    module, batches = made("residual")
    theirs = copy.deepcopy(module)
    graph = training_graph(copy.deepcopy(module), cross_entropy, batches[0])
    state = dict(module.named_parameters()) | dict(module.named_buffers())
    step = ModuleStep(device, graph, state, lambda each: optim.SGD(each, 0.05, 0.9))

    for batch in batches:
        step.train(*batch)

    losses_of_torch(theirs, batches)
    for name, right in theirs.named_buffers():
        torch.testing.assert_close(step.buffer(name), right, rtol=1e-3, atol=1e-4)


def test_numbers_of_the_host_follow_through_replays(device: Device) -> None:
    """Though they follow from an input and from a constant, or are cut out of an input."""

    class Looking(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(9, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            first, second = x.unbind(1)
            is_even = torch.arange(len(first)) % 2 == 0
            return self.words(first) + self.words(torch.where(is_even, second, 0))

    torch.manual_seed(2)
    module = Looking()
    batches = [(torch.randint(0, 9, (6, 2)), torch.randint(0, 4, (6,))) for _ in range(5)]
    graph = training_graph(copy.deepcopy(module), cross_entropy, batches[0])
    state = dict(module.named_parameters())
    step = ModuleStep(device, graph, state, lambda each: optim.SGD(each, 0.05, 0.9))

    losses = [float(step.train(*batch).numpy()) for batch in batches]

    assert losses == pytest.approx(losses_of_torch(module, batches), rel=1e-4)


def test_operations_that_draw_are_named() -> None:
    graph = training_graph(
        Dropping(), cross_entropy, (torch.randn(4, 6), torch.tensor([0, 1, 2, 0]))
    )

    assert drawing_operations(graph.module) == ["native_dropout.default"]


@pytest.mark.parametrize("name", sorted(NETS))
def test_a_compiled_net_trains_as_in_torch(
    name: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, batches = made(name)
    theirs = copy.deepcopy(module)

    losses = losses_of_torch(compiled(module, device, monkeypatch, check=2), batches)

    assert losses == pytest.approx(losses_of_torch(theirs, batches), rel=1e-4)


def test_a_compiled_net_drops_as_many_as_it_should(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop = compiled(nn.Dropout(0.25), device, monkeypatch)
    x = torch.ones(100, 1000, requires_grad=True)

    y = drop(x)
    y.sum().backward()

    assert float((y == 0).float().mean()) == pytest.approx(0.25, abs=0.01)
    torch.testing.assert_close(x.grad, y.detach())
    assert float(y.max()) == pytest.approx(1 / 0.75)


def test_attention_drops_on_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    class Attention(nn.Module):
        def forward(self, query: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
            return functional.scaled_dot_product_attention(query, query, value, dropout_p=0.25)

    # Alike, all are seen by a share of 1/40, and one of each kind shows by how much.
    query, value = torch.ones(8, 4, 40, 8), torch.eye(40).expand(8, 4, 40, 40)
    value = value.clone().requires_grad_()
    attention = compiled(Attention(), device, monkeypatch, fallback="error")

    seen = attention(query, value)
    seen.sum().backward()

    assert float((seen == 0).float().mean()) == pytest.approx(0.25, abs=0.01)
    assert float(seen.max()) == pytest.approx(1 / 40 / 0.75)
    right = seen.detach().sum(2)[..., None].expand(value.shape)
    torch.testing.assert_close(value.grad, right, rtol=1e-4, atol=1e-6)


def test_an_old_torch_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.3.1+cpu")

    with pytest.raises(ClprobeError, match=r"torch 2.4 or newer, and this Python has 2.3.1\+cpu"):
        backend.clprobe(None, ())


def test_accumulated_gradients_are_those_of_torch(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, batches = made("residual")
    theirs = copy.deepcopy(module)
    ours = compiled(module, device, monkeypatch)
    for net in (ours, theirs):
        losses = [cross_entropy(net(x), target) for x, target in batches[:2]]
        sum(losses).backward()

    for own, right in zip(module.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(own.grad, right.grad, rtol=1e-3, atol=1e-4)


def test_a_device_that_computes_wrongly_is_found_out(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, batches = made("recurrent")
    monkeypatch.setitem(
        graphs.TABLE, "tanh.default", lambda run, x: applied(run, "multiply", x, 1.1)
    )

    with pytest.raises(DeviceError, match="computes otherwise than torch: output 0"):
        losses_of_torch(compiled(module, device, monkeypatch, check=1), batches)


def test_without_a_fallback_what_is_lacking_is_named(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lacking(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.cumsum(0)

    with pytest.raises(DeviceError, match=r"no kernel for cumsum.default: not in the table"):
        compiled(Lacking(), device, monkeypatch, fallback="error")(torch.randn(4))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"divice": "gpu"}, "there is no option 'divice'"),
        ({"fallback": "gpu"}, "fallback='gpu'"),
        ({"check": -1}, "check=-1"),
        ({"device": "no such name"}, "means no device"),
    ],
)
def test_options_that_are_none_are_refused(options: dict, words: str) -> None:
    with pytest.raises(ClprobeError, match=words):
        backend.clprobe(None, (), options=options)


def compiled(module: nn.Module, device: Device, monkeypatch: pytest.MonkeyPatch, **options):
    torch._dynamo.reset()
    torch._dynamo.config.allow_rnn = True
    monkeypatch.setitem(backend._DEVICES, "the one", device)
    return torch.compile(module, backend=backend.clprobe, options={"device": "the one", **options})
