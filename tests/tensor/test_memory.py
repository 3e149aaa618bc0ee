# SPDX-License-Identifier: MIT
"""The pool: memory is used again, little is held idle, and what a tape held is freed."""

import gc
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device, ShapeError, Tensor, nn, softmax_cross_entropy
from clprobe.tensor.optim import SGD


@pytest.fixture
def fresh(device: Device) -> Iterator[Device]:
    """Return a device with an empty pool; what is not freed at once is not freed at all."""
    gc.disable()
    with Device.open(device.cl_device, limits=device.limits) as opened:
        yield opened
    gc.enable()


def test_live_bytes_are_those_of_the_arrays_that_exist(fresh: Device) -> None:
    first = Array.empty(fresh, (1000,))
    second = Array.empty(fresh, (500,))
    assert fresh.memory.live_bytes == 6000

    del first
    assert fresh.memory.live_bytes == 2000
    assert second.size == 500


def test_memory_of_an_array_that_is_gone_is_used_again(fresh: Device) -> None:
    for _ in range(100):
        Array.empty(fresh, (1000,))

    assert fresh.memory.held_bytes == fresh.memory.peak_held_bytes == 4000


def test_a_full_array_takes_no_memory_until_it_is_needed(fresh: Device) -> None:
    array = Array.full(fresh, (1000,), 2.0)
    assert fresh.memory.live_bytes == 0

    assert array.numpy().sum() == 2000
    assert fresh.memory.live_bytes == 4000


def test_little_memory_is_held_idle_whatever_sizes_come_and_go(fresh: Device) -> None:
    generator = np.random.default_rng(6)
    kept: list[Array] = []
    for _ in range(2000):
        kept.append(Array.empty(fresh, (int(generator.integers(1, 5000)),)))
        if len(kept) > 40:
            del kept[int(generator.integers(len(kept)))]
        memory = fresh.memory
        assert memory.held_bytes <= 1.2 * memory.peak_live_bytes

    assert fresh.memory.live_bytes == sum(each.size_bytes for each in kept)


@pytest.mark.parametrize("batch", [1, 7, 128])
def test_a_training_loop_holds_little_more_than_what_lives_at_once(
    fresh: Device, batch: int
) -> None:
    generator = np.random.default_rng(1)
    given = {"device": fresh, "generator": generator}
    net = nn.Sequential(nn.Linear(64, 96, **given), nn.ReLU(), nn.Linear(96, 10, **given))
    images = Tensor.from_numpy(np.ones((batch, 64), np.float32), fresh)
    labels = Tensor.from_numpy(np.zeros(batch, np.int32), fresh)
    optimiser = SGD(net.parameters(), 0.1, momentum=0.9)

    def step() -> None:
        optimiser.zero_grad()
        softmax_cross_entropy(net(images), labels).backward()
        optimiser.step()

    for _ in range(2):
        step()
    once = fresh.memory
    for _ in range(5):
        step()

    memory = fresh.memory
    assert memory.live_bytes == once.live_bytes
    assert memory.peak_live_bytes == once.peak_live_bytes
    assert memory.peak_held_bytes <= 1.2 * memory.peak_live_bytes


def test_a_backward_pass_frees_what_the_tape_held(fresh: Device) -> None:
    x = Tensor.from_numpy(np.ones((1000, 10), np.float32), fresh, requires_grad=True)
    weight = Tensor.from_numpy(np.ones((10, 10), np.float32), fresh)
    before = fresh.memory.live_bytes

    loss = ((x @ weight) @ weight).sum()
    loss.numpy()
    loss.backward()
    x.grad = None

    assert fresh.memory.live_bytes == before + 4


def test_a_configuration_that_does_not_build_keeps_no_array(fresh: Device, tmp_path: Path) -> None:
    kernels = Path(shutil.copytree(kernels_path(), tmp_path / "kernels"))
    (kernels / "matmul" / "subgroup.cl").write_text("#error\n")
    limits = replace(fresh.limits, is_cpu=False, vendor_id=0x8086, sub_groups=True, compute_units=1)

    with Device.open(fresh.cl_device, limits=limits, kernels=kernels) as opened:
        x = Tensor.from_numpy(np.ones((100, 100), np.float32), opened)
        (x @ x).numpy()

        assert opened.programs.skipped
        assert opened.memory.live_bytes == x.array.size_bytes


def test_a_tape_serves_one_backward_pass(device: Device) -> None:
    x = Tensor.from_numpy(np.ones(3, np.float32), device, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()

    with pytest.raises(ShapeError, match="used up their tape"):
        loss.backward()
