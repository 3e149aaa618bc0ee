# SPDX-License-Identifier: MIT
"""Single operations to prove and time: copy, launch, matrix products, convolutions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np

from clprobe.bench.digits import SIDE, Floats, load_digits
from clprobe.bench.effort import Effort
from clprobe.bench.engines import Engine, Prepared
from clprobe.bench.engines.numpy_cpu import logits_of
from clprobe.bench.engines.numpy_layers import COMPUTED
from clprobe.bench.nets import Conv, Linear, Net, flat
from clprobe.bench.protocol import Started
from clprobe.model.workload import Inference, Operation

# Half the distance from 1 to the next float32.
_UNIT_ROUNDOFF = 2.0**-24
_MIRROR = np.float32(-2)
"""A factor that every rounding keeps, as long as nothing overflows."""
_LAYER_ROUNDINGS = 256
"""Of the largest logit that a layer may be off by: sums of n products in float32 are by 0.3 √n,
Winograd's by 30 (step_proof.py), and layers in between may enlarge it.
"""


@dataclass(frozen=True, slots=True)
class Expected:
    """The right result in float64, and per element what one unit of error is measured against."""

    values: np.ndarray[Any, Any]
    scale: np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One operation on fixed random operands."""

    started: Started
    """The message that says that it begins."""
    work: float | None
    """Of one run, operations or bytes in 1e9, or samples; None where the time is the figure."""
    prepare: Callable[[Engine], Prepared]
    expected: Callable[[], Expected]
    other: Callable[[Expected], tuple[Floats, Expected]]
    """Given what is expected, another first operand, and what is expected with that."""
    tolerance: float
    """The largest error relative to `Expected.scale`."""
    gflop_per_sample: float | None = None
    """The least work of a sample; None where samples are not what is counted."""
    intensity: float | None = None
    """Operations per byte, if operands and result move once; None where nothing is computed."""

    def figure(self, elapsed_seconds: float) -> float:
        """Return what one run in so many seconds amounts to, in its unit."""
        return elapsed_seconds * 1e6 if self.work is None else self.work / elapsed_seconds


def copy_cases(effort: Effort) -> Iterator[Case]:
    """Copy within the device's memory; every byte is read and written."""
    values = _operand(effort.copy_mebibytes << 18)
    yield Case(
        started=Started(workload=Operation("copy"), metric="bandwidth", unit="GB/s"),
        work=2 * values.nbytes / 1e9,
        prepare=methodcaller("prepare", "copy", values),
        expected=lambda: Expected(values, np.ones(1)),
        other=partial(_mirrored, values),
        tolerance=0.0,
    )


def launch_cases(_: Effort) -> Iterator[Case]:
    """Add one number to another and wait: what any operation costs at least."""
    a, b = _operand(1, seed=1), _operand(1, seed=2)

    def prepare(engine: Engine) -> Prepared:
        adding = engine.prepare("add", a, b)

        def run(times: int) -> None:
            for _ in range(times):
                adding.run(1)

        return Prepared(run, adding.result, adding.exchange)

    yield Case(
        started=Started(workload=Operation("launch"), metric="latency", unit="µs"),
        work=None,
        prepare=prepare,
        expected=lambda: Expected(a + b, np.ones(1)),
        other=lambda _: (_MIRROR * a, Expected(_MIRROR * a + b, np.ones(1))),
        tolerance=0.0,
    )


def matmul_cases(effort: Effort) -> Iterator[Case]:
    """Multiply square matrices."""
    for n in effort.matmul_sizes:
        operands = _operand(n, n, seed=1), _operand(n, n, seed=2)
        yield _sum_of_products(Operation("matmul", str(n)), operands, outputs=n * n, reduced=n)


def conv_cases(effort: Effort) -> Iterator[Case]:
    """Convolve forward and backward, with 3x3 filters, as many as channels."""
    for images, channels, side in effort.conv_shapes:
        x = _operand(images, channels, side, side, seed=1)
        dy = _operand(images, channels, side, side, seed=2)
        weight = _operand(channels, channels, 3, 3, seed=3)
        for kind, operands, outputs, reduced in (
            ("conv-forward", (x, weight), x.size, channels * 9),
            ("conv-input-grad", (dy, weight), x.size, channels * 9),
            ("conv-weight-grad", (dy, x), weight.size, images * side * side),
        ):
            workload = Operation(kind, f"{images}x{channels}x{side}")
            yield _sum_of_products(workload, operands, outputs=outputs, reduced=reduced)


def inference_case(net: Net, batch: int) -> Case:
    """Use an untrained net on images, in turn the first of those that it is trained on.

    Rounding of one layer changes all that follow but makes nothing jump, as ReLU and max-pool are
    continuous: each layer with weights may add its own.
    """
    images = np.resize(load_digits()[0].images, (batch, 1, SIDE, SIDE))
    depth = sum(isinstance(one, Linear | Conv) for one in flat(net.layers))

    def expected() -> Expected:
        logits = logits_of(net, images.astype(np.float64))
        return Expected(logits, np.full(1, np.abs(logits).max()))

    def other(_: Expected) -> tuple[Floats, Expected]:
        fresh = np.ascontiguousarray(images[..., ::-1])
        logits = logits_of(net, fresh.astype(np.float64))
        return fresh, Expected(logits, np.full(1, np.abs(logits).max()))

    return Case(
        started=inference_started(net.name, batch),
        work=batch,
        prepare=methodcaller("inference", net, images),
        expected=expected,
        other=other,
        tolerance=depth * _LAYER_ROUNDINGS * _UNIT_ROUNDOFF,
        gflop_per_sample=net.least_gflop() / 3,
    )


def inference_started(net: str, batch: int) -> Started:
    """Return the message that says that it begins."""
    workload = Inference(net, batch)
    return Started(workload=workload, metric="throughput", unit="samples/s", batch=batch)


def _sum_of_products(
    workload: Operation,
    operands: tuple[Floats, Floats],
    *,
    outputs: int,
    reduced: int,
) -> Case:
    """Return a case with so many outputs, each the sum of `reduced` products.

    **Source** Higham 2002, Accuracy and Stability of Numerical Algorithms, section 3.1: in any
    order of summation the error is at most n·u / (1 - n·u) times the sum of absolute products.
    """
    bound = reduced * _UNIT_ROUNDOFF

    def expected() -> Expected:
        a, b = (operand.astype(np.float64) for operand in operands)
        compute = COMPUTED[workload.kind]
        return Expected(compute(a, b), compute(abs(a), abs(b)))

    return Case(
        started=Started(workload=workload, metric="throughput", unit="GFLOP/s"),
        work=2 * outputs * reduced / 1e9,
        prepare=methodcaller("prepare", workload.kind, *operands),
        expected=expected,
        other=partial(_mirrored, operands[0]),
        tolerance=bound / (1 - bound),
        intensity=2 * outputs * reduced / (sum(one.nbytes for one in operands) + 4 * outputs),
    )


def _mirrored(first: Floats, expected: Expected) -> tuple[Floats, Expected]:
    """Return an operand whose result follows from that of the first, as both grow alike."""
    scale = -_MIRROR * expected.scale if expected.scale.size > 1 else expected.scale
    return _MIRROR * first, Expected(_MIRROR * expected.values, scale)


def _operand(*shape: int, seed: int = 0) -> Floats:
    values = np.random.default_rng((seed, *shape)).uniform(-1, 1, shape)
    return values.astype(np.float32)
