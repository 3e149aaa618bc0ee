# SPDX-License-Identifier: MIT
"""Times whole training steps beside torch's, in turns: run it with python, it is no test.

    python step_ratios.py [PART-OF-A-PLATFORM'S-NAME] [--torch-device cuda] [--rounds 15]

A step is forward, loss, backward and SGD with momentum on one batch that lies on the device: the
MLP 784-512-512-10 with a batch of 128, and a CNN for 28x28 images with a batch of 64 (3x3
convolutions to 32 and 64 channels, each with relu and 2x2 max-pooling, then a linear layer).
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

from clprobe.tensor import Device, Tensor, nn, optim, softmax_cross_entropy
from clprobe.tensor.capture import capture

SHAPES = {"mlp": (784,), "cnn": (1, 28, 28)}
BATCHES = {"mlp": 128, "cnn": 64}
_SAMPLE_SECONDS = 0.05

Run = Callable[[], Any]


def layers(name: str, linear: Any, conv: Any, *plain: Any) -> list[Any]:
    """Return the layers of a net, made by one framework's functions; the last three are `plain`."""
    relu, pool, flatten = plain
    if name == "mlp":
        return [linear(784, 512), relu(), linear(512, 512), relu(), linear(512, 10)]
    return [
        *(conv(1, 32), relu(), pool(2), conv(32, 64), relu(), pool(2)),
        *(flatten(), linear(64 * 7 * 7, 10)),
    ]


def batch_of(name: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    images = generator.normal(size=(size, *SHAPES[name])).astype(np.float32)
    return images, generator.integers(0, 10, size).astype(np.int32)


class Net:
    """A net of clprobe on one device, trained by steps."""

    def __init__(self, device: Device, name: str, size: int) -> None:
        given: dict[str, Any] = {"device": device, "generator": np.random.default_rng(1)}
        self.device = device
        self.net = nn.Sequential(
            *layers(
                name,
                lambda inputs, outputs: nn.Linear(inputs, outputs, **given),
                lambda inputs, outputs: nn.Conv2d(inputs, outputs, 3, padding=1, **given),
                *(nn.ReLU, nn.MaxPool2d, nn.Flatten),
            )
        )
        self.images, self.labels = (Tensor.from_numpy(x, device) for x in batch_of(name, size))
        self.optimiser = optim.SGD(self.net.parameters(), 0.01, momentum=0.9)

    def eager(self) -> Tensor:
        """Enqueue one step from Python."""
        self.optimiser.zero_grad()
        loss = softmax_cross_entropy(self.net(self.images), self.labels)
        loss.backward()
        self.optimiser.step()
        return loss


def torch_step(name: str, size: int, device: str) -> tuple[Run, Run]:
    """Return one step of the same net in torch, and a wait."""
    import torch  # noqa: PLC0415 - first_use.py imports this file without it

    net = torch.nn.Sequential(
        *layers(
            name,
            torch.nn.Linear,
            lambda inputs, outputs: torch.nn.Conv2d(inputs, outputs, 3, padding=1),
            *(torch.nn.ReLU, torch.nn.MaxPool2d, torch.nn.Flatten),
        )
    ).to(device)
    images, labels = (torch.from_numpy(x).to(device) for x in batch_of(name, size))
    labels = labels.long()
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def step() -> Any:
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(images), labels)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        return loss

    return step, torch.cuda.synchronize if device == "cuda" else lambda: None


def cuda_graph(step: Run) -> Run:
    """Return the replay of a step of torch that was captured as a CUDA graph."""
    import torch  # noqa: PLC0415 - first_use.py imports this file without it

    # What a first step allocates for good must lie outside the graph's memory.
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def seconds_in_turns(contestants: dict[str, tuple[Run, Run]], rounds: int) -> dict[str, float]:
    """Return each one's median seconds per run; each gives a run and a wait for all runs."""
    repeats = {}
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for name, (run, wait) in contestants.items():
        run()
        wait()
        repeats[name] = max(1, round(_SAMPLE_SECONDS / timed(run, wait, 3)))
    for _ in range(rounds):
        for name, (run, wait) in contestants.items():
            timed(run, wait, 1)
            samples[name].append(timed(run, wait, repeats[name]))
    best = ", ".join(f"{name} {min(taken) * 1e3:.3f}" for name, taken in samples.items())
    report(f"fastest samples in ms: {best}")
    return {name: statistics.median(taken) for name, taken in samples.items()}


def timed(run: Run, wait: Run, times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        run()
    wait()
    return (time.perf_counter() - started) / times


def compare(device: Device, name: str, size: int, torch_device: str, rounds: int) -> None:
    """Print the times of one step, and where the device spends them."""
    ours = Net(device, name, size)
    ours.eager()
    with capture(device) as step:
        ours.eager()
    theirs, wait = torch_step(name, size, torch_device)
    contestants = {
        "torch": (theirs, wait),
        "eager": (ours.eager, device.finish),
        "replay": (step.replay, device.finish),
    }
    if torch_device == "cuda":
        captured, _ = torch_step(name, size, torch_device)  # kept, for a graph keeps no batch
        contestants["graph"] = (cuda_graph(captured), wait)
    taken = seconds_in_turns(contestants, rounds)
    with device.record_events() as recorded:
        step.replay()
    kernels = sum(each.elapsed_ns for each in recorded) / 1e6
    report(
        f"{name} batch {size}: torch {taken['torch'] * 1e3:.3f} ms, "
        f"eager {taken['eager'] * 1e3:.3f} ms ({taken['eager'] / taken['torch']:.2f} of torch), "
        f"replay {taken['replay'] * 1e3:.3f} ms ({taken['replay'] / taken['torch']:.2f}), "
        f"kernels {kernels:.3f} ms in {len(recorded)} launches, "
        f"{taken['replay'] / size * 1e6:.2f} µs per sample, "
        f"memory held / live {step.memory.peak_held_bytes / 1e6:.1f} / "
        f"{step.memory.peak_live_bytes / 1e6:.1f} MB"
    )
    if "graph" in taken:
        of_graph = taken["replay"] / taken["graph"]
        report(
            f"    a CUDA graph of torch {taken['graph'] * 1e3:.3f} ms, replay {of_graph:.2f} of it"
        )
    for each in sorted(recorded, key=lambda each: -each.elapsed_ns):
        report(f"    {each.elapsed_ns / 1e6:8.3f} ms  {each.name}")


def report(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("platform", nargs="?", default="")
    parser.add_argument("--torch-device", default="cpu")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--nets", nargs="*", default=list(SHAPES))
    parser.add_argument("--batches", type=int, nargs="*", default=[])
    given = parser.parse_args()
    platform = next(each for each in cl.get_platforms() if given.platform in each.name)
    with Device.open(platform.get_devices()[0]) as device:
        report(f"{platform.name} {platform.version}, {device.name}")
        for name in given.nets:
            for size in given.batches or [BATCHES[name]]:
                compare(device, name, size, given.torch_device, given.rounds)


if __name__ == "__main__":
    main()
