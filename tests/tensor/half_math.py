# SPDX-License-Identifier: MIT
"""Products and convolutions that multiply in half, on a device that can; also a program.

    python half_math.py PART-OF-A-PLATFORM'S-NAME

prints what is wrong and exits 1 if anything is, 2 where no device has such a platform and
cl_khr_fp16. A CPU poses as a GPU, for only GPUs multiply in half; it gets small tiles, as its
compiler takes minutes over those of GPUs.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import oracles
import pyopencl as cl
import yaml
from oracles import rounded_to_half, rounding_bound

from clprobe.resources import kernels_path
from clprobe.tensor import Device, Limits, Tensor, conv2d, linear
from clprobe.tensor.autocast import INTEL, Policy, autocast
from clprobe.tensor.binary_cache import BinaryCache

CHAIN = 16
"""Products are added up in half, at most."""
_HALF_UNIT = 2.0**-11
_HALF_TINY = 2.0**-24
"""Half of the distance between two subnormal halves, and some more."""
# Rows, columns, depth: whole tiles, then edges and what is left of the depth.
SIZES = [(16, 64, 64), (7, 44, 76)]
# Images, filters, stride, padding
CONVOLUTIONS = [((2, 8, 6, 8), (12, 8, 1, 1), 1, 0), ((3, 4, 8, 8), (9, 4, 3, 3), 2, 1)]
SMALL = {
    "matmul/subgroup_half.cl": ({"ITEM_ROWS": 2, "SUB_GROUPS": 2}, [4, 32], 32),
    "matmul/tiled.cl": (
        {
            **dict.fromkeys(("TILE_ROWS", "TILE_COLUMNS"), 16),
            **dict.fromkeys(("ITEM_ROWS", "ITEM_COLUMNS"), 4),
            "TILE_DEPTH": 8,
            "UNROLL": 1,
            "HALF_MATH": 1,
        },
        [16, 16],
        16,
    ),
}
"""Tunables, tile and work-items that a CPU's compiler is fast with."""
POLICY = replace(Policy.shipped(), without_fp16=True)


def bound(terms: int, magnitude: np.ndarray) -> np.ndarray:
    """Return how far off a sum of products may be, given that of their sizes."""
    chain = CHAIN * _HALF_UNIT / (1 - CHAIN * _HALF_UNIT)
    return chain * magnitude + terms * _HALF_TINY + rounding_bound(terms, magnitude)


def failures(device: Device) -> Iterator[str]:
    """Yield what is wrong, a line each; of other makers' GPUs the products alone are computed."""
    generator = np.random.default_rng(11)
    for size in SIZES:
        yield from _product(device, generator, size)
    for case in CONVOLUTIONS if device.limits.vendor_id == INTEL else ():
        yield from _convolution(device, generator, *case)


def _product(
    device: Device, generator: np.random.Generator, size: tuple[int, int, int]
) -> Iterator[str]:
    m, n, k = size
    a, b = _halves(generator, m, k), _halves(generator, k, n)
    bias = generator.normal(size=n).astype(np.float32)
    given = [Tensor.from_numpy(each.astype(np.float32), device) for each in (a, b, b.T.copy())]
    exact, magnitude = a @ b, np.abs(a) @ np.abs(b)
    with autocast(POLICY):
        plain = given[0] @ given[1]
    right = rounded_to_half(exact, bound(k, magnitude))
    yield from _wrong(f"product {size}", plain, exact, right)
    if device.limits.vendor_id != INTEL:
        return
    with autocast(POLICY):
        layer = linear(given[0], given[2], Tensor.from_numpy(bias, device), relu=True)
    exact = np.maximum(exact + bias, 0)
    right = rounded_to_half(exact, bound(k + 1, magnitude + np.abs(bias)))
    yield from _wrong(f"linear {size}", layer, exact, right)


def _convolution(  # noqa: PLR0917 - the parts of a case
    device: Device,
    generator: np.random.Generator,
    images: tuple[int, ...],
    filters: tuple[int, ...],
    stride: int,
    padding: int,
) -> Iterator[str]:
    x, weight = _halves(generator, *images), _halves(generator, *filters)
    bias = generator.normal(size=filters[0]).astype(np.float32)
    given = [Tensor.from_numpy(each.astype(np.float32), device) for each in (x, weight, bias)]
    with autocast(POLICY):
        found = conv2d(*given, stride, padding)
    exact, magnitude = (
        oracles.conv2d(*both, stride, padding)
        for both in ((x, weight), (np.abs(x), np.abs(weight)))
    )
    column = bias.reshape(-1, 1, 1)
    exact = exact + column
    terms = int(np.prod(filters[1:])) + 1
    right = rounded_to_half(exact, bound(terms, magnitude + np.abs(column)))
    yield from _wrong(f"convolution {images} {filters}", found, exact, right)


def _halves(generator: np.random.Generator, *shape: int) -> np.ndarray:
    return generator.normal(size=shape).astype(np.float16).astype(np.float64)


def _wrong(name: str, found: Tensor, exact: np.ndarray, right: np.ndarray) -> Iterator[str]:
    off = np.abs(found.numpy() - exact)
    if found.array.dtype != np.float16:
        yield f"{name} is stored as {found.array.dtype}"
    if not (off <= right).all():
        yield f"{name} is off by {np.nanmax(off / right):.3g} times what it may be"


def with_small_tiles(folder: Path) -> Path:
    """Return a copy of the kernels whose products in half have small tiles."""
    kernels = folder / "kernels"
    shutil.copytree(kernels_path(), kernels)
    ladder = kernels / "matmul" / "half_variants.yaml"
    entries = yaml.safe_load(ladder.read_text())
    for entry in entries:
        entry["defines"], entry["tile"], entry["work_group_size"] = SMALL[entry["file"]]
    ladder.write_text(yaml.safe_dump(entries))
    return kernels


def check(cl_device: cl.Device, vendor_id: int, kernels: Path) -> Iterator[str]:
    """Yield what is wrong where the device poses as a maker's GPU."""
    limits = replace(Limits.of(cl_device), is_cpu=False, vendor_id=vendor_id)
    opened = Device.open(cl_device, limits=limits, kernels=kernels, cache=BinaryCache(None))
    with opened as device, device.record_events() as recorded:
        for line in failures(device):
            yield f"as {vendor_id:#x}: {line}"
        if [each for each in recorded if each.name == "elementwise"]:
            yield f"as {vendor_id:#x}: something was computed in float"


def main(platform: str) -> int:
    """Check the first device of a platform, as two makers' GPUs."""
    for each in cl.get_platforms():
        if platform not in each.name:
            continue
        cl_device = each.get_devices()[0]
        if "cl_khr_fp16" not in cl_device.extensions.split():
            return 2
        with tempfile.TemporaryDirectory() as folder:
            kernels = with_small_tiles(Path(folder))
            wrong = [
                line
                for vendor_id in (INTEL, 0x1002)
                for line in check(cl_device, vendor_id, kernels)
            ]
        sys.stdout.write("".join(f"{line}\n" for line in wrong))
        return 1 if wrong else 0
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
