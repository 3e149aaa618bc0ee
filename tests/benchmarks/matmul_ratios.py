# SPDX-License-Identifier: MIT
"""Times our matrix products on CPU devices beside the CPU's own libraries: run it with python.

    python matmul_ratios.py [--opencl NAME=PLATFORM[@LIBRARY] ...] [--rounds 15] [--only NT_512]

Every contestant is a process of its own, for an ICD is found through the environment; they take
turns, so that whatever else the machine does hits all alike. Prints a Markdown table: medians in
GFLOP/s, and the ratio of the better OpenCL device to torch and to the fastest library, with the
least and the greatest ratio of any round.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ("torch", "onednn", "numpy")
# PERFORMANCE.md's: squares, and the products of an MLP's step.
SIZES = [
    *((n, n, n) for n in (512, 1024, 2048)),
    *((128, 512, 784), (128, 512, 512), (128, 10, 512), (64, 1024, 4096)),
]
_SAMPLE_SECONDS = 0.02
# Threads that wait for work by spinning would take the next contestant's time: OpenMP's do so for
# a millisecond, OpenBLAS's for 2 to the power of this many cycles (26 unless told otherwise).
_PAUSE_SECONDS = 0.01
_QUIET = {"OPENBLAS_THREAD_TIMEOUT": "20", "PYTHONWARNINGS": "ignore"}

Product = tuple[str, int, int, int]
Samples = dict[str, list[float]]


class Contestant:
    """A process that multiplies when it is told to."""

    def __init__(self, name: str, kind: str, library: str = "") -> None:
        self.name = name
        self._folder = tempfile.TemporaryDirectory()
        environment = os.environ | _QUIET | {"PYTHONPATH": str(ROOT)}
        if library:
            Path(self._folder.name, "only.icd").write_text(f"{library}\n")
            environment |= {"OCL_ICD_VENDORS": self._folder.name}
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("matmul_contestants.py"), kind],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, **order: object) -> dict[str, float]:
        """Return the answer; a process that ended answers nothing."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(json.dumps(order) + "\n")
            stdin.flush()
        except BrokenPipeError:
            return {}
        return json.loads(stdout.readline() or "{}")

    def seconds(self, times: int) -> float:
        """Return how long one product takes."""
        return self.ask(times=times)["seconds"] / times

    def end(self) -> None:
        """Let the process go."""
        self._process.communicate(timeout=30)
        self._folder.cleanup()


def measure(contestants: list[Contestant], product: Product, rounds: int) -> Samples:
    """Return the seconds of one product, for each round of those that compute it rightly."""
    able = [each for each in contestants if each.ask(product=product).get("right")]
    times = {each.name: 1 for each in able}
    for each in able:
        each.seconds(2)
        times[each.name] = max(1, round(_SAMPLE_SECONDS / each.seconds(3)))
    samples: Samples = {each.name: [] for each in able}
    for _ in range(rounds):
        for each in able:
            time.sleep(_PAUSE_SECONDS)
            each.seconds(1)
            samples[each.name].append(each.seconds(times[each.name]))
    return samples


def row(product: Product, samples: Samples, names: list[str]) -> str:
    """Return one line of the table."""
    kind, m, n, k = product
    median = {name: statistics.median(values) for name, values in samples.items()}
    cells = [
        f"{2 * m * n * k / median[name] / 1e9:.0f}" if name in median else "-" for name in names
    ]
    ours = [name for name in median if name not in LIBRARIES]
    libraries = [name for name in LIBRARIES if name in median]
    best = min(ours, key=median.__getitem__, default="")
    for rival in ("torch", min(libraries, key=median.__getitem__, default="")):
        if not best or rival not in median:
            cells.append("-")
            continue
        ratios = [x / y for x, y in zip(samples[rival], samples[best], strict=True)]
        ratio = median[rival] / median[best]
        cells.append(f"{ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    return f"| {kind}_{m}x{n}x{k} | " + " | ".join(cells) + " |"


def competing(opencl: list[str]) -> list[Contestant]:
    """Return a contestant for each library and for each NAME=PLATFORM[@LIBRARY]."""
    contestants = [Contestant(name, name) for name in LIBRARIES]
    for entry in opencl:
        name, _, device = entry.partition("=")
        platform, _, library = device.partition("@")
        contestants.append(Contestant(name, f"opencl:{platform}", library))
    return contestants


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opencl", nargs="+", default=["pocl=Portable Computing Language"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="part of a product's name, such as NT_512")
    given = parser.parse_args()
    contestants = competing(given.opencl)
    names = [each.name for each in contestants]
    lines = [
        f"| GFLOP/s | {' | '.join(names)} | ours / torch | ours / fastest library |",
        "|---" * (len(names) + 3) + "|",
    ]
    print("\n".join(lines), flush=True)  # noqa: T201
    for m, n, k in SIZES:
        for kind in ("NN", "NT", "TN"):
            if given.only in f"{kind}_{m}x{n}x{k}":
                samples = measure(contestants, (kind, m, n, k), given.rounds)
                print(row((kind, m, n, k), samples, names), flush=True)  # noqa: T201
    for each in contestants:
        each.end()


if __name__ == "__main__":
    main()
