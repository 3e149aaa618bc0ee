# SPDX-License-Identifier: MIT
"""Whether half precision pays on a device: one product in float and as autocast would take it."""

import time
from collections.abc import Callable

import numpy as np

from clprobe.model.measurement import HalfPrecision
from clprobe.tensor import Array, Device
from clprobe.tensor.autocast import Policy, has_fp16, multiplies_in_half, reason_for_float
from clprobe.tensor.ops.half import to_half
from clprobe.tensor.ops.matmul import matmul_forward

_SIZE = 768
_ROUNDS = 7
_SAMPLE_SECONDS = 0.01
_MOST_RUNS = 64
_GAIN = 1.1
"""What is not faster by a tenth is not worth the digits."""
_CHAIN = 16
"""Products that are added up in half before they go to a sum in float: kernels/half/policy.yaml."""
_HALF_UNIT = 2.0**-11
_FLOAT_UNIT = 2.0**-24


def half_precision(label: str, device: Device) -> HalfPrecision:
    """Return what half precision is worth here; a line that says why where there is none.

    **Raises** DeviceError, BuildError.
    """
    policy = Policy.shipped()
    if not has_fp16(device):
        text = f"Half precision: {label} has no cl_khr_fp16, so autocast keeps values in float."
        return HalfPrecision(device=label, pays=False, text=text)
    in_half = multiplies_in_half(policy, device)
    generator = np.random.default_rng(16)
    values = [generator.uniform(-1, 1, (_SIZE, _SIZE)).astype(np.float16) for _ in range(2)]
    floats = [Array.from_numpy(each.astype(np.float32), device) for each in values]
    halves = [to_half(each) for each in floats]

    def in_float() -> Array:
        return matmul_forward(*floats)

    def by_halves() -> Array:
        return matmul_forward(*halves, in_half=in_half)

    error, tolerance = _error(by_halves().numpy(), values, in_half=in_half)
    rates = _gflops(device, in_float, by_halves)
    is_right = error <= tolerance
    pays = is_right and rates[1] > _GAIN * rates[0]
    return HalfPrecision(
        device=label,
        pays=pays,
        text=_said(label, rates, in_half, error / tolerance, reason_for_float(policy, device)),
        float_gflops=rates[0],
        half_gflops=rates[1],
        max_error=error,
        tolerance=tolerance,
    )


def _error(found: np.ndarray, values: list[np.ndarray], *, in_half: bool) -> tuple[float, float]:
    """Return the largest error, of the sum of its terms' sizes, and what is allowed."""
    a, b = (each.astype(np.float64) for each in values)
    off = np.abs(found - a @ b) / (np.abs(a) @ np.abs(b))
    tolerance = 2 * _SIZE * _FLOAT_UNIT
    if in_half:
        # And subnormal halves, which are few among these.
        tolerance += _CHAIN * _HALF_UNIT / (1 - _CHAIN * _HALF_UNIT)
    error = float(off.max())
    return (error if np.isfinite(error) else 1.0), tolerance


def _gflops(device: Device, *runs: Callable[[], Array]) -> list[float]:
    """Return the rate of each, in turns."""
    counts = [_count(device, run) for run in runs]
    samples: list[list[float]] = [[] for _ in runs]
    for _ in range(_ROUNDS):
        for run, count, taken in zip(runs, counts, samples, strict=True):
            taken.append(_seconds(device, run, count) / count)
    return [2 * _SIZE**3 / float(np.median(taken)) / 1e9 for taken in samples]


def _count(device: Device, run: Callable[[], Array]) -> int:
    count = 1
    while count < _MOST_RUNS and _seconds(device, run, count) < _SAMPLE_SECONDS:
        count *= 2
    return count


def _seconds(device: Device, run: Callable[[], Array], count: int) -> float:
    started = time.perf_counter()
    for _ in range(count):
        run()
    device.finish()
    return time.perf_counter() - started


def _said(label: str, rates: list[float], in_half: bool, share: float, reason: str) -> str:
    how = "multiplied in half and summed in float" if in_half else "stored in half"
    speed = f"{rates[1] / rates[0]:.2f} times float's speed"
    start = f"Half precision on {label}: a product of {_SIZE}, {how}, runs at {speed}"
    if share > 1:
        return f"{start}, but is wrong: off by {share:.1f} times what it may be. Do not use it."
    close = f"{start} (off by {share:.1g} of what it may be)"
    if reason:
        return f"{close}; autocast keeps float here, as the device {reason}."
    return f"{close}: it {'pays' if rates[1] > _GAIN * rates[0] else 'does not pay'}."
