# SPDX-License-Identifier: MIT
"""What leaves the device for torch is the memory itself where host and device share it."""

import gc
from collections.abc import Callable

import pytest
import torch
from torch import nn

from clprobe.aten import compile as backend
from clprobe.tensor import Device

pytestmark = pytest.mark.filterwarnings("ignore")
WIDTH = 512
"""Values of 1 MiB are worth mapping."""


@pytest.fixture
def compiled(device: Device, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Callable]:
    if not device.limits.host_unified:
        pytest.skip("this device shares no memory with the host")
    torch._dynamo.reset()
    monkeypatch.setitem(backend._DEVICES, "the one", device)
    options = {"device": "the one", "fallback": "error"}
    return lambda net: torch.compile(net, backend=backend.clprobe, options=options)


def transfers(device: Device, step: Callable[[], None]) -> list[str]:
    with device.record_events() as recorded:
        step()
    return [each.name for each in recorded if each.name in {"download", "map"}]


def test_large_gradients_are_mapped_and_small_ones_copied(
    compiled: Callable[..., Callable], device: Device
) -> None:
    torch.manual_seed(3)
    net = nn.Linear(WIDTH, WIDTH)
    x = torch.randn(4, WIDTH)
    call = compiled(net)
    call(x).sum().backward()
    net.zero_grad()

    # The output and the bias's gradient, then the weight's.
    assert sorted(transfers(device, lambda: call(x).sum().backward())) == [
        *("download", "download", "map")
    ]
    torch.testing.assert_close(net.weight.grad, x.sum(0).repeat(WIDTH, 1), rtol=1e-4, atol=1e-4)


def test_torch_may_change_what_it_is_given(compiled: Callable[..., Callable]) -> None:
    """The tanh of a pass is kept for its gradient, so what torch changes is another one."""
    x = torch.randn(WIDTH, WIDTH, requires_grad=True)
    call = compiled(nn.Tanh())
    y = call(x)
    with torch.no_grad():
        y.detach().numpy()[...] = 0
    y.sum().backward()
    right = 1 - x.detach().tanh() ** 2

    torch.testing.assert_close(x.grad, right, rtol=1e-4, atol=1e-5)
    x.grad += 1
    torch.testing.assert_close(x.grad, right + 1, rtol=1e-4, atol=1e-5)


def test_two_outputs_that_are_one_are_two_tensors(compiled: Callable[..., Callable]) -> None:
    class Twice(nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            y = x + 1
            return y, y.view(-1)

    with torch.no_grad():
        first, second = compiled(Twice())(torch.ones(WIDTH, WIDTH))
        right, _ = Twice()(torch.ones(WIDTH, WIDTH))

    torch.testing.assert_close(first, right)
    torch.testing.assert_close(second, right.view(-1))


def test_outputs_stay_as_they_are_when_their_net_runs_again(
    compiled: Callable[..., Callable], device: Device
) -> None:
    call = compiled(nn.Hardtanh(-10, 10))
    with torch.no_grad():
        outputs = [call(torch.full((WIDTH, WIDTH), float(value))) for value in range(5)]
        gc.collect()

    assert [float(each.min()) for each in outputs] == [0, 1, 2, 3, 4]
    assert [float(each.max()) for each in outputs] == [0, 1, 2, 3, 4]
    assert device.mapped
    del outputs
    gc.collect()
    assert not device.mapped
