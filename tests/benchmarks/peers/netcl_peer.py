# SPDX-License-Identifier: MIT
"""netcl on its own choice among the visible OpenCL devices."""

from typing import Any

import numpy as np
from netcl import autograd, nn
from netcl.core.device import manager
from netcl.core.tensor import Tensor
from netcl.ops import conv2d, matmul
from netcl.ops.conv2d import conv2d_backward
from netcl.optim import SGD
from works import Chain, Convolution, Prepared, Product, Step, UnsupportedError, Work, serve


def prepare(work: Work) -> Prepared:
    match work:
        case Product(transposed="NN"):
            a, b = (_tensor(value) for value in work.inputs())
            return _on_device(lambda: matmul(a, b))
        case Product():
            # It has no transposed product; a user would copy the operand.
            raise UnsupportedError("netcl has no product of a transposed matrix")
        case Convolution():
            return _on_device(_convolution(work))
        case Step():
            return _on_device(_step(work))
        case Chain():
            return _on_device(_chain(work))


def _convolution(work: Convolution) -> Any:
    x, weight, dy = (_tensor(value) for value in work.inputs())
    given = {"stride": work.stride, "pad": work.padding}
    if work.part == "forward":
        return lambda: conv2d(x, weight, **given)
    if work.part == "data gradient":
        raise UnsupportedError("netcl gives both gradients at once, timed as the weight gradient's")
    return lambda: conv2d_backward(x, weight, dy, need_grad_x=False, **given)[1]


def _chain(work: Chain) -> Any:
    x = autograd.tensor(_tensor(*work.inputs()))

    def compute() -> Tensor:
        y = autograd.relu(autograd.sub(autograd.mul(autograd.add(x, 1.0), 0.5), autograd.mul(x, x)))
        return autograd.mul(autograd.add(autograd.mul(y, 1.5), 0.25), -1.0).value

    return compute


def _step(work: Step) -> Any:
    images, labels = work.inputs()
    layers = (
        (
            *(nn.Linear(QUEUE, 784, 512), nn.ReLU(), nn.Linear(QUEUE, 512, 512), nn.ReLU()),
            nn.Linear(QUEUE, 512, 10),
        )
        if work.net == "mlp"
        else (
            *(nn.Conv2d(QUEUE, 1, 32, 3, pad=1), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(QUEUE, 32, 64, 3, pad=1), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Flatten(), nn.Linear(QUEUE, 64 * 7 * 7, 10)),
        )
    )
    net = nn.Sequential(*layers)
    optimiser = SGD(net.parameters(), lr=0.01, momentum=0.9)
    x = _tensor(images)
    wanted = _tensor(np.eye(10, dtype=np.float32)[labels])

    def step() -> Tensor:
        optimiser.zero_grad()
        with autograd.Tape() as tape:
            loss = autograd.cross_entropy(net(autograd.tensor(x)), autograd.tensor(wanted))
        tape.backward(loss)
        optimiser.step()
        return loss.value

    return step


def _tensor(values: np.ndarray) -> Tensor:
    return Tensor.from_host(QUEUE, values)


def _on_device(compute: Any) -> Prepared:
    return Prepared(compute, QUEUE.finish, lambda: compute().to_host())


if __name__ == "__main__":
    QUEUE = manager.default().queue
    serve(prepare)
