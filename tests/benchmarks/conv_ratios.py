# SPDX-License-Identifier: MIT
"""Times our convolutions on every CPU device that is visible, beside torch; run it with python.

    python conv_ratios.py [--rounds 9] [--only 3x3] [--directions forward] [--batch 16]

Prints a Markdown table: medians in GFLOP/s of the definition's operations, whatever the algorithm
saves; the ratio of the best device to torch; and the least and greatest ratio of any round. Results
are checked against torch before anything is timed. OCL_ICD_VENDORS chooses the ICDs.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyopencl as cl
import torch

from clprobe.tensor import Array, Device
from clprobe.tensor.ops import conv
from clprobe.tensor.ops.conv.geometry import Direction, Geometry

# Channels, height and width, filters, kernel, stride, padding: those of PERFORMANCE.md.
SHAPES = [
    (64, 56, 64, 3, 1, 1),
    (128, 28, 128, 3, 1, 1),
    (256, 14, 256, 3, 1, 1),
    (64, 56, 256, 1, 1, 0),
    (3, 224, 64, 7, 2, 3),
]
# Threads that wait for work by spinning would take the next contestant's time.
_PAUSE_SECONDS = 0.01
# Of the largest result: a wrong kernel is off by whole products, Winograd by some millionths.
_LARGEST_ERROR = 1e-4

Run = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Work:
    """One direction of one convolution, with operands on the host."""

    name: str
    direction: Direction
    geometry: Geometry
    x: torch.Tensor
    weight: torch.Tensor
    dy: torch.Tensor

    @property
    def operands(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what the direction takes, in its order."""
        return {
            Direction.FORWARD: (self.x, self.weight),
            Direction.INPUT_GRADIENT: (self.dy, self.weight),
            Direction.WEIGHT_GRADIENT: (self.dy, self.x),
        }[self.direction]

    @property
    def gflop(self) -> float:
        """Return the operations of the definition."""
        return 2 * self.dy.numel() * self.geometry.window / 1e9

    def with_torch(self) -> torch.Tensor:
        """Compute it on the CPU with torch."""
        stride, padding = self.geometry.stride, self.geometry.padding
        if self.direction is Direction.FORWARD:
            return torch.nn.functional.conv2d(self.x, self.weight, stride=stride, padding=padding)
        wanted = [self.direction is Direction.INPUT_GRADIENT]
        wanted += [not wanted[0], False]
        options = (None, stride, padding, (1, 1), False, (0, 0), 1, wanted)
        results = torch.ops.aten.convolution_backward(self.dy, self.x, self.weight, *options)
        return results[0 if wanted[0] else 1]


def work(batch: int, shape: tuple[int, ...]) -> list[Work]:
    """Return the three directions of a convolution of random values."""
    channels, size, filters, kernel, stride, padding = shape
    generator = torch.Generator().manual_seed(11)
    x = torch.randn(batch, channels, size, size, generator=generator)
    weight = torch.randn(filters, channels, kernel, kernel, generator=generator)
    geometry = Geometry.of(tuple(x.shape), tuple(weight.shape), stride, padding)
    dy = torch.randn(*geometry.output_shape, generator=generator)
    name = f"{batch}x{channels}x{size} {filters} {kernel}x{kernel}/{stride}"
    return [Work(name, direction, geometry, x, weight, dy) for direction in Direction]


def on_device(device: Device, job: Work) -> Run:
    """Return what computes it on a device, once its result has matched torch's."""
    first, second = (Array.from_numpy(operand.numpy(), device) for operand in job.operands)
    compute = {
        Direction.FORWARD: conv.conv2d_forward,
        Direction.INPUT_GRADIENT: conv.conv2d_input_gradient,
        Direction.WEIGHT_GRADIENT: conv.conv2d_weight_gradient,
    }[job.direction]
    expected = job.with_torch().numpy()
    error = np.abs(compute(first, second, job.geometry).numpy() - expected).max()
    if error > _LARGEST_ERROR * np.abs(expected).max():
        raise SystemExit(f"{device.name}: {job.name} {job.direction.value} is off by {error}.")

    def run() -> None:
        compute(first, second, job.geometry)
        device.finish()

    return run


def measure(runs: dict[str, Run], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each contestant in each round; they take turns."""
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            time.sleep(_PAUSE_SECONDS)
            started = time.perf_counter()
            run()
            samples[name].append(time.perf_counter() - started)
    return samples


def row(job: Work, samples: dict[str, list[float]]) -> str:
    """Return one line of the table."""
    median = {name: statistics.median(values) for name, values in samples.items()}
    best = min((name for name in median if name != "torch"), key=median.__getitem__)
    ratios = [x / y for x, y in zip(samples["torch"], samples[best], strict=True)]
    cells = [
        job.name,
        job.direction.value,
        *(f"{job.gflop / each:.0f}" for each in median.values()),
    ]
    cells.append(f"{median['torch'] / median[best]:.2f}")
    cells.append(f"{min(ratios):.2f} to {max(ratios):.2f}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--only", default="", help="part of a convolution's name")
    parser.add_argument("--directions", default="", help="part of a direction's name")
    given = parser.parse_args()
    devices = {
        " ".join((platform.name.split()[0], *platform.version.split()[3:4])): Device.open(device)
        for platform in cl.get_platforms()
        for device in platform.get_devices(cl.device_type.CPU)
    }
    names = ["torch", *devices]
    print(  # noqa: T201
        f"| GFLOP/s | direction | {' | '.join(names)} | best / torch | of any round |\n"
        + "|---" * (len(names) + 4)
        + "|",
        flush=True,
    )
    for shape in SHAPES:
        for job in work(given.batch, shape):
            if given.only not in job.name or given.directions not in job.direction.value:
                continue
            runs: dict[str, Run] = {"torch": job.with_torch}
            runs |= {name: on_device(device, job) for name, device in devices.items()}
            print(row(job, measure(runs, given.rounds)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
