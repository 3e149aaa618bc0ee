# SPDX-License-Identifier: MIT
"""Chooses the algorithm of a convolution from kernels/conv/variants.yaml, once per geometry.

What was measured on this machine comes before what the ladder means for such sizes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.errors import BuildError
from clprobe.tensor.limits import said
from clprobe.tensor.ops.conv import (
    depthwise,
    direct,
    few_channels,
    gpu_winograd,
    grouped,
    implicit_gemm,
    unfold,
    winograd,
)
from clprobe.tensor.ops.conv.geometry import Direction, Geometry, Plan
from clprobe.tensor.ops.epilogue import Epilogue
from clprobe.tensor.ops.half import to_float, to_half
from clprobe.tensor.tuning.convolution_table import Measured, load_convolutions

Prepare = Callable[[Device, Direction, Geometry, Mapping[str, int]], Plan | None]
"""Builds the kernels of an algorithm; None where it cannot do this geometry or direction."""

ALGORITHMS: dict[str, Prepare] = {
    "depthwise_weights": grouped.prepare_depthwise_weights,
    "direct": direct.prepare,
    "direct_weights": direct.prepare_weights,
    "few_channels": few_channels.prepare,
    "gpu_depthwise": depthwise.prepare,
    "gpu_winograd": gpu_winograd.prepare,
    "grouped": grouped.prepare,
    "implicit_gemm": implicit_gemm.prepare,
    "unfold": unfold.prepare,
    "winograd": winograd.prepare,
    "winograd_weights": winograd.prepare_weights,
}

TAKE_HALF = {"direct", "direct_weights", "gpu_winograd", "implicit_gemm", "unfold", "winograd"}
"""The algorithms that read half images and store half results; others get copies in float."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the ladder: an algorithm with its tunables, and where it is meant for."""

    algorithm: str
    directions: frozenset[Direction]
    defines: Mapping[str, int]
    device: Mapping[str, Any]
    shape: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Return what tells this entry from the others."""
        return " ".join(
            [self.algorithm, *(f"{key}={value}" for key, value in self.defines.items())]
        )

    def suits(self, device: Device, geometry: Geometry) -> bool:
        """Say whether this entry is meant for such a device and geometry."""
        return self.suits_device(device) and all(
            _holds(geometry, name, value) for name, value in self.shape.items()
        )

    def suits_device(self, device: Device) -> bool:
        """Say whether this entry is meant for such a device, whatever the geometry."""
        limits = device.limits
        return (
            self.device.get("is_cpu", limits.is_cpu) == limits.is_cpu
            and self.device.get("min_vector_width", 0) <= limits.native_vector_width
            and self.device.get("vendor_id", limits.vendor_id) == limits.vendor_id
            and self.device.get("platform", "") in said(device.cl_device.platform, "name")
        )

    def plan(self, device: Device, direction: Direction, geometry: Geometry) -> Plan | None:
        """Build the kernels; None where the algorithm cannot do this geometry or direction.

        **Raises** BuildError.
        """
        plan = ALGORITHMS[self.algorithm](device, direction, geometry, self.defines)
        return plan if plan is None or self.algorithm in TAKE_HALF else _in_float(plan)


def choose(device: Device, direction: Direction, geometry: Geometry) -> Plan:
    """Return the plan of the entry that was measured, or of the first that suits and builds.

    **Raises** BuildError where none does.
    """
    return device.programs.remember(
        ("conv", direction, geometry), lambda: _first_that_works(device, direction, geometry)
    )


def use(device: Device, direction: Direction, geometry: Geometry, plan: Plan) -> None:
    """Have `choose` return this plan from now on."""
    key = ("conv", direction, geometry)
    device.programs.forget(lambda known: known == key)
    device.programs.remember(key, lambda: plan)


def skipped(device: Device) -> list[tuple[str, str]]:
    """Return which entries were tried on this device and could not be built, with the reason."""
    return device.programs.remember("conv skipped", list)


def entries_of(device: Device) -> tuple[Entry, ...]:
    """Return the ladder of a device's kernels."""
    return load_entries(device.programs.folder / "conv" / "variants.yaml")


@cache
def load_entries(path: Path) -> tuple[Entry, ...]:
    """Return the entries of a variants.yaml, in order."""
    return tuple(
        Entry(
            algorithm=entry["algorithm"],
            directions=frozenset(Direction(name) for name in entry["directions"]),
            defines=entry.get("defines", {}),
            device=entry.get("for", {}),
            shape=entry.get("when", {}),
        )
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))
    )


def measured(device: Device) -> Measured:
    """Return the names of the entries that were the fastest when somebody tuned this device."""
    return device.programs.remember(
        "conv measured", lambda: load_convolutions(device.cl_device, device.programs.folder)
    )


def _first_that_works(device: Device, direction: Direction, geometry: Geometry) -> Plan:
    fastest = measured(device).get((direction, geometry))
    for entry in sorted(entries_of(device), key=lambda one: one.name != fastest):
        is_meant = (
            entry.suits_device(device) if entry.name == fastest else entry.suits(device, geometry)
        )
        if direction not in entry.directions or not is_meant:
            continue
        try:
            plan = entry.plan(device, direction, geometry)
        except BuildError as error:
            skipped(device).append((entry.name, error.message))
            continue
        if plan is not None:
            return plan
    raise BuildError(
        f"No algorithm of kernels/conv/variants.yaml does {direction.value} of {geometry}."
    )


def _in_float(plan: Plan) -> Plan:
    """Return the plan of an algorithm that takes and stores floats, for arrays of either kind."""

    def converted(first: Array, second: Array, epilogue: Epilogue) -> Array:
        in_half, epilogue = epilogue.half, replace(epilogue, half=False)
        result = plan(to_float(first), to_float(second), epilogue)
        return to_half(result) if in_half else result

    return converted


def _holds(geometry: Geometry, name: str, value: Any) -> bool:
    """Say whether a condition holds: `min_` or `max_` before a field of Geometry bounds it."""
    bound, _, rest = name.partition("_")
    if bound == "min":
        return bool(getattr(geometry, rest) >= value)
    if bound == "max":
        return bool(getattr(geometry, rest) <= value)
    own = getattr(geometry, name)
    return bool(own == (tuple(value) if isinstance(own, tuple) else value))
