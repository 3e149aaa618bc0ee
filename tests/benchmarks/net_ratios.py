# SPDX-License-Identifier: MIT
"""Times steps of captured torch modules: beside nets written by hand, and beside torch itself.

    python net_ratios.py [PART-OF-A-PLATFORM'S-NAME] [--only written|torch] [--torch-device cuda]
                         [--net resnet18] [--batch 32] [--side 224] [--threads 2] [--rounds 9]
                         [--cpu-time]

`written`: the MLP and the CNN of step_ratios.py, as layers of clprobe and as the graph of a torch
module, both replayed on batches that lie on the device. `torch`: a net of tests/aten/known_nets.py
in eager torch, as bench takes a step of the captured module, and through
torch.compile(backend="clprobe") with torch's optimiser on the CPU. fp32 without TF32, cuDNN free to
choose. All take turns in one process. Prints a Markdown table: median and least in ms, ratio to the
first row by medians and by the least, and the least and greatest ratio of any round. With
--cpu-time it counts what all threads used, for a CPU that others use, too; threads should not spin
then while they wait (KMP_BLOCKTIME=0).
"""

import argparse
import copy
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pyopencl as cl
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "aten"), str(ROOT / "tests" / "icds")]

import known_nets  # noqa: E402 - the folder has to be on the path
from step_ratios import (  # noqa: E402
    BATCHES,
    SHAPES,
    Net,
    Run,
    batch_of,
    cuda_graph,
    layers,
    report,
)

from clprobe.aten import compile as backend  # noqa: E402
from clprobe.aten.step import ModuleStep  # noqa: E402
from clprobe.aten.training import training_graph  # noqa: E402
from clprobe.tensor import Array, Device, optim  # noqa: E402
from clprobe.tensor.capture import capture  # noqa: E402

_SAMPLE_SECONDS = 0.05
# Threads that wait for work by spinning would take the next contestant's time.
_PAUSE_SECONDS = 0.02
_RATE, _MOMENTUM = 0.01, 0.9

Contestants = dict[str, tuple[Run, Run]]
Loss = torch.nn.functional.cross_entropy


def captured(
    device: Device, module: torch.nn.Module, images: torch.Tensor, labels: torch.Tensor
) -> tuple[Run, Run]:
    """Return the step that bench takes of a module, on a batch on the device, and a wait."""
    graph = training_graph(copy.deepcopy(module), Loss, (images, labels))
    state = dict(module.named_parameters()) | dict(module.named_buffers())
    step = ModuleStep(device, graph, state, lambda each: optim.SGD(each, _RATE, _MOMENTUM))
    batch = step.bring(images, labels)
    for _ in range(3):  # node by node, captured, replayed
        step.train_on(batch)
    if step.account.fallen_back:
        raise SystemExit(f"On the CPU ran {dict(step.account.fallen_back)}.")
    return lambda: step.train_on(batch), device.finish


def written(device: Device, name: str) -> Contestants:
    """Return the replayed step of a net by layers of clprobe, and by torch's module."""
    by_hand = Net(device, name, BATCHES[name])
    host = [each.copy() for each in batch_of(name, BATCHES[name])]
    there = [Array.from_numpy(each, device) for each in host]
    by_hand.eager()
    with capture(device) as step:
        by_hand.eager()

    def run() -> None:
        by_hand.images.array.assign(there[0])
        by_hand.labels.array.assign(there[1])
        step.replay()

    torch.manual_seed(1)
    module = torch.nn.Sequential(
        *layers(
            name,
            torch.nn.Linear,
            lambda inputs, outputs: torch.nn.Conv2d(inputs, outputs, 3, padding=1),
            *(torch.nn.ReLU, torch.nn.MaxPool2d, torch.nn.Flatten),
        )
    )
    images, labels = (torch.from_numpy(each) for each in host)
    return {
        f"{name} {BATCHES[name]}: by hand": (run, device.finish),
        f"{name} {BATCHES[name]}: captured module": captured(device, module, images, labels.long()),
    }


def beside_torch(device: Device, given: argparse.Namespace) -> Contestants:
    """Return a known net's step in torch and in both of clprobe's ways."""
    torch.manual_seed(5)
    module = getattr(known_nets, given.net)()
    images = torch.randn(given.batch, 3, given.side, given.side)
    labels = torch.randint(0, 1000, (given.batch,))
    what = f"{given.net} {given.batch}x3x{given.side}x{given.side}"
    wait = torch.cuda.synchronize if given.torch_device == "cuda" else lambda: None

    def in_torch() -> Run:
        there = [each.to(given.torch_device) for each in (images, labels)]
        return _step(copy.deepcopy(module).to(given.torch_device), *there)

    contestants: Contestants = {f"{what}: torch, {given.torch_device}": (in_torch(), wait)}
    if given.torch_device == "cuda":
        step = in_torch()
        replay = cuda_graph(step)
        # The graph keeps neither the batch nor the net, the step does.
        contestants["torch's step as a CUDA graph"] = (lambda _kept=step: replay(), wait)
    contestants["clprobe, as bench"] = captured(device, module, images, labels)
    if "compile" in given.ways:
        backend._DEVICES["the one"] = device
        options = {"device": "the one", "fallback": "error"}
        own = copy.deepcopy(module)
        call = torch.compile(own, backend=backend.clprobe, fullgraph=True, options=options)
        contestants["clprobe, torch.compile"] = (_step(own, images, labels, call), device.finish)
    return contestants


def _step(
    module: torch.nn.Module, images: torch.Tensor, labels: torch.Tensor, call: Any = None
) -> Run:
    optimiser = torch.optim.SGD(module.parameters(), lr=_RATE, momentum=_MOMENTUM)

    def step() -> Any:
        optimiser.zero_grad()
        loss = Loss((call or module)(images), labels)
        loss.backward()
        optimiser.step()
        return loss

    return step


def in_turns(contestants: Contestants, given: argparse.Namespace) -> dict[str, list[float]]:
    """Return each one's seconds per run in every round."""
    clock = time.process_time if given.cpu_time else time.perf_counter

    def timed(run: Run, wait: Run, times: int) -> float:
        started = clock()
        for _ in range(times):
            run()
        wait()
        return (clock() - started) / times

    repeats = {}
    for name, (run, wait) in contestants.items():
        for _ in range(2):
            timed(run, wait, 1)
        repeats[name] = max(1, round(_SAMPLE_SECONDS / timed(run, wait, 1)))
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(given.rounds):
        for name, (run, wait) in contestants.items():
            time.sleep(_PAUSE_SECONDS)
            samples[name].append(timed(run, wait, repeats[name]))
    return samples


def show(samples: dict[str, list[float]], rounds: int) -> None:
    first = next(iter(samples.values()))
    report(
        f"| step, {rounds} rounds | median ms | least ms | of the first | by least | any round |"
    )
    report("|---|---|---|---|---|---|")
    for name, taken in samples.items():
        ratios = [x / y for x, y in zip(taken, first, strict=True)]
        cells = (
            *(name, f"{statistics.median(taken) * 1e3:.3f}", f"{min(taken) * 1e3:.3f}"),
            *(f"{f(taken) / f(first):.3f}" for f in (statistics.median, min)),
            f"{min(ratios):.2f} to {max(ratios):.2f}",
        )
        report("| " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("platform", nargs="?", default="")
    parser.add_argument("--only", choices=("written", "torch"))
    parser.add_argument("--torch-device", default="cpu")
    parser.add_argument("--net", default="resnet18")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--threads", type=int, default=2, help="of torch on the CPU")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--ways", nargs="+", default=["bench", "compile"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(given.threads)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    platform = next(each for each in cl.get_platforms() if given.platform in each.name)
    with Device.open(platform.get_devices()[0]) as device:
        driver = device.cl_device.driver_version
        report(f"{platform.name}, driver {driver}, {device.name}; torch {torch.__version__}")
        if given.only != "torch":
            for name in SHAPES:
                show(in_turns(written(device, name), given), given.rounds)
        if given.only != "written":
            show(in_turns(beside_torch(device, given), given), given.rounds)


if __name__ == "__main__":
    main()
