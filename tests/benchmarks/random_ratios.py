# SPDX-License-Identifier: MIT
"""Times products and convolutions of random sizes on an NVIDIA GPU beside torch's CUDA.

    python random_ratios.py SEED [--only matmul|conv] [--rounds 5] [--json FILE]

Products have 1 to 4096 rows, columns and terms, half of them drawn evenly and half by magnitude, at
least half a GFLOP, and either operand may be transposed. Convolutions are layers of nets that many
people train, with 8 to 32 images, in all three directions. The rest is as in cuda_ratios.py: one
process, contestants in turns, fp32 without TF32, results compared with float64 first. Prints peak
and bandwidth, Markdown tables of medians, and geometric mean and least of the ratios to torch.
"""

import argparse
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyopencl as cl
import torch
from cuda_ratios import Work, directions, measure, seconds

from clprobe.bench.peaks import multiply_and_add
from clprobe.tensor import Array, Device
from clprobe.tensor.ops.conv.geometry import Geometry
from clprobe.tensor.ops.matmul import matmul_forward

PRODUCTS = 60
CONVOLUTIONS = 40
LARGEST = 4096
LEAST_GFLOP = 0.5
IMAGES = (8, 16, 32)

Layer = tuple[int, int, int, int, int, int]
"""Channels, height and width, filters, kernel, stride, groups; padding is half of the kernel."""


def resnet50() -> Iterator[Layer]:
    yield 3, 224, 64, 7, 2, 1
    channels = 64
    for size, width, stride in ((56, 64, 1), (56, 128, 2), (28, 256, 2), (14, 512, 2)):
        yield channels, size, width, 1, 1, 1
        yield width, size, width, 3, stride, 1
        yield width, size // stride, 4 * width, 1, 1, 1
        yield channels, size, 4 * width, 1, stride, 1
        yield 4 * width, size // stride, width, 1, 1, 1
        yield width, size // stride, width, 3, 1, 1
        channels = 4 * width


def mobile(blocks: tuple[tuple[int, int, int, int, int], ...], head: int) -> Iterator[Layer]:
    """Yield inverted residuals of kernel, channels, expansion, stride and filters."""
    size = 112
    yield 3, 224, 32, 3, 2, 1
    for kernel, channels, expansion, stride, filters in blocks:
        wide = channels * expansion
        if expansion > 1:
            yield channels, size, wide, 1, 1, 1
        yield wide, size, wide, kernel, stride, wide
        size //= stride
        yield wide, size, filters, 1, 1, 1
    yield blocks[-1][-1], size, head, 1, 1, 1


def mobilenet_v2() -> Iterator[Layer]:
    rows = ((16, 1, 1, 32), (24, 6, 2, 16), (24, 6, 1, 24), (32, 6, 2, 24), (32, 6, 1, 32))
    rows += ((64, 6, 2, 32), (64, 6, 1, 64), (96, 6, 1, 64), (96, 6, 1, 96), (160, 6, 2, 96))
    rows += ((160, 6, 1, 160), (320, 6, 1, 160))
    yield from mobile(tuple((3, c, e, s, f) for f, e, s, c in rows), 1280)


def efficientnet_b0() -> Iterator[Layer]:
    rows = ((3, 32, 1, 1, 16), (3, 16, 6, 2, 24), (3, 24, 6, 1, 24), (5, 24, 6, 2, 40))
    rows += ((5, 40, 6, 1, 40), (3, 40, 6, 2, 80), (3, 80, 6, 1, 80), (5, 80, 6, 1, 112))
    rows += ((5, 112, 6, 1, 112), (5, 112, 6, 2, 192), (5, 192, 6, 1, 192), (3, 192, 6, 1, 320))
    yield from mobile(rows, 1280)


def u_net() -> Iterator[Layer]:
    channels = 3
    for size, width in ((256, 64), (128, 128), (64, 256), (32, 512), (16, 1024)):
        yield channels, size, width, 3, 1, 1
        yield width, size, width, 3, 1, 1
        if width < 1024:
            yield 2 * width, size, width, 3, 1, 1
            yield width, size, 2 * width, 2, 2, 1
        channels = width
    yield 64, 256, 2, 1, 1, 1


def vgg16() -> Iterator[Layer]:
    channels = 3
    for size, width in ((224, 64), (112, 128), (56, 256), (28, 512), (14, 512)):
        yield channels, size, width, 3, 1, 1
        yield width, size, width, 3, 1, 1
        channels = width


NETS = {
    "ResNet-50": tuple(resnet50()),
    "MobileNetV2": tuple(mobilenet_v2()),
    "U-Net": tuple(u_net()),
    "VGG-16": tuple(vgg16()),
    "EfficientNet-B0": tuple(efficientnet_b0()),
}


def products(device: Device, seed: int) -> Iterator[tuple[str, Work]]:
    """Yield each product with what kind it is."""
    random = np.random.default_rng(seed)
    for number in range(PRODUCTS):
        m = n = k = 0
        while 2 * m * n * k < LEAST_GFLOP * 1e9:
            drawn = random.uniform(size=3)
            sizes = LARGEST**drawn if number % 2 else 1 + LARGEST * drawn
            m, n, k = (min(LARGEST, round(size)) for size in sizes.tolist())
        kind = ("NN", "NT", "TN")[number % 3]
        yield kind, product(device, kind, (m, n, k))


def product(device: Device, kind: str, sizes: tuple[int, int, int]) -> Work:
    m, n, k = sizes
    first, second = (letter == "T" for letter in kind)
    x, y = (
        torch.randn(shape[:: -1 if turned else 1], device="cuda")
        for shape, turned in (((m, k), first), ((k, n), second))
    )
    a, b = (Array.from_numpy(each.cpu().numpy(), device) for each in (x, y))
    left, right = (x.T if first else x), (y.T if second else y)
    return Work(
        f"{kind} {m} x {n} x {k}",
        2 * m * n * k / 1e9,
        lambda: matmul_forward(a, b, transpose_a=first, transpose_b=second),
        lambda: left @ right,
        lambda: left.double() @ right.double(),
    )


def convolutions(device: Device, seed: int) -> Iterator[tuple[str, Work]]:
    """Yield each direction of each convolution with which direction it is."""
    random = np.random.default_rng(seed)
    drawn: set[tuple[int, Layer]] = set()
    while len(drawn) < CONVOLUTIONS:
        net = list(NETS)[random.integers(len(NETS))]
        layer = NETS[net][random.integers(len(NETS[net]))]
        images = IMAGES[random.integers(len(IMAGES))]
        if (images, layer) in drawn:
            continue
        drawn.add((images, layer))
        yield from convolution(device, net, images, layer)


def convolution(device: Device, net: str, images: int, layer: Layer) -> Iterator[tuple[str, Work]]:
    channels, side, filters, kernel, stride, groups = layer
    padding = kernel // 2 if kernel % 2 else 0
    shapes = [(images, channels, side, side), (filters, channels // groups, kernel, kernel)]
    geometry = Geometry.of(shapes[0], shapes[1], stride, padding, 1, groups)
    on_cuda = [torch.randn(each, device="cuda") for each in (*shapes, geometry.output_shape)]
    on_device = [Array.from_numpy(each.cpu().numpy(), device) for each in on_cuda]
    kind = "depthwise " if groups == channels else ""
    name = f"{net}: {images}x{channels}x{side} {kind}{filters} {kernel}x{kernel}/{stride}"
    gflop = 2 * math.prod(geometry.output_shape) * geometry.window / 1e9
    names = ("forward", "data gradient", "weight gradient")
    works = directions(name, gflop, geometry, on_device, on_cuda)
    yield from zip(names, works, strict=True)


def report(device: Device, kind: str, seed: int, rounds: int) -> list[dict[str, object]]:
    """Print a table for one kind of work, and return its figures."""
    make = products if kind == "matmul" else convolutions
    _print(f"| {kind}, seed {seed} | ours, GFLOP/s | torch, GFLOP/s | ratio | of any round |")
    _print("|---|---|---|---|---|")
    of_group: dict[str, list[float]] = defaultdict(list)
    figures: list[dict[str, object]] = []
    for group, work in make(device, seed):
        ours, theirs = measure(device, work, rounds)
        device.pool.trim()
        torch.cuda.empty_cache()
        ratios = [y / x for x, y in zip(ours, theirs, strict=True)]
        medians = statistics.median(ours), statistics.median(theirs)
        ratio = medians[1] / medians[0]
        of_group[group].append(ratio)
        each = (f"{work.gflop / taken:.0f}" for taken in medians)
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        _print("| " + " | ".join((work.name, *each, f"{ratio:.2f}", spread)) + " |")
        figures.append(
            {"name": work.name, "gflop": work.gflop, "ours": medians[0], "torch": medians[1]}
        )
    together = [ratio for ratios in of_group.values() for ratio in ratios]
    for group, ratios in {**of_group, "all": together}.items():
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        _print(f"{kind} {group}: geometric mean {mean:.2f}, least {min(ratios):.2f}")
    return figures


def copied_gigabytes_per_second() -> float:
    """Return what torch copies on the GPU, read and written."""
    source = torch.empty(1 << 28, device="cuda")
    target = torch.empty_like(source)

    def copy(times: int) -> None:
        for _ in range(times):
            target.copy_(source)
        torch.cuda.synchronize()

    copy(3)
    return 8 * source.numel() / seconds(copy, 20) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("matmul", "conv"))
    parser.add_argument("--json", type=Path, help="also write the figures there")
    given = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(given.seed)
    found = [p for p in cl.get_platforms() if "NVIDIA" in p.name]
    if not found:
        raise SystemExit("No OpenCL platform of NVIDIA is visible.")
    with Device.open(found[0].get_devices()[0]) as device:
        chain = multiply_and_add(device)
        _print(
            f"{device.name}, driver {device.cl_device.driver_version}, torch {torch.__version__}: "
            f"{chain[0] if chain else 0:.0f} GFLOP/s of multiply-adds, "
            f"{copied_gigabytes_per_second():.0f} GB/s copied\n"
        )
        figures = [
            figure
            for kind in ("matmul", "conv")
            if given.only in (None, kind)
            for figure in report(device, kind, given.seed, given.rounds)
        ]
    if given.json:
        given.json.write_text(json.dumps(figures), encoding="utf-8")


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
