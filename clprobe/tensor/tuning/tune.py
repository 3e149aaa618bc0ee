# SPDX-License-Identifier: MIT
"""Measures configurations on a device and keeps the fastest right ones for later processes."""

import statistics
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
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
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Measure configurations of operations, remember the fastest, and use them from now on.

    `products` are those of kernels/matmul/space.yaml unless given; `candidates` bounds how many
    configurations each is tried with; `folder` is this user's cache unless given.

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
    winners: list[Winner] = []
    rejected: list[Rejected] = []
    for product in (usual if products is None else products) if "matmul" in operations else ():
        winner = _best(device, product, variants, candidates, rejected)
        if winner is not None:
            winners.append(winner)
            progress(f"{product}: {winner.tuned.gflops:.0f} GFLOP/s, {winner.tuned.variant.name}")
    tables = tables_of(device)
    tuned = [winner.tuned for winner in winners]
    known = {each.product for each in tuned}
    tables.entries[:] = [*tuned, *(each for each in tables.entries if each.product not in known)]
    path = save(device.cl_device, device.programs.folder, tables.entries, folder)
    device.programs.forget(lambda key: isinstance(key, tuple) and isinstance(key[0], Product))
    elapsed_s = time.monotonic() - started
    return Report(device.name, path, tuple(winners), tuple(rejected), elapsed_s)


def _best(
    device: Device,
    product: Product,
    variants: Sequence[Variant],
    candidates: int,
    rejected: list[Rejected],
) -> Winner | None:
    """Time the likeliest configurations once, the fastest of them in turns with what is in use."""
    trial = Trial(device, product)
    previous = in_order_of_preference(device, product)[0]
    ordered = sorted(variants, key=lambda each: estimate(each, device.limits, product))
    timed: list[tuple[float, Variant]] = []
    for variant in ordered:
        if len(timed) >= candidates:
            break
        if reason := exceeds(variant, device.limits) or _why_wrong(trial, variant):
            rejected.append(Rejected(variant, product, reason))
        else:
            timed.append((min(trial.seconds(variant) for _ in range(2)), variant))
    finalists = [variant for _, variant in sorted(timed, key=lambda each: each[0])[:_FINALISTS]]
    if not _why_wrong(trial, previous):
        finalists.append(previous)
    if not finalists:
        return None
    samples: list[list[float]] = [[] for _ in finalists]
    for _ in range(_ROUNDS):
        for variant, seconds in zip(finalists, samples, strict=True):
            seconds.append(trial.seconds(variant))
    medians = [statistics.median(seconds) for seconds in samples]
    fastest = medians.index(min(medians))
    if medians[fastest] > (1 - _GAIN) * medians[-1]:
        fastest = len(medians) - 1
    gflops = [product.operations / seconds / 1e9 for seconds in medians]
    tuned = Tuned(product, finalists[fastest], gflops[fastest])
    return Winner(tuned, gflops[-1], len(timed))


def _why_wrong(trial: Trial, variant: Variant) -> str:
    """Return why a configuration cannot be used, nothing if it can."""
    try:
        return trial.error(variant)
    except (BuildError, DeviceError) as error:
        return error.message
