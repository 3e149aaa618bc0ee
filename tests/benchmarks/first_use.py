# SPDX-License-Identifier: MIT
"""Times opening a device, building kernels and the first training step: run it with python.

    python first_use.py [PART-OF-A-PLATFORM'S-NAME]

Each run is a process of its own; the first finds empty caches, ours and the runtime's, and the
others what it left. Imports are stated apart.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_RUNS = 4
_CACHES = ("XDG_CACHE_HOME", "POCL_CACHE_DIR", "CUDA_CACHE_PATH", "SYCL_CACHE_DIR")


def first_step(platform_name: str) -> dict[str, float]:
    """Return seconds for imports, for everything from opening the device on, and for building."""
    started = time.perf_counter()
    import pyopencl as cl  # noqa: PLC0415 - timed
    from step_ratios import Net  # noqa: PLC0415 - timed

    from clprobe.tensor import Device  # noqa: PLC0415 - timed

    platforms = cl.get_platforms()
    platform = next(each for each in platforms if platform_name in each.name)
    imported = time.perf_counter()
    with Device.open(platform.get_devices()[0]) as device:
        loss = Net(device, "mlp", 128).eager()
        loss.numpy()
        done = time.perf_counter()
        return {
            "imports": imported - started,
            "first step": done - imported,
            "of which builds": device.compile_ns / 1e9,
        }


def main(platform_name: str) -> None:
    """Run a few times with one set of caches."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {name: str(Path(folder, name)) for name in _CACHES}
        for run in range(_RUNS):
            result = subprocess.run(
                [sys.executable, "-W", "ignore", __file__, "--once", platform_name],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            times = json.loads(result.stdout)
            shown = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in times.items())
            sys.stdout.write(f"{'warm' if run else 'cold'}: {shown}\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        sys.stdout.write(json.dumps(first_step(sys.argv[2])))
    else:
        main(sys.argv[1] if len(sys.argv) > 1 else "")
