# SPDX-License-Identifier: MIT
"""One of several processes that train a net together, each on an OpenCL device: a program.

    python data_parallel.py RANK OF MEETING-FILE WEIGHTS-FILE [--dies-at STEP]

takes ten steps on its share of each batch and writes the weights; one process takes whole batches.
"""

import argparse
import os
import signal
import warnings
from datetime import timedelta

import torch
from torch import distributed, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

STEPS, BATCH = 10, 8
PATIENCE = timedelta(seconds=60)


def net() -> nn.Module:
    """Return a net without batch-norm, whose statistics are each process's own."""
    torch.manual_seed(5)
    return nn.Sequential(
        *(nn.Conv2d(3, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.SiLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 12, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        nn.Linear(12, 5),
    )


def main() -> None:
    """Train, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rank", type=int)
    parser.add_argument("of", type=int)
    parser.add_argument("meeting")
    parser.add_argument("weights")
    parser.add_argument("--dies-at", type=int, default=STEPS)
    given = parser.parse_args()
    # Torch's compiler warns of what its next version drops.
    warnings.simplefilter("ignore")
    own = model = net()
    if given.of > 1:
        meeting = f"file://{given.meeting}"
        distributed.init_process_group(
            *("gloo", meeting, PATIENCE), rank=given.rank, world_size=given.of
        )
        model = DistributedDataParallel(own)
    options = {"device": "cpu", "fallback": "error"}
    call = torch.compile(model, backend="clprobe", options=options)
    optimiser = torch.optim.SGD(own.parameters(), 0.05, 0.9)
    generator = torch.Generator().manual_seed(7)
    for step in range(STEPS):
        x = torch.randn(BATCH, 3, 12, 12, generator=generator)
        labels = torch.randint(0, 5, (BATCH,), generator=generator)
        if step == given.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        optimiser.zero_grad()
        share = slice(given.rank, None, given.of)
        functional.cross_entropy(call(x[share]), labels[share]).backward()
        optimiser.step()
    torch.save(own.state_dict(), given.weights)
    if given.of > 1:
        distributed.destroy_process_group()


if __name__ == "__main__":
    main()
    # Not through the interpreter's end, for the reason that tests/netcl/two_processes.py gives.
    os._exit(0)
