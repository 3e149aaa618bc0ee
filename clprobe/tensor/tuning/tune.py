# SPDX-License-Identifier: MIT
"""Measures configurations on a device and keeps the fastest right ones for later processes."""

import statistics
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clprobe.tensor.device import Device
from clprobe.tensor.errors import BuildError, DeviceError, ShapeError
from clprobe.tensor.ops.matmul import in_order_of_preference, tables_of
from clprobe.tensor.ops.variants import Product, Variant
from clprobe.tensor.tuning.space import estimate, exceeds, load_space
from clprobe.tensor.tuning.table import Tuned, save
from clprobe.tensor.tuning.trial import Trial

OPERATIONS = ("matmul",)

_FINALISTS = 4
_ROUNDS = 7
# Less than this is within the spread of one run: the configuration in use stays.
_GAIN = 0.02


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

    device: str
    path: Path
    """The table that was written."""
    winners: tuple[Winner, ...]
    rejected: tuple[Rejected, ...]
    elapsed_s: float


def tune(  # noqa: PLR0913 - what to tune, how thoroughly, and where to keep it
    device: Device,
    operations: Collection[str] = OPERATIONS,
    *,
    products: Sequence[Product] | None = None,
    candidates: int = 24,
    folder: Path | None = None,
    alive: Callable[[], None] = lambda: None,
) -> Report:
    """Measure configurations of operations, remember the fastest, and use them from now on.

    `products` are those of kernels/matmul/space.yaml unless given; `candidates` bounds how many
    configurations each is tried with; `folder` is this user's cache unless given; `alive` is called
    after each configuration.

    **Raises** ShapeError for an operation that has nothing to tune, OSError where the table cannot
    be written.
    """
    if unknown := sorted(set(operations) - set(OPERATIONS)):
        raise ShapeError(f"Nothing can be tuned about {', '.join(unknown)}.")
    started = time.monotonic()
    spaces, usual = load_space(device.programs.folder / "matmul" / "space.yaml")
    variants = [
        variant
        for space in spaces
        if space.is_cpu == device.limits.is_cpu
        for variant in space.variants()
    ]
    search = _Search(device, variants, candidates, alive)
    wanted = (usual if products is None else products) if "matmul" in operations else ()
    found = [search.best(product) for product in wanted]
    winners = tuple(winner for winner in found if winner is not None)
    path = _remember(device, [winner.tuned for winner in winners], folder)
    elapsed_s = time.monotonic() - started
    return Report(device.name, path, winners, tuple(search.rejected), elapsed_s)


def _remember(device: Device, tuned: Sequence[Tuned], folder: Path | None) -> Path:
    """Use these configurations from now on, in later processes as well."""
    tables = tables_of(device)
    known = {each.product for each in tuned}
    tables.entries[:] = [*tuned, *(each for each in tables.entries if each.product not in known)]
    path = save(device.cl_device, device.programs.folder, tables.entries, folder)
    device.programs.forget(lambda key: isinstance(key, tuple) and isinstance(key[0], Product))
    return path


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
