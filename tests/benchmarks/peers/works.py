# SPDX-License-Identifier: MIT
"""What is timed, as data, and how a peer's process answers; needs nothing but NumPy.

Products are C = A·B of m x k and k x n, where T says which operand is given transposed. A step is
forward, loss, backward and SGD with momentum on one batch that lies on the device, the nets being
those of step_ratios.py.
"""

import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class Product:
    """C = A·B."""

    m: int
    n: int
    k: int
    transposed: str = "NN"

    @property
    def name(self) -> str:
        return f"{self.transposed} {self.m}x{self.n}x{self.k}"

    @property
    def work(self) -> tuple[float, str]:
        return 2e-9 * self.m * self.n * self.k, "GFLOP/s"

    def inputs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return A and B as they are given."""
        a_shape = (self.k, self.m) if self.transposed[0] == "T" else (self.m, self.k)
        b_shape = (self.n, self.k) if self.transposed[1] == "T" else (self.k, self.n)
        return _values(*a_shape), _values(*b_shape)


@dataclass(frozen=True, slots=True)
class Convolution:
    """A convolution of square images and filters, or one of its gradients."""

    images: int
    channels: int
    height: int
    filters: int
    size: int
    stride: int
    padding: int
    part: str

    @property
    def out(self) -> int:
        return (self.height + 2 * self.padding - self.size) // self.stride + 1

    @property
    def name(self) -> str:
        shape = f"{self.images}x{self.channels}x{self.height}² to {self.filters}"
        return f"conv {self.size}x{self.size} stride {self.stride} {shape}, {self.part}"

    @property
    def work(self) -> tuple[float, str]:
        window = self.channels * self.size**2
        return 2e-9 * self.images * self.filters * self.out**2 * window, "GFLOP/s"

    def inputs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return images, filters, and the gradient of the output."""
        return (
            _values(self.images, self.channels, self.height, self.height),
            _values(self.filters, self.channels, self.size, self.size),
            _values(self.images, self.filters, self.out, self.out),
        )


@dataclass(frozen=True, slots=True)
class Chain:
    """max((x + 1)·0.5 - x·x, 0)·1.5 + 0.25, then its negative: eight operations."""

    count: int

    @property
    def name(self) -> str:
        return f"chain of eight over {self.count >> 20} M floats"

    @property
    def work(self) -> tuple[float, str]:
        return 8e-9 * self.count, "GB/s"

    def inputs(self) -> tuple[np.ndarray]:
        """Return x."""
        return (_values(self.count),)


@dataclass(frozen=True, slots=True)
class Step:
    """A training step."""

    net: str
    batch: int

    @property
    def name(self) -> str:
        return f"step of the {self.net.upper()}, batch {self.batch}"

    @property
    def work(self) -> tuple[float, str]:
        return 1.0, "steps/s"

    def inputs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return images and labels."""
        shape = (784,) if self.net == "mlp" else (1, 28, 28)
        labels = np.random.default_rng(6).integers(0, 10, self.batch)
        return _values(self.batch, *shape), labels.astype(np.int32)


Work = Product | Convolution | Chain | Step
_KINDS = {kind.__name__: kind for kind in (Product, Convolution, Chain, Step)}
_PARTS = ("forward", "data gradient", "weight gradient")
_LAYERS = [
    *((16, 64, 56, 64, 3, 1, 1), (16, 128, 28, 128, 3, 1, 1), (16, 256, 14, 256, 3, 1, 1)),
    *((16, 64, 56, 256, 1, 1, 0), (16, 3, 224, 64, 7, 2, 3)),
]
_SKINNY = [(64, 1024, 4096), (128, 512, 784), (128, 512, 512), (128, 10, 512)]
WORKS: tuple[Work, ...] = (
    *(Product(n, n, n, t) for t in ("NN", "NT", "TN") for n in (512, 1024, 2048)),
    *(Product(*sizes, t) for sizes in _SKINNY for t in ("NN", "NT", "TN")),
    *(Convolution(*layer, part) for layer in _LAYERS for part in _PARTS),
    *(Step("mlp", 128), Step("cnn", 64), Chain(1 << 24)),
)
LARGE_WORKS: tuple[Work, ...] = tuple(Product(n, n, n) for n in (4096, 8192))
"""For GPUs; a CPU takes seconds for one sample."""


class UnsupportedError(Exception):
    """A peer cannot do this work; says why."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Work whose inputs lie on the device."""

    run: Callable[[], Any]
    """Enqueues it once."""
    wait: Callable[[], Any]
    """Returns when all that was enqueued is done."""
    result: Callable[[], np.ndarray]


def encode(work: Work) -> str:
    """Return a line of text."""
    return json.dumps([type(work).__name__, asdict(work)])


def decode(line: str) -> Work:
    """Return what was encoded."""
    kind, fields = json.loads(line)
    return _KINDS[kind](**fields)


def serve(prepare: Callable[[Any], Prepared]) -> None:
    """Answer every line of work and seconds with samples in milliseconds, or why there are none."""
    ready: dict[str, tuple[Prepared, float]] = {}
    # Libraries written in C print too, past sys.stdout.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        text, seconds = json.loads(line)
        try:
            if text not in ready:
                ready.clear()  # one work at a time keeps its inputs
                prepared = prepare(decode(text))
                ready[text] = (prepared, _digest(prepared.result()))
            prepared, digest = ready[text]
            answer = {"samples_ms": _samples(prepared, seconds), "digest": digest}
        except UnsupportedError as error:
            answer = {"refused": str(error)}
        except Exception as error:  # noqa: BLE001 - a peer may fail in any way
            answer = {"refused": f"{type(error).__name__}: {str(error)[:200]}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _samples(prepared: Prepared, seconds: float) -> list[float]:
    def timed(times: int) -> float:
        started = time.perf_counter()
        for _ in range(times):
            prepared.run()
        prepared.wait()
        return (time.perf_counter() - started) / times

    timed(1)
    once = statistics.median(timed(1) for _ in range(2))
    times = max(1, round(seconds / _SAMPLES / max(once, 1e-6)))
    return [1e3 * timed(times) for _ in range(_SAMPLES)]


def _digest(result: np.ndarray) -> float:
    """Return one number by which peers' results are compared."""
    value = float(np.abs(np.asarray(result, np.float64)).mean())
    if not math.isfinite(value):
        raise ArithmeticError("the result is not finite")
    return value


def _values(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)
