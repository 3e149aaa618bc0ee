# SPDX-License-Identifier: MIT
"""What an NVIDIA GPU could do: multiprocessors x cores by compute capability x clock."""

import csv
from functools import cache
from pathlib import Path
from typing import Any

import pyopencl as cl

from clprobe.bench.theoretical import Theoretical

_FILE = Path(__file__).parent / "data" / "nvidia_cores.csv"
_EXTENSION = "cl_nv_device_attribute_query"
# A multiply-add counts as two operations.
_FMA = 2


def nvidia_peak(device: cl.Device) -> Theoretical | None:
    """Return the peak; None for other makers' devices, and where something is not known."""
    try:
        if _EXTENSION not in device.extensions.split():
            return None
        major: Any = device.get_info(cl.device_info.COMPUTE_CAPABILITY_MAJOR_NV)
        minor: Any = device.get_info(cl.device_info.COMPUTE_CAPABILITY_MINOR_NV)
        return peak_of((major, minor), device.max_compute_units, device.max_clock_frequency)
    except cl.Error:
        return None


def peak_of(
    capability: tuple[int, int], multiprocessors: int, clock_mhz: int
) -> Theoretical | None:
    """Return the peak of a compute capability; None for one that the table does not have.

    **Source** data/README.md.
    """
    cores = _cores().get(capability)
    if cores is None or not multiprocessors or not clock_mhz:
        return None
    major, minor = capability
    return Theoretical(
        multiprocessors * cores * _FMA * clock_mhz / 1e3,
        f"{multiprocessors} multiprocessors × {cores} cores (compute capability {major}.{minor}) × "
        f"{_FMA} FLOP × {clock_mhz} MHz.",
    )


@cache
def _cores() -> dict[tuple[int, int], int]:
    with _FILE.open(encoding="ascii", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return {_numbers(capability): int(cores) for capability, cores in rows}


def _numbers(capability: str) -> tuple[int, int]:
    major, minor = capability.split(".")
    return int(major), int(minor)
