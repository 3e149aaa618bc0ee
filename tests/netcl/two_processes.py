# SPDX-License-Identifier: MIT
"""Two processes train one net, each on an OpenCL device, and gather what they have: a program.

    python tests/netcl/two_processes.py [DEVICE [DEVICE]]

DEVICE is part of a device's name or its index. On two machines start a part on each, with the
address of the first: MASTER_ADDR=… MASTER_PORT=… RANK=0|1 WORLD_SIZE=2 in the environment.
"""

import os
import socket
import subprocess
import sys
import warnings
from datetime import timedelta

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

TIME_LIMIT_S = 120
STEPS = 3


def main() -> int:
    """Be one part, and start the other unless somebody else does."""
    devices = sys.argv[1:] or ["0"]
    if "RANK" in os.environ:
        rank = int(os.environ["RANK"])
        return part(rank, devices[rank % len(devices)])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2", "RANK": "1"}
    with subprocess.Popen([sys.executable, __file__, *devices], env=os.environ) as other:
        try:
            os.environ["RANK"] = "0"
            return part(0, devices[0]) or abs(other.wait(TIME_LIMIT_S))
        finally:
            other.kill()


def part(rank: int, device: str) -> int:
    """Train, compare with what the other has, and return the exit status."""
    # Torch's compiler warns of what its next version drops.
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)  # those of two processes would wait for each other by spinning
    distributed.init_process_group("gloo", timeout=timedelta(seconds=60))
    torch.manual_seed(rank)  # DistributedDataParallel begins with the weights of the first
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
    options = {"device": device, "fallback": "error"}
    call = torch.compile(DistributedDataParallel(net), backend="clprobe", options=options)
    optimiser = torch.optim.SGD(net.parameters(), 0.1)
    for _ in range(STEPS):
        optimiser.zero_grad()
        call(torch.randn(4, 6)).square().mean().backward()
        optimiser.step()
    weights = nn.utils.parameters_to_vector(net.parameters()).detach()
    both = [torch.empty_like(weights) for _ in range(2)]
    distributed.all_gather(both, weights)
    equal = torch.equal(both[0], both[1])
    right = collectives(torch.tensor([1.0, 2.0]) * (rank + 1), rank)
    if rank == 0:
        said = "right" if right else "wrong"
        say(f"met at tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}")
        say(f"weights of both: {'equal' if equal else 'not equal'}")
        say(f"all_reduce, broadcast, gather, reduce, all_gather: {said}")
    distributed.barrier()  # who leaves while the other still gathers may take it down
    distributed.destroy_process_group()
    return 0 if equal and right else 1


def collectives(own: torch.Tensor, rank: int) -> bool:
    """Return whether all five do what they are called, for [1, 2] here and [2, 4] there."""
    one, two = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 4.0])
    summed, sent, reduced = own.clone(), own.clone(), own.clone()
    everybodys = [torch.empty(2) for _ in range(2)]
    gathered = [torch.empty(2) for _ in range(2)] if rank == 0 else None
    distributed.all_reduce(summed)
    distributed.broadcast(sent, 1)
    distributed.reduce(reduced, 0)
    distributed.gather(own, gathered)
    distributed.all_gather(everybodys, own)
    seen = [(summed, one + two), (sent, two), (everybodys[0], one), (everybodys[1], two)]
    if gathered is not None:
        seen += [(reduced, one + two), (gathered[0], one), (gathered[1], two)]
    return all(torch.equal(found, right) for found, right in seen)


def say(line: str) -> None:
    """Print a line of the answer."""
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    # Torch 2.13 leaves gloo's threads running behind a destroyed group that DistributedDataParallel
    # used, eager or compiled. One process in some thirty was aborted at the interpreter's end, most
    # likely by them.
    os._exit(main())
