# SPDX-License-Identifier: MIT
"""Whether a device's buffers are mapped in place; also a program.

    python mapping_child.py PART-OF-A-PLATFORM'S-NAME

prints what speaks against it and exits 1, or 2 where no device has such a platform.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import pyopencl as cl

from clprobe.tensor import Array, Device
from clprobe.tensor.binary_cache import BinaryCache

SMALL, LARGE = 1 << 16, 1 << 24
_ROUNDS = 15
_GROWTH = 8.0
"""LARGE is 256 times SMALL, and to copy it takes about 200 times as long."""


def in_place(device: Device) -> list[str]:
    """Return what speaks against it that maps copy nothing, a line each."""
    found = []
    arrays = {count: Array.full(device, (count,), 1.0) for count in (SMALL, LARGE)}
    for count, array in arrays.items():
        addresses = {_address(array) for _ in range(3)}
        with array.filling() as values:
            addresses.add(values.ctypes.data)
            values[-1] = 7
        if len(addresses) != 1:
            found.append(f"{count} values are mapped at {len(addresses)} addresses")
        # What the device makes of it, it finds at that address, too.
        seen = array.host_view()
        array_at = seen.ctypes.data
        if seen[-1] != 7 or {array_at} != addresses:
            found.append(f"{count} values lie elsewhere after they were written")
    few, many = (_seconds(array.host_view) for array in arrays.values())
    if many > _GROWTH * few:
        found.append(f"a map takes {few * 1e6:.0f} µs of few values, {many * 1e6:.0f} µs of many")
    return found


def _address(array: Array) -> int:
    return array.host_view().ctypes.data


def _seconds(run: Callable[[], object]) -> float:
    times = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return float(np.median(times))


def main(platform: str) -> int:
    """Look at the first device of a platform."""
    for each in cl.get_platforms():
        if platform in each.name:
            with Device.open(each.get_devices()[0], cache=BinaryCache(None)) as device:
                found = in_place(device)
            sys.stdout.write("".join(f"{line}\n" for line in found))
            return 1 if found else 0
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
