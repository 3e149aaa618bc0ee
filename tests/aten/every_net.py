# SPDX-License-Identifier: MIT
"""Trains nets on the devices of one platform beside eager torch: a program.

    python every_net.py PART-OF-A-PLATFORM'S-NAME [--full] [--nets gpt lstm] [--ways bench]

prints a line of JSON for each net and way of training it, and exits 1 if one disagrees or anything
but bookkeeping ran on the CPU, 2 if no device has such a platform.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict

import pyopencl as cl
from agreement import Yardstick, as_bench_does, compiled
from built_once import each_source_built_once, optimized
from further import FURTHER, Further
from known_nets import FULL, SMALL, Known

from clprobe.model.errors import ClprobeError
from clprobe.tensor import Device

Row = dict[str, object]
_WAYS = ("bench", "compile")
KNOWN = sorted(FULL)


def rows(name: str, known: Known | Further, device: Device, ways: Sequence[str]) -> Iterator[Row]:
    """Yield what came of a net, trained as bench does and through torch.compile."""
    yardstick = Yardstick(known)
    if "bench" in ways:
        yield {"net": name, "way": "bench", **as_in_bench(yardstick, device)}
    if "compile" in ways:
        yield {"net": name, "way": "compile", **as_compiled(yardstick, device)}


def as_in_bench(yardstick: Yardstick, device: Device) -> Row:
    """Return how a step agrees that keeps all on the device, and where its operations ran."""
    step, run = as_bench_does(yardstick, device)
    began = time.perf_counter()
    found = yardstick.agreement(run)
    account = step.account
    return {
        **asdict(found),
        "agrees": found.share <= 1 and not account.fallen_back,
        "fallen_back": dict(account.fallen_back),
        "share": account.seconds / max(account.seconds, step.seconds),
        "bookkeeping": dict(account.bookkeeping),
        "on_device": sum(account.on_device.values()),
        "seconds": time.perf_counter() - began,
    }


def as_compiled(yardstick: Yardstick, device: Device) -> Row:
    """Return how the net agrees through torch.compile, or why it does not get through."""
    began = time.perf_counter()
    try:
        found = yardstick.agreement(compiled(yardstick, device))
        row: Row = {**asdict(found), "agrees": found.share <= 1}
    # Torch's compiler wraps what a backend raises in an error of its own.
    except (ClprobeError, RuntimeError) as error:
        row = {"agrees": False, "error": str(error)}
    return row | {"seconds": time.perf_counter() - began}


def main() -> int:
    """Train what was asked for on each device of the platforms so named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platform")
    parser.add_argument("--full", action="store_true", help="nets and batches at their own size")
    parser.add_argument("--unoptimized", action="store_true", help="let PoCL build in less time")
    parser.add_argument("--nets", nargs="+", choices=[*KNOWN, *FURTHER], default=KNOWN)
    parser.add_argument("--ways", nargs="+", choices=_WAYS, default=_WAYS)
    given = parser.parse_args()
    # Torch's compiler warns of what its next version drops.
    warnings.simplefilter("ignore")
    devices = [
        device
        for platform in cl.get_platforms()
        if given.platform in platform.name
        for device in platform.get_devices()
    ]
    agree = True
    nets = FURTHER | (FULL if given.full else SMALL)
    builds = nullcontext if given.unoptimized else optimized
    for cl_device in devices:
        with each_source_built_once(), builds(), Device.open(cl_device) as device:
            for name in given.nets:
                for row in rows(name, nets[name], device, given.ways):
                    agree &= bool(row["agrees"])
                    print(json.dumps({"device": device.name, **row}), flush=True)  # noqa: T201
    return 2 if not devices else int(not agree)


if __name__ == "__main__":
    sys.exit(main())
