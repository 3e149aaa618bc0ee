# SPDX-License-Identifier: MIT
"""torch on the CPU, eager."""

from typing import Any

import torch
from torch.nn import Conv2d, CrossEntropyLoss, Flatten, Linear, MaxPool2d, ReLU, Sequential
from works import Chain, Convolution, Prepared, Product, Step, Work, serve

CPU = torch.device("cpu")


def prepare(work: Work, device: torch.device = CPU, wait: Any = lambda: None) -> Prepared:
    values = [torch.from_numpy(value).to(device) for value in work.inputs()]
    compute = _computation(work, values)
    return Prepared(compute, wait, lambda: compute().cpu().numpy())


def _computation(work: Work, values: list[torch.Tensor]) -> Any:
    match work:
        case Product():
            a, b = values
            a = a.T if work.transposed[0] == "T" else a
            b = b.T if work.transposed[1] == "T" else b
            return lambda: a @ b
        case Convolution():
            x, weight, dy = values
            given = {"stride": work.stride, "padding": work.padding}
            grad = torch.nn.grad
            backward = torch.ops.aten.convolution_backward
            stride, padding = [work.stride] * 2, [work.padding] * 2
            rest = (None, stride, padding, [1, 1], False, [0, 0], 1)
            parts = {
                "forward": lambda: torch.nn.functional.conv2d(x, weight, **given),
                "data gradient": lambda: grad.conv2d_input(x.shape, weight, dy, **given),
                # torch.nn.grad's has a weight without memory, which pytorch_dlprim refuses.
                "weight gradient": lambda: backward(dy, x, weight, *rest, (False, True, False))[1],
            }
            return parts[work.part]
        case Chain():
            (x,) = values
            return lambda: -(((x + 1) * 0.5 - x * x).relu() * 1.5 + 0.25)
        case Step():
            return _step(work, *values)


def _step(work: Step, images: torch.Tensor, labels: torch.Tensor) -> Any:
    layers = (
        (Linear(784, 512), ReLU(), Linear(512, 512), ReLU(), Linear(512, 10))
        if work.net == "mlp"
        else (
            *(Conv2d(1, 32, 3, padding=1), ReLU(), MaxPool2d(2)),
            *(Conv2d(32, 64, 3, padding=1), ReLU(), MaxPool2d(2)),
            *(Flatten(), Linear(64 * 7 * 7, 10)),
        )
    )
    net, loss_of = Sequential(*layers).to(images.device), CrossEntropyLoss()
    classes = labels.long()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def step() -> torch.Tensor:
        optimiser.zero_grad()
        loss = loss_of(net(images), classes)
        loss.backward()
        optimiser.step()
        return loss.detach()

    return step


if __name__ == "__main__":
    torch.manual_seed(1)
    serve(prepare)
