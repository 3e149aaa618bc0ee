# SPDX-License-Identifier: MIT
"""One product to try configurations on: whether its result is right, and how long it takes."""

import time

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.ops.matmul import matmul_forward
from clprobe.tensor.ops.variants import Product, Variant

_SAMPLE_SECONDS = 0.01
# Half the distance from 1 to the next float32.
_UNIT = 2.0**-24
# What no size of a tile divides.
_ODD = Product(rows=37, columns=75, depth=29)


class Trial:
    """A product with operands on a device."""

    def __init__(self, device: Device, product: Product) -> None:
        odd = Product(
            rows=_ODD.rows,
            columns=_ODD.columns,
            depth=_ODD.depth,
            transposed=product.transposed,
        )
        self._device = device
        self._problems = [_Problem(device, product, seed=1), _Problem(device, odd, seed=2)]
        self._checked = 0

    def error(self, variant: Variant) -> str:
        """Return what is wrong about the results of a configuration, nothing if they are right.

        **Raises** BuildError, DeviceError.
        """
        for problem in self._problems:
            # Another scale each time: memory that still holds an earlier result must not pass.
            self._checked += 1
            if wrong := problem.error(variant, 2.0 ** (self._checked % 40 - 20)):
                return wrong
        return ""

    def seconds(self, variant: Variant) -> float:
        """Return how long the product takes with a configuration.

        **Raises** DeviceError.
        """
        problem, times = self._problems[0], 1
        problem.multiply(variant)
        while True:
            self._device.finish()
            started = time.perf_counter()
            for _ in range(times):
                problem.multiply(variant)
            self._device.finish()
            elapsed_s = time.perf_counter() - started
            if elapsed_s >= _SAMPLE_SECONDS:
                return elapsed_s / times
            times = max(2 * times, int(1.2 * times * _SAMPLE_SECONDS / max(elapsed_s, 1e-9)))


class _Problem:
    """Operands and what their product should be."""

    def __init__(self, device: Device, product: Product, seed: int) -> None:
        generator = np.random.default_rng(seed)
        transposed = product.transposed
        first, second = (product.rows, product.depth), (product.depth, product.columns)
        a = generator.standard_normal(first, np.float32)
        b = generator.standard_normal(second, np.float32)
        self._transposed = transposed[0] == "T", transposed[1] == "T"
        self._a = a.T.copy() if self._transposed[0] else a
        self._exact = a.astype(np.float64) @ b.astype(np.float64)
        magnitude = np.abs(a) @ np.abs(b)
        self._bound = (product.depth + 2) * _UNIT * magnitude
        self._on_device = (
            Array.from_numpy(self._a, device),
            Array.from_numpy(b.T.copy() if self._transposed[1] else b, device),
        )

    def multiply(self, variant: Variant) -> Array:
        return self._product(self._on_device[0], variant)

    def error(self, variant: Variant, scale: float) -> str:
        scaled = Array.from_numpy(self._a * np.float32(scale), self._on_device[0].device)
        found = self._product(scaled, variant).numpy()
        # A power of two scales exactly; what was never written may be anything.
        with np.errstate(all="ignore"):
            difference = np.abs(found / scale - self._exact)
        wrong = int((~(difference <= self._bound)).sum())
        return f"{wrong} of {found.size} values are wrong" if wrong else ""

    def _product(self, a: Array, variant: Variant) -> Array:
        return matmul_forward(
            a,
            self._on_device[1],
            transpose_a=self._transposed[0],
            transpose_b=self._transposed[1],
            variant=variant,
        )
