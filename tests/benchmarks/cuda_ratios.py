# SPDX-License-Identifier: MIT
"""Times matrix products and convolutions on an NVIDIA GPU beside torch's CUDA; run it with python.

    python cuda_ratios.py [--rounds 15] [--only matmul|conv]

Both work on the same GPU in one process and take turns; fp32 without TF32, cuDNN free to choose.
Ours are captured and replayed, because the Python around one small product is not what is asked
here. Every result is first compared with torch's in float64. Prints Markdown tables: medians in
GFLOP/s, ratios to torch, and the least and greatest ratio of any round.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyopencl as cl
import torch

from clprobe.tensor import Array, Device
from clprobe.tensor.capture import capture
from clprobe.tensor.ops import conv
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.matmul import matmul_forward

SIZES = (512, 1024, 2048, 4096, 8192)
# Images, channels, height and width, filters, kernel, stride, padding: those of PERFORMANCE.md.
SHAPES = (
    (16, 64, 56, 64, 3, 1, 1),
    (16, 128, 28, 128, 3, 1, 1),
    (16, 256, 14, 256, 3, 1, 1),
    (16, 64, 56, 256, 1, 1, 0),
    (16, 3, 224, 64, 7, 2, 3),
    (64, 64, 56, 64, 3, 1, 1),
)
# Of the largest result: a wrong kernel is off by whole products, Winograd by some millionths.
LARGEST_ERROR = 1e-4
_SAMPLE_SECONDS = 0.02

Repeat = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Work:
    """One operation in both frameworks: `ours` and `theirs` enqueue it, `exact` is its result."""

    name: str
    gflop: float
    ours: Callable[[], Array]
    theirs: Callable[[], torch.Tensor]
    exact: Callable[[], torch.Tensor]


def products(device: Device) -> Iterator[Work]:
    """Yield NN, NT and TN of every size."""
    for size in SIZES:
        host = np.random.default_rng(size).standard_normal((2, size, size)).astype(np.float32)
        a, b = (Array.from_numpy(each, device) for each in host)
        x, y = (torch.from_numpy(each).cuda() for each in host)
        for kind in ("NN", "NT", "TN"):
            first, second = (t == "T" for t in kind)

            def ours(a: Array = a, b: Array = b, ta: bool = first, tb: bool = second) -> Array:
                return matmul_forward(a, b, transpose_a=ta, transpose_b=tb)

            left, right = (x.T if first else x), (y.T if second else y)

            def theirs(p: torch.Tensor = left, q: torch.Tensor = right) -> torch.Tensor:
                return p @ q

            def exact(p: torch.Tensor = left, q: torch.Tensor = right) -> torch.Tensor:
                return p[:64].double() @ q.double()

            yield Work(f"{kind} {size}", 2 * size**3 / 1e9, ours, theirs, exact)


def convolutions(device: Device) -> Iterator[Work]:
    """Yield the three directions of every shape."""
    for images, channels, side, filters, kernel, stride, padding in SHAPES:
        generator = np.random.default_rng(side)
        host_x = generator.standard_normal((images, channels, side, side)).astype(np.float32)
        host_w = generator.standard_normal((filters, channels, kernel, kernel)).astype(np.float32)
        geometry = Geometry.of(host_x.shape, host_w.shape, stride, padding)
        host_dy = generator.standard_normal(geometry.output_shape).astype(np.float32)
        on_device = [Array.from_numpy(each, device) for each in (host_x, host_w, host_dy)]
        on_cuda = [torch.from_numpy(each).cuda() for each in (host_x, host_w, host_dy)]
        name = f"{images}x{channels}x{side} {filters} {kernel}x{kernel}/{stride}"
        gflop = 2 * host_dy.size * geometry.window / 1e9
        yield from directions(name, gflop, geometry, on_device, on_cuda)


def directions(
    name: str,
    gflop: float,
    geometry: Geometry,
    arrays: list[Array],
    tensors: list[torch.Tensor],
) -> Iterator[Work]:
    (x, w, dy), (tx, tw, tdy) = arrays, tensors
    options = {"stride": geometry.stride, "padding": geometry.padding}
    groups = geometry.groups

    def backward(at: int, *given: torch.Tensor) -> torch.Tensor:
        wanted = [at == 0, at == 1, False]
        rest = (None, *options.values(), (1, 1), False, (0, 0), groups, wanted)
        result: torch.Tensor = torch.ops.aten.convolution_backward(*given, *rest)[at]
        return result

    def in_double(at: int) -> torch.Tensor:
        return backward(at, tdy.double(), tx.double(), tw.double())

    yield Work(
        f"{name} forward",
        gflop,
        lambda: conv.conv2d_forward(x, w, geometry),
        lambda: torch.nn.functional.conv2d(tx, tw, groups=groups, **options),
        lambda: torch.nn.functional.conv2d(tx.double(), tw.double(), groups=groups, **options),
    )
    yield Work(
        f"{name} data gradient",
        gflop,
        lambda: conv.conv2d_input_gradient(dy, w, geometry),
        lambda: backward(0, tdy, tx, tw),
        lambda: in_double(0),
    )
    yield Work(
        f"{name} weight gradient",
        gflop,
        lambda: conv.conv2d_weight_gradient(dy, x, geometry),
        lambda: backward(1, tdy, tx, tw),
        lambda: in_double(1),
    )


def compare(device: Device, work: Work) -> tuple[Repeat, Repeat]:
    """Return what repeats the work in either framework, once its results have been compared."""
    # To find the fastest way takes cuDNN longer than once any way.
    with torch.backends.cudnn.flags(enabled=True, benchmark=False, allow_tf32=False):
        exact = work.exact()
    found = torch.from_numpy(work.ours().numpy()[: len(exact)]).cuda()
    error = float((found - exact).abs().max() / exact.abs().max())
    if not error <= LARGEST_ERROR:
        raise SystemExit(f"{work.name} is off by {error:.1e} of its largest value.")
    with capture(device) as step:
        work.ours()

    def ours(times: int) -> None:
        for _ in range(times):
            step.replay()
        device.finish()

    def theirs(times: int) -> None:
        for _ in range(times):
            work.theirs()
        torch.cuda.synchronize()

    return ours, theirs


def seconds(repeat: Repeat, times: int) -> float:
    started = time.perf_counter()
    repeat(times)
    return (time.perf_counter() - started) / times


def measure(device: Device, work: Work, rounds: int) -> tuple[list[float], list[float]]:
    """Return the seconds that ours and theirs took in each round; they take turns."""
    both = compare(device, work)
    times = []
    for repeat in both:
        repeat(3)
        times.append(max(1, round(_SAMPLE_SECONDS / seconds(repeat, 3))))
    samples: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for taken, repeat, count in zip(samples, both, times, strict=True):
            taken.append(seconds(repeat, count))
    return samples


def row(device: Device, work: Work, rounds: int) -> tuple[str, float]:
    """Return one line of the table, and the ratio."""
    samples = measure(device, work, rounds)
    ours, theirs = (statistics.median(taken) for taken in samples)
    ratios = [y / x for x, y in zip(*samples, strict=True)]
    figures = (f"{work.gflop / ours:.0f}", f"{work.gflop / theirs:.0f}", f"{theirs / ours:.2f}")
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return "| " + " | ".join((work.name, *figures, spread)) + " |", theirs / ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=("matmul", "conv"))
    given = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    found = [p for p in cl.get_platforms() if "NVIDIA" in p.name]
    if not found:
        raise SystemExit("No OpenCL platform of NVIDIA is visible.")
    with Device.open(found[0].get_devices()[0]) as device:
        for kind, make in (("matmul", products), ("conv", convolutions)):
            if given.only in (None, kind):
                _print(f"| {kind} | ours, GFLOP/s | torch, GFLOP/s | ratio | of any round |")
                _print("|---|---|---|---|---|")
                ratios = []
                for work in make(device):
                    line, ratio = row(device, work, given.rounds)
                    _print(line)
                    ratios.append(ratio)
                mean = math.exp(statistics.fmean(map(math.log, ratios)))
                _print(f"geometric mean {mean:.2f}, least {min(ratios):.2f}\n")


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
