# SPDX-License-Identifier: MIT
"""Measures which algorithm of the ladder is fastest for convolutions on a device."""

import contextlib
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from clprobe.tensor.array import Array, Shape
from clprobe.tensor.device import Device
from clprobe.tensor.errors import BuildError, DeviceError
from clprobe.tensor.ops.conv.choose import choose, entries_of, measured, use
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.epilogue import NO_EPILOGUE
from clprobe.tensor.tuning.convolution_table import save_convolutions
from clprobe.tensor.tuning.exact_convolution import convolved

_TOLERANCE = 1e-4
"""Of the largest sum of magnitudes; Winograd's transforms lose some digits, a mistake loses all."""
_SAMPLE_SECONDS = 0.02
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Timed:
    """One algorithm with its tunables that computes right."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for one direction of one convolution."""

    timed: tuple[Timed, ...]
    """The fastest first."""
    rejected: tuple[tuple[str, str], ...]
    """Names of what does not build or computes wrongly, and why."""
    before: float
    """Seconds of what was in use before."""


def tune_convolutions(
    device: Device,
    asked: Iterable[tuple[Direction, Geometry]],
    *,
    folder: Path | None = None,
    alive: Callable[[], None] = lambda: None,
) -> dict[tuple[Direction, Geometry], Found]:
    """Tune each, and keep the fastest for later processes: in `folder`, by default the cache.

    What nothing computes is left out. `alive` is called after every algorithm.

    **Raises** OSError where they cannot be kept, DeviceError.
    """
    found: dict[tuple[Direction, Geometry], Found] = {}
    for direction, geometry in asked:
        with contextlib.suppress(BuildError):
            found[direction, geometry] = tune_convolution(device, geometry, direction, alive)
    known = measured(device)
    known.update({one: each.timed[0].name for one, each in found.items()})
    save_convolutions(device.cl_device, device.programs.folder, known, folder)
    return found


def tune_convolution(
    device: Device,
    geometry: Geometry,
    direction: Direction = Direction.FORWARD,
    alive: Callable[[], None] = lambda: None,
) -> Found:
    """Prove and time all that the ladder has for such a device, and use the fastest from now on.

    It is used as long as the device is open, and whatever sizes the ladder means it for. `alive` is
    called after every algorithm.

    **Raises** BuildError where nothing computes it rightly.
    """
    problem = _Problem(device, geometry, direction)
    in_use = choose(device, direction, geometry)
    plans: dict[str, Plan] = {}
    rejected = []
    for entry in entries_of(device):
        alive()
        if direction not in entry.directions or not entry.suits_device(device):
            continue
        try:
            plan = entry.plan(device, direction, geometry)
            wrong = problem.error(plan) if plan is not None else ""
        except (BuildError, DeviceError) as error:
            plan, wrong = None, error.message
        if wrong:
            rejected.append((entry.name, wrong))
        elif plan is not None:
            plans.setdefault(entry.name, plan)
    if not plans:
        raise BuildError(f"Nothing computes {direction.value} of {geometry} rightly.")
    least: dict[str, float] = dict.fromkeys(("", *plans), math.inf)
    for _ in range(_ROUNDS):
        # In turns: a machine that slows down slows them all.
        for name, plan in (("", in_use), *plans.items()):
            least[name] = min(least[name], _seconds(device, partial(problem.run, plan)))
            alive()
    before = least.pop("")
    timed = tuple(Timed(name, least[name]) for name in sorted(least, key=lambda it: least[it]))
    use(device, direction, geometry, plans[timed[0].name])
    return Found(timed, tuple(rejected), before)


class _Problem:
    """Operands on a device, and what should come of them."""

    def __init__(self, device: Device, geometry: Geometry, direction: Direction) -> None:
        generator = np.random.default_rng(1)
        shapes: dict[Direction, tuple[Shape, Shape]] = {
            Direction.FORWARD: (geometry.input_shape, geometry.weight_shape),
            Direction.INPUT_GRADIENT: (geometry.output_shape, geometry.weight_shape),
            Direction.WEIGHT_GRADIENT: (geometry.output_shape, geometry.input_shape),
        }
        first, second = (
            generator.standard_normal(shape, np.float32) for shape in shapes[direction]
        )
        self._first = first
        self._device = device
        self._exact = convolved(direction, geometry, first, second)
        magnitudes = convolved(direction, geometry, np.abs(first), np.abs(second))
        self._bound = _TOLERANCE * magnitudes.max(initial=0.0)
        self._operands = Array.from_numpy(first, device), Array.from_numpy(second, device)
        self._checked = 0

    def run(self, plan: Plan) -> Array:
        return plan(*self._operands, NO_EPILOGUE)

    def error(self, plan: Plan) -> str:
        """Return what is wrong about a plan's results, nothing if they are right."""
        # Another scale each time: memory that still holds an earlier result must not pass.
        self._checked += 1
        scale = 2.0 ** (self._checked % 40 - 20)
        scaled = Array.from_numpy(self._first * np.float32(scale), self._device)
        found = plan(scaled, self._operands[1], NO_EPILOGUE).numpy()
        with np.errstate(all="ignore"):  # what was never written may be anything
            apart = np.abs(found / scale - self._exact)
        wrong = int((~(apart <= self._bound)).sum())
        return f"{wrong} of {found.size} values are wrong" if wrong else ""


def _seconds(device: Device, run: Callable[[], Array]) -> float:
    times = 1
    while True:
        device.finish()
        started = time.perf_counter()
        for _ in range(times):
            run()
        device.finish()
        elapsed_s = time.perf_counter() - started
        if elapsed_s >= _SAMPLE_SECONDS:
            return elapsed_s / times
        times = max(2 * times, int(1.2 * times * _SAMPLE_SECONDS / max(elapsed_s, 1e-9)))
