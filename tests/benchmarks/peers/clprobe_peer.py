# SPDX-License-Identifier: MIT
"""clprobe's own framework on the first OpenCL device."""

from typing import Any

import numpy as np
import pyopencl as cl
from works import Chain, Convolution, Prepared, Product, Step, Work, serve

from clprobe.tensor import Array, Device, Tensor, conv2d, nn, optim, softmax_cross_entropy
from clprobe.tensor.ops import conv
from clprobe.tensor.ops.matmul import matmul_forward


def prepare(work: Work) -> Prepared:
    values = [Tensor.from_numpy(value, DEVICE) for value in work.inputs()]
    match work:
        case Product():
            a, b = (value.array for value in values)
            transposes = (letter == "T" for letter in work.transposed)
            given = dict(zip(("transpose_a", "transpose_b"), transposes, strict=True))
            return _on_device(lambda: matmul_forward(a, b, **given))
        case Convolution():
            return _on_device(_convolution(work, *(value.array for value in values)))
        case Chain():
            (x,) = values
            return _on_device(lambda: _computed(-(((x + 1) * 0.5 - x * x).relu() * 1.5 + 0.25)))
        case Step():
            return _on_device(_step(work, *values))


def _convolution(work: Convolution, x: Array, weight: Array, dy: Array) -> Any:
    if work.part == "forward":
        given = (None, work.stride, work.padding)
        pair = Tensor(x, requires_grad=False), Tensor(weight, requires_grad=False)
        return lambda: _computed(conv2d(*pair, *given))
    pull = conv.conv2d(x, weight, stride=work.stride, padding=work.padding).gradients
    return lambda: pull[work.part == "weight gradient"](dy)


def _step(work: Step, images: Tensor, labels: Tensor) -> Any:
    given: dict[str, Any] = {"device": DEVICE, "generator": np.random.default_rng(1)}
    layers = (
        (
            *(nn.Linear(784, 512, **given), nn.ReLU(), nn.Linear(512, 512, **given), nn.ReLU()),
            nn.Linear(512, 10, **given),
        )
        if work.net == "mlp"
        else (
            *(nn.Conv2d(1, 32, 3, padding=1, **given), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(32, 64, 3, padding=1, **given), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Linear(64 * 7 * 7, 10, **given)),
        )
    )
    net = nn.Sequential(*layers)
    optimiser = optim.SGD(net.parameters(), 0.01, momentum=0.9)

    def step() -> Array:
        optimiser.zero_grad()
        loss = softmax_cross_entropy(net(images), labels)
        loss.backward()
        optimiser.step()
        return _computed(loss)

    return step


def _computed(tensor: Tensor) -> Array:
    """Return the values, for a chain is computed when they are asked for."""
    assert tensor.array.buffer
    return tensor.array


def _on_device(compute: Any) -> Prepared:
    return Prepared(compute, DEVICE.finish, lambda: compute().numpy())


if __name__ == "__main__":
    DEVICE = Device.open(cl.get_platforms()[0].get_devices()[0])
    serve(prepare)
