# SPDX-License-Identifier: MIT
"""Measures configurations on a device and keeps the fastest right ones for later processes."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.errors import BuildError, DeviceError
from clprobe.tensor.ops.matmul import in_order_of_preference, matmul_forward, tables_of
from clprobe.tensor.ops.variants import Product, Variant
from clprobe.tensor.tuning.space import estimate, exceeds, load_space
from clprobe.tensor.tuning.table import Tuned, save

_FINALISTS = 4
_ROUNDS = 7
# Less than this is within the spread of one run: the configuration in use stays.
_GAIN = 0.02
_SAMPLE_SECONDS = 0.01
# Half the distance from 1 to the next float32.
_UNIT = 2.0**-24
# What no size of a tile divides.
_ODD = Product(rows=37, columns=75, depth=29)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A configuration that is not used."""

    variant: Variant
    product: Product
    reason: str


@dataclass(frozen=True, slots=True)
class Winner:
    """What was found for one product."""

    tuned: Tuned
    previous_gflops: float
    """What the configuration reached that was in use before."""
    measured: int
    """How many configurations were timed."""


@dataclass(frozen=True, slots=True)
class Report:
    """What tuning a device found."""

    path: Path
    """The table that was written."""
    winners: tuple[Winner, ...]
    rejected: tuple[Rejected, ...]
    elapsed_s: float


def tune(
    device: Device,
    *,
    products: Sequence[Product] | None = None,
    candidates: int = 24,
    folder: Path | None = None,
    alive: Callable[[], None] = lambda: None,
) -> Report:
    """Measure configurations of matrix products, remember the fastest, and use them from now on.

    `products` are those of kernels/matmul/space.yaml unless given; `candidates` bounds how many
    configurations each is tried with; `folder` is this user's cache unless given; `alive` is called
    after each configuration.

    **Raises** OSError where the table cannot be written.
    """
    started = time.monotonic()
    spaces, usual = load_space(device.programs.folder / "matmul" / "space.yaml")
    variants = [
        variant
        for space in spaces
        if space.is_cpu == device.limits.is_cpu
        for variant in space.variants()
    ]
    search = _Search(device, variants, candidates, alive)
    found = [search.best(product) for product in (usual if products is None else products)]
    winners = tuple(winner for winner in found if winner is not None)
    path = _remember(device, [winner.tuned for winner in winners], folder)
    elapsed_s = time.monotonic() - started
    return Report(path, winners, tuple(search.rejected), elapsed_s)


def _remember(device: Device, tuned: Sequence[Tuned], folder: Path | None) -> Path:
    """Use these configurations from now on, in later processes as well."""
    tables = tables_of(device)
    known = {each.product for each in tuned}
    tables.entries[:] = [*tuned, *(each for each in tables.entries if each.product not in known)]
    path = save(device.cl_device, device.programs.folder, tables.entries, folder)
    device.programs.forget(lambda key: isinstance(key, tuple) and isinstance(key[0], Product))
    return path


class Trial:
    """A product with operands on a device."""

    def __init__(self, device: Device, product: Product) -> None:
        odd = replace(_ODD, transposed=product.transposed)
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


@dataclass(slots=True)
class _Search:
    """Tries the configurations of one kind of device on one product after the other."""

    device: Device
    variants: Sequence[Variant]
    candidates: int
    alive: Callable[[], None]
    rejected: list[Rejected] = field(default_factory=list)

    def best(self, product: Product) -> Winner | None:
        """Time the likeliest once, the fastest of them in turns with what is in use."""
        trial = Trial(self.device, product)
        previous = in_order_of_preference(self.device, product)[0]
        timed = self._timed(trial, product)
        finalists = [variant for _, variant in sorted(timed, key=lambda each: each[0])[:_FINALISTS]]
        if not _why_wrong(trial, previous):
            finalists.append(previous)
        if not finalists:
            return None
        medians = self._medians(trial, finalists)
        fastest = medians.index(min(medians))
        if medians[fastest] > (1 - _GAIN) * medians[-1]:
            fastest = len(medians) - 1
        gflops = [product.operations / seconds / 1e9 for seconds in medians]
        tuned = Tuned(product, finalists[fastest], gflops[fastest])
        return Winner(tuned, gflops[-1], len(timed))

    def _timed(self, trial: Trial, product: Product) -> list[tuple[float, Variant]]:
        limits = self.device.limits
        timed: list[tuple[float, Variant]] = []
        tried = 0
        for variant in sorted(self.variants, key=lambda each: estimate(each, limits, product)):
            # Where nothing builds, or all is wrong, it need not be shown of every configuration.
            if len(timed) >= self.candidates or tried >= 2 * self.candidates:
                break
            reason = exceeds(variant, limits)
            if not reason:
                reason, tried = _why_wrong(trial, variant), tried + 1
                self.alive()
            if reason:
                self.rejected.append(Rejected(variant, product, reason))
            else:
                timed.append((min(trial.seconds(variant) for _ in range(2)), variant))
        return timed

    def _medians(self, trial: Trial, finalists: Sequence[Variant]) -> list[float]:
        samples: list[list[float]] = [[] for _ in finalists]
        for _ in range(_ROUNDS):
            for variant, seconds in zip(finalists, samples, strict=True):
                seconds.append(trial.seconds(variant))
            self.alive()
        return [statistics.median(seconds) for seconds in samples]


def _why_wrong(trial: Trial, variant: Variant) -> str:
    """Return why a configuration cannot be used, nothing if it can."""
    try:
        return trial.error(variant)
    except (BuildError, DeviceError) as error:
        return error.message
