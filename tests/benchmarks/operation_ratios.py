# SPDX-License-Identifier: MIT
"""Times norms, softmax, pools and activations on every visible CPU device, beside torch.

    python operation_ratios.py [--rounds 15] [--only softmax]

Prints a Markdown table: milliseconds of CPU time, of all threads together, so that other work on
the machine counts little, the fastest of all rounds, in which the contestants take turns; and the
best device's time as a multiple of torch's. torch has one thread, for others would wait by
spinning. Results are checked against torch before anything is timed. OCL_ICD_VENDORS chooses ICDs.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyopencl as cl
import torch
from torch.nn import functional

from clprobe.tensor import Array, Device, Tensor, functions, tape
from clprobe.tensor.ops import elementwise
from clprobe.tensor.ops.norm import Running

# Threads that wait for work by spinning would take the next contestant's time.
_PAUSE_SECONDS = 0.01
_LARGEST_ERROR = 1e-4
_REPEATS = 5

Run = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Work:
    """One operation on random values, by us and by torch, and whether its gradient is timed."""

    shape: tuple[int, ...]
    ours: Callable[..., Tensor]
    torchs: Callable[..., torch.Tensor]
    parameters: int = 0
    """How many vectors as long as the second axis it takes further."""
    backward: bool = False

    def operands(self) -> list[np.ndarray]:
        """Return the values, and the vectors."""
        generator = np.random.default_rng(11)
        shapes = [self.shape, *[self.shape[1:2]] * self.parameters]
        return [generator.standard_normal(shape).astype(np.float32) for shape in shapes]

    def with_torch(self) -> Callable[[], torch.Tensor]:
        """Return what computes it with torch."""
        given = [torch.from_numpy(each).requires_grad_(self.backward) for each in self.operands()]
        upstream: dict[tuple[int, ...], torch.Tensor] = {}

        def run() -> torch.Tensor:
            y = self.torchs(*given)
            if not self.backward:
                return y
            if y.shape not in upstream:
                upstream[y.shape] = torch.from_numpy(_gradient(tuple(y.shape)))
            return torch.autograd.grad(y, given, upstream[y.shape])[0]

        return run

    def on_device(self, device: Device) -> Callable[[], Array]:
        """Return what computes it on a device."""
        given = [Tensor.from_numpy(each, device, self.backward) for each in self.operands()]
        upstream: dict[tuple[int, ...], Array] = {}

        def run() -> Array:
            y = self.ours(*given)
            if not self.backward:
                y.array.buffer  # noqa: B018 - what is pending is computed for those who ask
                return y.array
            for each in given:
                each.grad = None
            if y.shape not in upstream:
                upstream[y.shape] = Array.from_numpy(_gradient(y.shape), device)
            tape.backward(y, upstream[y.shape], lambda a, b: elementwise.apply("add", a, b))
            gradients = [each.grad for each in given if each.grad is not None]
            for gradient in gradients:
                gradient.buffer  # noqa: B018
            return gradients[0]

        return run


def _gradient(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(12).standard_normal(shape).astype(np.float32)


def batch_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Normalise a batch, with new running values each time."""
    channels = (x.shape[1],)
    moments = Array.full(x.device, channels, 0.0), Array.full(x.device, channels, 1.0)
    return functions.batch_norm(x, weight, bias, Running(*moments), training=True)


def torch_batch_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Normalise a batch, with new running values each time."""
    moments = torch.zeros(x.shape[1]), torch.ones(x.shape[1])
    return functional.batch_norm(x, *moments, weight, bias, training=True)


def works() -> Mapping[str, Work]:
    """Return what is timed, by name."""
    images = (16, 64, 56, 56)
    forward = {
        "softmax 4096x1000": Work((4096, 1000), functions.softmax, lambda x: x.softmax(-1)),
        "log-softmax 4096x1000": Work(
            (4096, 1000), functions.log_softmax, lambda x: x.log_softmax(-1)
        ),
        "layer-norm 4096x768": Work(
            (4096, 768),
            functions.layer_norm,
            lambda x, w, b: functional.layer_norm(x, w.shape, w, b),
            2,
        ),
        "average pool 2x2 16x64x56x56": Work(
            images, lambda x: functions.avg_pool2d(x, 2), lambda x: functional.avg_pool2d(x, 2)
        ),
        "average pool 3x3/2 16x64x56x56": Work(
            images,
            lambda x: functions.avg_pool2d(x, 3, 2, 1),
            lambda x: functional.avg_pool2d(x, 3, 2, 1),
        ),
        "global average 16x64x56x56": Work(
            images,
            functions.global_avg_pool2d,
            lambda x: functional.adaptive_avg_pool2d(x, 1),
        ),
        "gelu 4096x768": Work((4096, 768), functions.gelu, functional.gelu),
        "batch-norm 64x512": Work((64, 512), batch_norm, torch_batch_norm, 2),
        "batch-norm 16x64x56x56": Work(images, batch_norm, torch_batch_norm, 2),
    }
    both = {
        f"{name}, gradients": Work(each.shape, each.ours, each.torchs, each.parameters, True)
        for name, each in forward.items()
    }
    return forward | both


def matched(device: Device, name: str, job: Work) -> Run:
    """Return what computes it on a device, once its result has matched torch's."""
    expected = job.with_torch()().detach().numpy()
    compute = job.on_device(device)
    error = np.abs(compute().numpy() - expected).max()
    if not error <= _LARGEST_ERROR * np.abs(expected).max():
        raise SystemExit(f"{device.name}: {name} is off by {error}.")

    def run() -> None:
        compute()
        device.finish()

    return run


def measure(runs: dict[str, Run], rounds: int) -> dict[str, float]:
    """Return the least CPU time of each contestant, in seconds."""
    least = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            time.sleep(_PAUSE_SECONDS)
            run()
            started = time.process_time()
            for _ in range(_REPEATS):
                run()
            least[name] = min(least[name], (time.process_time() - started) / _REPEATS)
    return least


def row(name: str, least: dict[str, float]) -> str:
    """Return one line of the table."""
    best = min(each for contestant, each in least.items() if contestant != "torch")
    cells = [name, *(f"{1e3 * each:.3f}" for each in least.values())]
    return "| " + " | ".join([*cells, f"{best / least['torch']:.2f}"]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="part of an operation's name")
    parser.add_argument("--without", default="no such device", help="part of a device's label")
    given = parser.parse_args()
    found = {
        " ".join((platform.name.split()[0], *platform.version.split()[3:4])): device
        for platform in cl.get_platforms()
        for device in platform.get_devices(cl.device_type.CPU)
    }
    devices = {
        label: Device.open(device) for label, device in found.items() if given.without not in label
    }
    names = ["ms", "torch", *devices, "best / torch"]
    print(f"| {' | '.join(names)} |\n" + "|---" * len(names) + "|", flush=True)  # noqa: T201
    torch.set_num_threads(1)
    for name, job in works().items():
        if given.only not in name:
            continue
        runs: dict[str, Run] = {"torch": job.with_torch()}
        runs |= {label: matched(device, name, job) for label, device in devices.items()}
        print(row(name, measure(runs, given.rounds)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
