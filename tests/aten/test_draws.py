# SPDX-License-Identifier: MIT
"""What nets draw at random is drawn on the device."""

import pytest
import torch
from further_image_nets import Vae
from test_table import graph_of
from torch import nn

from clprobe.aten import compile as backend
from clprobe.aten.graph import Graph
from clprobe.tensor import Device

pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = 100_003


@pytest.mark.parametrize(
    ("name", "mean", "deviation", "third"),
    [("randn_like", 0.0, 1.0, 0.683), ("rand_like", 0.5, 12**-0.5, 0.577)],
)
def test_values_are_spread_as_torchs_are(
    name: str, mean: float, deviation: float, third: float, device: Device
) -> None:
    """`third` is how many lie within a deviation of the mean."""
    target = getattr(torch.ops.aten, name).default
    graph = Graph(graph_of(target, (torch.zeros(COUNT),))[0], device)

    first, second = (graph.run([torch.zeros(COUNT)]).outputs[0].to_host() for _ in range(2))

    assert not graph.account.fallen_back
    assert float(first.mean()) == pytest.approx(mean, abs=0.02)
    assert float(first.std()) == pytest.approx(deviation, abs=0.02)
    within = ((first - mean).abs() < deviation).float().mean()
    assert float(within) == pytest.approx(third, abs=0.01)
    assert abs(float(torch.corrcoef(torch.stack([first, second]))[0, 1])) < 0.02
    assert abs(float(torch.corrcoef(torch.stack([first[1:], first[:-1]]))[0, 1])) < 0.02
    if name == "rand_like":
        assert float(first.min()) >= 0
        assert float(first.max()) < 1


def test_an_autoencoder_that_draws_learns_on_the_device(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    torch._dynamo.reset()
    monkeypatch.setitem(backend._DEVICES, "the one", device)
    net: nn.Module = Vae()
    options = {"device": "the one", "fallback": "error"}
    call = torch.compile(net, backend=backend.clprobe, fullgraph=True, options=options)
    optimiser = torch.optim.Adam(net.parameters(), 0.01)
    x, losses = torch.randn(16, 20), []
    for _ in range(30):
        optimiser.zero_grad()
        loss = call(x)
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))

    assert losses[-1] < losses[0] - 0.5
