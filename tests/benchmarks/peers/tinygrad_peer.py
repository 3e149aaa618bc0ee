# SPDX-License-Identifier: MIT
"""tinygrad on its first OpenCL device, captured by its own TinyJit."""

import os
from typing import Any

os.environ |= {"CL": "1", "DEV": "CL"}

from tinygrad import Context, Device, Tensor, TinyJit, nn
from works import Chain, Convolution, Prepared, Product, Step, Work, serve


def prepare(work: Work) -> Prepared:
    values = [Tensor(value).realize() for value in work.inputs()]
    match work:
        case Product():
            return _jitted(lambda a, b: _turned(work, a, b), *values)
        case Convolution():
            return _convolution(work, *values)
        case Chain():
            return _jitted(lambda x: -(((x + 1) * 0.5 - x * x).relu() * 1.5 + 0.25), *values)
        case Step():
            return _jitted(_step(work), *values)


def _turned(work: Product, a: Tensor, b: Tensor) -> Tensor:
    return (a.T if work.transposed[0] == "T" else a) @ (b.T if work.transposed[1] == "T" else b)


def _convolution(work: Convolution, x: Tensor, weight: Tensor, dy: Tensor) -> Prepared:
    def forward(x: Tensor, weight: Tensor) -> Tensor:
        return x.conv2d(weight, stride=work.stride, padding=work.padding)

    def gradient(x: Tensor, weight: Tensor, dy: Tensor) -> Tensor:
        wanted = x if work.part == "data gradient" else weight
        return (forward(x, weight) * dy).sum().gradient(wanted)[0]

    if work.part == "forward":
        return _jitted(forward, x, weight)
    return _jitted(gradient, x, weight, dy)


def _step(work: Step) -> Any:
    pool, relu = lambda x: x.max_pool2d(), lambda x: x.relu()
    layers = (
        [nn.Linear(784, 512), relu, nn.Linear(512, 512), relu, nn.Linear(512, 10)]
        if work.net == "mlp"
        else [
            *(nn.Conv2d(1, 32, 3, padding=1), relu, pool),
            *(nn.Conv2d(32, 64, 3, padding=1), relu, pool),
            *(lambda x: x.flatten(1), nn.Linear(64 * 7 * 7, 10)),
        ]
    )
    weights = [w for layer in layers for w in nn.state.get_parameters(layer)]
    optimiser = nn.optim.SGD(weights, lr=0.01, momentum=0.9)

    def step(images: Tensor, labels: Tensor) -> Tensor:
        with Context(TRAINING=1):
            optimiser.zero_grad()
            loss = images.sequential(layers).sparse_categorical_crossentropy(labels).backward()
            return loss.realize(*optimiser.schedule_step())

    return step


def _jitted(function: Any, *values: Tensor) -> Prepared:
    jitted = TinyJit(lambda *given: function(*given).realize())
    for _ in range(3):  # run, capture, replay
        jitted(*values)
    wait = Device[Device.DEFAULT].synchronize
    return Prepared(lambda: jitted(*values), wait, lambda: jitted(*values).numpy())


if __name__ == "__main__":
    serve(prepare)
