# SPDX-License-Identifier: MIT
"""Runs every algorithm of a convolution for CPUs once, on whatever device there is."""

import numpy as np
import oracles
from oracles import normal

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device
from clprobe.tensor.errors import BuildError
from clprobe.tensor.ops.conv.choose import ALGORITHMS, load_entries
from clprobe.tensor.ops.conv.geometry import Direction, Geometry
from clprobe.tensor.ops.epilogue import NO_EPILOGUE

# Winograd's bound is three hundred times the definition's: test_conv_winograd.py.
_TOLERANCE = 1e-4


def failures(device: Device) -> list[str]:
    """Return what went wrong, one line for each algorithm and direction."""
    generator = np.random.default_rng(5)
    images, weight = normal(generator, 1, 2, 7, 6), normal(generator, 7, 2, 3, 3)
    geometry = Geometry.of(images.shape, weight.shape, 1, 1)
    dy = normal(generator, *geometry.output_shape)
    cases = {
        Direction.FORWARD: (images, weight, oracles.conv2d(images, weight, 1, 1)),
        Direction.INPUT_GRADIENT: (
            *(dy, weight),
            oracles.conv2d_input_gradient(dy, weight, images.shape, 1, 1),
        ),
        Direction.WEIGHT_GRADIENT: (
            *(dy, images),
            oracles.conv2d_weight_gradient(dy, images, weight.shape, 1, 1),
        ),
    }
    found = []
    for entry in load_entries(kernels_path() / "conv" / "variants.yaml"):
        if entry.device.get("is_cpu", device.limits.is_cpu) != device.limits.is_cpu:
            continue
        for direction in sorted(entry.directions, key=str):
            first, second, exact = cases[direction]
            try:
                plan = ALGORITHMS[entry.algorithm](device, direction, geometry, entry.defines)
            except BuildError as error:
                # What a small device cannot hold is left to the entries after it.
                if "fits" not in error.message:
                    found.append(f"conv2d by {entry.name}, {direction.value}: {error.message}")
                continue
            if plan is None:
                continue
            operands = (Array.from_numpy(first, device), Array.from_numpy(second, device))
            error = np.abs(plan(*operands, NO_EPILOGUE).numpy() - exact).max()
            if not error <= _TOLERANCE * np.abs(exact).max():
                found.append(f"conv2d by {entry.name}, {direction.value}: off by {error}")
    return found
