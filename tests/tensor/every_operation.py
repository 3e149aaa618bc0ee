# SPDX-License-Identifier: MIT
"""Runs every operation and its gradient once and compares with NumPy; also a program.

    python every_operation.py PART-OF-A-PLATFORM'S-NAME

prints one line per failure and exits 1 if there are any, 2 if no device has such a platform.
"""

import sys
from collections.abc import Callable

import numpy as np
import oracles
from oracles import apart, assert_close, normal, rounding_bound

from clprobe.tensor import Device, Tensor, conv2d, linear, max_pool2d, softmax_cross_entropy
from clprobe.tensor.gradcheck import check_gradients
from clprobe.tensor.optim import SGD

Case = tuple[Callable[..., Tensor], list[np.ndarray], np.ndarray, int]


def failures(device: Device) -> list[str]:
    """Return what went wrong, one line for each operation."""
    generator = np.random.default_rng(7)
    found = []
    for name, (function, arguments, exact, terms) in cases(generator).items():
        result = function(*(Tensor.from_numpy(value, device) for value in arguments)).numpy()
        magnitude = max([1.0, *(float(np.abs(value).max()) for value in arguments)]) ** 2
        try:
            assert_close(result, np.asarray(exact), rounding_bound(terms, terms * magnitude))
        except AssertionError as error:
            found.append(f"{name}: {error}")
        found += [
            f"{name}: gradient {wrong}"
            for wrong in check_gradients(function, arguments, device, generator, directions=1)
        ]
    if not sgd_is_right(device):
        found.append("sgd: wrong")
    return found


def cases(generator: np.random.Generator) -> dict[str, Case]:
    """Return function, arguments, exact result and length of the longest sum of each operation."""
    a, b = normal(generator, 5, 7), normal(generator, 7, 3)
    row, positive = normal(generator, 7), generator.uniform(1, 2, (5, 1)).astype(np.float32)
    distinct = apart(generator, 2, 1, 4, 5)
    images, filters = normal(generator, 2, 2, 4, 5), normal(generator, 3, 2, 3, 3)
    weight, logits = normal(generator, 4, 7), normal(generator, 3, 5)
    labels = np.array([0, 4, 2], np.int32)
    bias = normal(generator, 3)
    return {
        "add": (lambda x, y: x + y, [a, row], a + row, 4),
        "subtract": (lambda x, y: x - y, [a, row], a - row, 4),
        "multiply": (lambda x, y: x * y, [a, row], a * row, 4),
        "divide": (lambda x, y: x / y, [a, positive], a / positive, 8),
        "negate": (lambda x: -x, [a], -a, 1),
        "relu": (lambda x: x.relu(), [distinct], np.maximum(distinct, 0), 1),
        "matmul": (lambda x, y: x @ y, [a, b], a @ b, 14),
        "linear": (linear, [a, weight, weight[:, 0]], a @ weight.T + weight[:, 0], 16),
        "conv2d": (
            lambda x, w, v: conv2d(x, w, v, stride=2, padding=1),
            [images, filters, bias],
            oracles.conv2d(images, filters, 2, 1) + bias.reshape(-1, 1, 1),
            20,
        ),
        "max_pool2d": (
            lambda x: max_pool2d(x, 2),
            [distinct],
            oracles.max_pool2d(distinct, 2, 2),
            1,
        ),
        "flatten": (lambda x: x.flatten(), [images], images.reshape(2, -1), 1),
        "sum": (lambda x: x.sum(), [a], a.sum(dtype=np.float64), 35),
        "sum of columns": (lambda x: x.sum(0), [a], a.sum(0, dtype=np.float64), 5),
        "mean": (lambda x: x.mean(1), [a], a.mean(1, dtype=np.float64), 7),
        "softmax_cross_entropy": (
            lambda x: softmax_cross_entropy(x, labels),
            [logits],
            np.asarray(oracles.softmax_cross_entropy(logits, labels)),
            30,
        ),
    }


def sgd_is_right(device: Device) -> bool:
    """Return whether two steps follow the formula."""
    parameter = Tensor.from_numpy(np.ones(3, np.float32), device, requires_grad=True)
    optimiser = SGD([parameter], learning_rate=0.5, momentum=0.5)
    for _ in range(2):
        optimiser.zero_grad()
        parameter.sum().backward()
        optimiser.step()
    # v is 1 and then 1.5, all of it exact in binary.
    return parameter.numpy().tolist() == [-0.25] * 3


def main(platform_name: str) -> int:
    """Check every device of the platforms whose name contains `platform_name`."""
    import pyopencl as cl  # noqa: PLC0415 - failures() also serves where the caller has a device

    devices = [
        device
        for platform in cl.get_platforms()
        if platform_name in platform.name
        for device in platform.get_devices()
    ]
    for cl_device in devices:
        with Device.open(cl_device) as device:
            wrong = failures(device)
        sys.stdout.write("".join(f"{line}\n" for line in wrong))
        sys.stdout.write(f"{cl_device.name}: {len(wrong)} failures\n")
        if wrong:
            return 1
    return 0 if devices else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
