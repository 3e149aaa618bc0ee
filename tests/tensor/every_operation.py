# SPDX-License-Identifier: MIT
"""Runs every operation and its gradient once and compares with NumPy; also a program.

    python every_operation.py PART-OF-A-PLATFORM'S-NAME [--odd-shapes] [--kinds CPU GPU]

prints one line per failure and exits 1 if there are any, 2 if no device has such a platform.
"""

import argparse
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import every_convolution
import further_operations
import numpy as np
import odd_shapes
import oracles
from gradcheck import check_gradients
from oracles import apart, assert_close, normal, rounding_bound

from clprobe.tensor import Device, Limits, Tensor, conv2d, linear, max_pool2d, softmax_cross_entropy
from clprobe.tensor.optim import SGD

Case = tuple[Callable[..., Tensor], list[np.ndarray], np.ndarray, int]


def failures(device: Device, *, odd: bool = False, only: str = "") -> list[str]:
    """Return what went wrong, one line for each operation whose name starts with `only`.

    `odd` shapes, too, take longer.
    """
    generator = np.random.default_rng(7)
    wanted: dict[str, odd_shapes.Case] = {}
    for name, (function, arguments, exact, terms) in cases(generator).items():
        magnitude = max([1.0, *(float(np.abs(value).max()) for value in arguments)]) ** 2
        bound = rounding_bound(terms, terms * magnitude)
        wanted[name] = (function, arguments, np.asarray(exact), bound)
    wanted |= further_operations.cases(generator)
    if odd:
        wanted |= odd_shapes.cases(generator)
    chosen = {name: case for name, case in wanted.items() if name.startswith(only)}
    found = [line for name, case in chosen.items() for line in _wrong(device, name, case)]
    if "sgd".startswith(only) and not sgd_is_right(device):
        found.append("sgd: wrong")
    if not only or only.startswith(("dropout", "half")):
        more = further_operations.wrong_beside_cases(device)
        found += [line for line in more if line.startswith(only)]
    if "conv2d".startswith(only):
        found += every_convolution.failures(device)
    return found


def _wrong(device: Device, name: str, case: odd_shapes.Case) -> list[str]:
    function, arguments, exact, bound = case
    result = function(*(Tensor.from_numpy(value, device) for value in arguments)).numpy()
    found = []
    try:
        assert_close(result, exact, bound)
    except AssertionError as error:
        found.append(f"{name}: {error}")
    generator = np.random.default_rng(8)
    disagreements = check_gradients(function, arguments, device, generator, directions=1)
    return found + [f"{name}: gradient {wrong}" for wrong in disagreements]


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


def main() -> int:
    """Check every device of the platforms whose name contains the given part."""
    # failures() also serves where the caller has a device, and no pyopencl of these tests is there.
    import built_once  # noqa: PLC0415
    import pyopencl as cl  # noqa: PLC0415

    parser = argparse.ArgumentParser()
    parser.add_argument("platform")
    parser.add_argument("--odd-shapes", action="store_true", help="take shapes that end mid-tile")
    parser.add_argument("--kinds", nargs="+", choices=("CPU", "GPU"), help="open devices as these")
    parser.add_argument("--only", default="", help="how the names of operations begin")
    parser.add_argument("--kernels", type=Path, help="another folder of kernels")
    parser.add_argument("--unoptimized", action="store_true", help="let PoCL build in less time")
    given = parser.parse_args()
    devices = [
        device
        for platform in cl.get_platforms()
        if given.platform in platform.name
        for device in platform.get_devices()
    ]
    wrong: list[str] = []
    for cl_device in devices:
        own = Limits.of(cl_device)
        for kind in given.kinds or ["CPU" if own.is_cpu else "GPU"]:
            limits = replace(own, is_cpu=kind == "CPU")
            builds = nullcontext() if given.unoptimized else built_once.optimized()
            with (
                built_once.each_source_built_once(),
                builds,
                Device.open(cl_device, limits=limits, kernels=given.kernels) as device,
            ):
                found = failures(device, odd=given.odd_shapes, only=given.only)
            sys.stdout.write("".join(f"{line}\n" for line in found))
            sys.stdout.write(f"{cl_device.name} as {kind}: {len(found)} failures\n")
            wrong += found
    return 2 if not devices else int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
