# SPDX-License-Identifier: MIT
"""One contestant of matmul_ratios.py in a process of its own: it multiplies when it is told to.

    python matmul_contestants.py torch | onednn | numpy | opencl:PART-OF-A-PLATFORM'S-NAME

reads one JSON object a line and answers each with one: {"product": ["NT", m, n, k]} prepares and
checks a product, {"times": N} multiplies N times and gives the seconds that took.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

Run = Callable[[int], None]
Operands = tuple[np.ndarray, np.ndarray]
# A wrong kernel is off by whole products; this leaves room for any order of the sum.
_LARGEST_RELATIVE_ERROR = 1e-4


def operands(transposed: str, m: int, n: int, k: int) -> Operands:
    """Return two matrices as they lie in memory."""
    generator = np.random.default_rng(11)
    a = generator.standard_normal((k, m) if transposed[0] == "T" else (m, k), np.float32)
    b = generator.standard_normal((n, k) if transposed[1] == "T" else (k, n), np.float32)
    return a, b


def as_multiplied(transposed: str, stored: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return views, (m, k) and (k, n), of matrices as they lie in memory."""
    a, b = stored
    return a.T if transposed[0] == "T" else a, b.T if transposed[1] == "T" else b


def numpy_product(transposed: str, stored: Operands) -> tuple[Run, np.ndarray]:
    a, b = as_multiplied(transposed, stored)
    return repeated(lambda: a @ b), a @ b


def torch_product(transposed: str, stored: Operands) -> tuple[Run, np.ndarray]:
    import torch  # noqa: PLC0415 - only this contestant needs it

    a, b = as_multiplied(transposed, tuple(torch.from_numpy(x) for x in stored))
    return repeated(lambda: torch.mm(a, b)), torch.mm(a, b).numpy()


def onednn_product(transposed: str, stored: Operands) -> tuple[Run, np.ndarray]:
    """Multiply by oneDNN as torch.compile calls it; torch.mm takes MKL, slow on AMD's CPUs."""
    import torch  # noqa: PLC0415

    a, b = as_multiplied(transposed, tuple(torch.from_numpy(x) for x in stored))
    weight, linear = b.T, torch.ops.mkldnn._linear_pointwise
    return (
        repeated(lambda: linear(a, weight, None, "none", [], "")),
        linear(a, weight, None, "none", [], "").numpy(),
    )


def opencl_product(platform: str) -> Callable[[str, Operands], tuple[Run, np.ndarray]]:
    import pyopencl as cl  # noqa: PLC0415

    from clprobe.tensor import Array, Device  # noqa: PLC0415
    from clprobe.tensor.ops.matmul import matmul_forward  # noqa: PLC0415

    cpus = [
        device
        for each in cl.get_platforms()
        if platform in f"{each.name} {each.version}"
        for device in each.get_devices()
        if device.type & cl.device_type.CPU
    ]
    opened = Device.open(cpus[0])

    def prepare(transposed: str, stored: Operands) -> tuple[Run, np.ndarray]:
        a, b = (Array.from_numpy(x, opened) for x in stored)
        flags = {"transpose_a": transposed[0] == "T", "transpose_b": transposed[1] == "T"}

        def run(times: int) -> None:
            for _ in range(times):
                matmul_forward(a, b, **flags)
            opened.finish()

        return run, matmul_forward(a, b, **flags).numpy()

    return prepare


def repeated(multiply: Callable[[], object]) -> Run:
    def run(times: int) -> None:
        for _ in range(times):
            multiply()

    return run


def relative_error(found: np.ndarray, transposed: str, stored: Operands) -> float:
    a, b = as_multiplied(transposed, stored)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    return float(np.abs(found - exact).max() / np.abs(exact).max())


def main(contestant: str) -> None:
    name, _, rest = contestant.partition(":")
    prepare = {"numpy": numpy_product, "torch": torch_product, "onednn": onednn_product}.get(
        name
    ) or opencl_product(rest)
    run: Run | None = None
    for line in sys.stdin:
        order = json.loads(line)
        if "product" in order:
            stored = operands(*order["product"])
            run, found = prepare(order["product"][0], stored)
            error = relative_error(found, order["product"][0], stored)
            answer = {"right": error <= _LARGEST_RELATIVE_ERROR}
        else:
            assert run is not None
            started = time.perf_counter()
            run(order["times"])
            answer = {"seconds": time.perf_counter() - started}
        print(json.dumps(answer), flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
