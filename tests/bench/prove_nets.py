# SPDX-License-Identifier: MIT
"""Proves every ordinary net at several batches on one device: PLATFORM [NET,… [BATCH,…]].

Prints a line each; the last counts those that are called wrong. A program of its own, as one
process loads only the drivers that its environment names.
"""

import sys

import pyopencl as cl
from built_once import each_source_built_once, optimized
from net_proofs import checked, user_net
from ordinary_nets import NETS

from clprobe.tensor import Device


def main() -> None:
    """Do so."""
    platform, names, batches, *_ = [*sys.argv[1:], "", ""]
    found = [
        device
        for each in cl.get_platforms()
        if platform in each.name + each.version
        for device in each.get_devices()
    ]
    if not found:
        sys.exit("no such device")
    with each_source_built_once(), optimized(), Device.open(found[0]) as device:
        wrong = wrong_on(device, names.split(",") if names else [*NETS], batches or "1,8,64,512")
    print(f"{wrong} wrong")  # noqa: T201


def wrong_on(device: Device, names: list[str], batches: str) -> int:
    """Return how many proofs fail."""
    wrong = 0
    for name in names:
        for batch in map(int, batches.split(",")):
            proof = checked(device, user_net(name), batch).proof
            wrong += not proof.holds
            print(f"{name} {batch} {proof.max_error} of {proof.tolerance} {proof.what}", flush=True)  # noqa: T201
    return wrong


if __name__ == "__main__":
    main()
