# SPDX-License-Identifier: MIT
"""Proves every ordinary net at several batches on one device: PLATFORM [NET,… [BATCH,…]].

Prints a line each; the last counts those that are called wrong. A program of its own, as one
process loads only the drivers that its environment names.
"""

import sys

import pyopencl as cl
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
    device = Device.open(found[0])
    wrong = 0
    for name in names.split(",") if names else NETS:
        for batch in map(int, (batches or "1,8,64,512").split(",")):
            proof = checked(device, user_net(name), batch).proof
            wrong += not proof.holds
            print(f"{name} {batch} {proof.max_error} of {proof.tolerance} {proof.what}", flush=True)  # noqa: T201
    print(f"{wrong} wrong")  # noqa: T201


if __name__ == "__main__":
    main()
