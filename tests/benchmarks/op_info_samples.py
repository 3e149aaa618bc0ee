# SPDX-License-Identifier: MIT
"""Runs PyTorch's own samples of all operations that our table takes part in, on one device.

    python tests/benchmarks/op_info_samples.py --device "Portable" --most 10

Needs torch, and expecttest beside it. It prints how many samples agree, failures by name, and what
ran on the CPU; exit status 1 where fewer than 99 of 100 agree.
"""

import argparse
import sys
import time
from pathlib import Path

import pyopencl as cl

sys.path.insert(0, str(Path(__file__).parents[1] / "aten"))

from op_info import Tally, name_of, operations, run, samples

from clprobe.tensor import Device

_WANTED = 0.99


def main() -> int:
    """Run them and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("operations", nargs="*", metavar="OPERATION")
    parser.add_argument("--device", default="Portable", help="words of its platform or name")
    parser.add_argument("--most", type=int, help="samples of an operation")
    parser.add_argument("--part", default="1/1", help="2/4: the second quarter of the operations")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin none after")
    options = parser.parse_args()
    found = next(
        device
        for platform in cl.get_platforms()
        for device in platform.get_devices()
        if options.device in f"{platform.name} {device.name}"
    )
    part, parts = map(int, options.part.split("/"))
    chosen = operations(tuple(options.operations))[part - 1 :: parts]
    started = time.monotonic()
    tallies: dict[str, Tally] = {}
    with Device.open(found) as device:
        for info in chosen:
            if time.monotonic() - started > options.seconds:
                _tell(f"not run: {name_of(info)}")
                continue
            tally = tallies[name_of(info)] = Tally()
            for sample in samples(info, options.most):
                run(sample, device, tally)
            for failure in tally.failed:
                _tell(f"FAILED {failure}")
    agreed = sum(one.agreed for one in tallies.values())
    failed = sum(len(one.failed) for one in tallies.values())
    ours = [name for name, one in tallies.items() if one.agreed or one.failed]
    _tell(f"bit-unequal replays: {sum(one.differing_replays for one in tallies.values())}")
    fallen = sorted(set().union(*(one.fallen_back for one in tallies.values())))
    _tell(f"ran on the CPU: {' '.join(fallen)}")
    reached = set().union(*(one.on_device for one in tallies.values()))
    _tell(f"{len(reached)} operations of the table ran")
    share = agreed / max(1, agreed + failed)
    _tell(
        f"{found.name}: {agreed} of {agreed + failed} samples of {len(ours)} operations agree "
        f"({share:.2%}), {time.monotonic() - started:.0f} s"
    )
    return int(share < _WANTED)


def _tell(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
