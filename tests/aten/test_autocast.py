# SPDX-License-Identifier: MIT
"""What torch's own autocast asks for in half is trained on the device, in float or in half."""

import copy
import logging
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn
from torch.nn import functional

from clprobe.aten import compile as backend
from clprobe.aten import halves
from clprobe.tensor import Device, autocast

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
OPTIONS = {"fallback": "error", "check": 2}


class Net(nn.Module):
    """Convolutions of both kinds that halves know, norms, products, and attention."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 5, padding=2)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.layer_norm = nn.LayerNorm(16)
        self.last = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(torch.relu(self.norm(self.first(x))), 2)
        words = functional.gelu(self.second(x)).flatten(2).transpose(1, 2)
        words = words + self.attention(words, words, words, need_weights=False)[0]
        return self.last(self.layer_norm(words).mean(1))


@pytest.fixture
def compiled(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable]:
    monkeypatch.setattr(backend, "device_of", lambda _: device)
    monkeypatch.setattr(backend, "_DEVICES", {})
    torch._dynamo.reset()
    yield lambda module: torch.compile(module, backend=backend.clprobe, options=OPTIONS)
    torch._dynamo.reset()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operations of each compiled graph."""
    found: list[str] = []
    usual = backend.Graph

    def noted(*given: object, **options: object) -> backend.Graph:
        graph = usual(*given, **options)
        found.extend(str(node.target) for node in graph.module.graph.nodes)
        return graph

    monkeypatch.setattr(backend, "Graph", noted)
    return found


def losses(module: nn.Module, run: Callable, dtype: torch.dtype | None) -> list[float]:
    """Train five steps on the same batches, under autocast if there is a type."""
    optimiser = torch.optim.SGD(module.parameters(), 0.05)
    found = []
    for step in range(5):
        generator = torch.Generator().manual_seed(step)
        x = torch.randn(4, 3, 16, 16, generator=generator)
        labels = torch.randint(0, 10, (4,), generator=generator)
        optimiser.zero_grad()
        with torch.autocast("cpu", dtype=dtype, enabled=dtype is not None):
            result = run(x)
            loss = functional.cross_entropy(result, labels)
        assert result.dtype == (dtype or torch.float32)
        loss.backward()
        optimiser.step()
        found.append(loss.item())
    return found


def trained(compiled: Callable, dtype: torch.dtype) -> tuple[list[float], list[float]]:
    """Return losses of ours under autocast, and of torch in float."""
    torch.manual_seed(0)
    ours = Net()
    theirs = copy.deepcopy(ours)
    found = losses(ours, compiled(ours), dtype)
    assert all(each.grad.dtype == torch.float32 for each in ours.parameters())
    return found, losses(theirs, theirs, None)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_values_stay_float_where_half_does_not_pay(
    compiled: Callable, names: list[str], dtype: torch.dtype
) -> None:
    ours, right = trained(compiled, dtype)

    # The result is rounded to half on its way out, and its gradient on its way in.
    assert ours == pytest.approx(right, rel=1e-3 if dtype == torch.float16 else 5e-3)
    assert not any("in half" in name for name in names)


def test_float16_multiplies_in_half_where_that_pays(
    compiled: Callable, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "computes_in_half", lambda *_: True)

    ours, right = trained(compiled, torch.float16)

    assert ours == pytest.approx(right, rel=5e-3)
    assert {"addmm in half", "convolution in half"} <= set(names)
    assert "aten.convolution.default" not in names


def test_bfloat16_never_multiplies_in_half(
    compiled: Callable, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "computes_in_half", lambda *_: True)

    trained(compiled, torch.bfloat16)

    assert not any("in half" in name for name in names)


def test_a_graph_of_floats_is_itself(device: Device) -> None:
    graph = torch.fx.Graph()
    graph.output((graph.call_function(torch.relu, (graph.placeholder("x"),)),))
    module = torch.fx.GraphModule({}, graph)

    assert halves.in_floats(module, device) == halves.Floats(
        module, (None,), multiplies_in_half=False
    )


def test_it_is_said_once_what_stays_float(
    compiled: Callable, caplog: pytest.LogCaptureFixture
) -> None:
    halves._tell_of_bfloat16.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            torch._dynamo.reset()
            trained(compiled, torch.bfloat16)

    said = [each.message for each in caplog.records if "bfloat16" in each.message]
    assert said == ["clprobe computes bfloat16 in float; products of float16 may multiply in half."]


def test_our_own_autocast_has_no_say(compiled: Callable, names: list[str]) -> None:
    with autocast():
        ours, right = trained(compiled, torch.float16)

    assert ours == pytest.approx(right, rel=1e-3)
    assert not any("in half" in name for name in names)
