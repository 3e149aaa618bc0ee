# SPDX-License-Identifier: MIT
"""Dropout: the generator's known answers, the share that is kept, and what repeats."""

from pathlib import Path

import numpy as np
import pytest

from clprobe.resources import kernels_path
from clprobe.tensor import Array, Device, ShapeError, Tensor, nn
from clprobe.tensor.functions import dropout
from clprobe.tensor.ops.dropout import RandomStream
from clprobe.tensor.program import Programs

# The kernel under test is a function, so a kernel around it lets it answer.
ASK = """
#include "common/philox.cl"
kernel void ask(global uint *words, uint key_low, uint key_high) {
    uint block[4] = {words[0], words[1], words[2], words[3]};
    philox(block, key_low, key_high);
    for (int word = 0; word < 4; word++)
        words[word] = block[word];
}
"""
# Random123 1.14, tests/kat_vectors: counter, key and answer of philox4x32 with 10 rounds.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0"),
]
ANSWERS = [
    "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    "408f276d 41c83b0e a20bc7c6 6d5451fd",
    "d16cfe09 94fdcceb 5001e420 24126ea1",
]


def words(text: str) -> np.ndarray:
    return np.array([int(word, 16) for word in text.split()], np.uint32)


def philox(counter: np.ndarray, key: tuple[int, int]) -> np.ndarray:
    """Return Philox 4x32-10 of many counters, one to a row, in NumPy."""
    a, b, c, d = (counter[:, word].astype(np.uint64) for word in range(4))
    low, high = np.uint64(key[0]), np.uint64(key[1])
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        first, second = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b = (second >> shift) ^ b ^ low, second & mask
        c, d = (first >> shift) ^ d ^ high, first & mask
        low = (low + np.uint64(0x9E3779B9)) & mask
        high = (high + np.uint64(0xBB67AE85)) & mask
    return np.stack([a, b, c, d]).astype(np.uint32)


def kept(count: int, seed: int, draw: int, rate: float) -> np.ndarray:
    """Return which of `count` values a draw keeps."""
    blocks = -(-count // 4)
    counters = np.zeros((blocks, 4), np.uint32)
    counters[:, 0] = np.arange(blocks)
    counters[:, 2] = draw
    random = philox(counters, (seed & 0xFFFFFFFF, seed >> 32)).reshape(-1)[:count]
    return random < round((1 - rate) * 2**32)


def ones(device: Device, count: int) -> Tensor:
    return Tensor.from_numpy(np.ones(count, np.float32), device, requires_grad=True)


@pytest.mark.parametrize(("question", "answer"), list(zip(KNOWN, ANSWERS, strict=True)))
def test_philox_gives_the_answers_of_its_authors(
    device: Device, tmp_path: Path, question: tuple[str, str], answer: str
) -> None:
    (tmp_path / "common").symlink_to(kernels_path() / "common")
    (tmp_path / "ask.cl").write_text(ASK)
    programs = Programs(device.context, device.cl_device, device.limits, tmp_path)
    counter, key = (words(text) for text in question)
    block = Array.from_numpy(counter.view(np.int32), device)

    device.launch(programs.kernel("ask.cl", "ask"), (1,), (1,), (block.buffer, *key))

    assert (block.numpy().view(np.uint32) == words(answer)).all()
    assert (philox(counter[None], (int(key[0]), int(key[1])))[:, 0] == words(answer)).all()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 1001, 70_003])
@pytest.mark.parametrize("seed", [0, 7, (5 << 32) + 3])
def test_what_is_kept_follows_from_seed_draw_and_place(
    device: Device, count: int, seed: int
) -> None:
    stream = RandomStream(device, seed)

    for draw in range(2):
        x = ones(device, count)
        y = dropout(x, 0.25, stream)
        y.sum().backward()

        expected = kept(count, seed, draw, 0.25) * np.float32(1 / 0.75)
        assert (y.numpy() == expected).all()
        assert x.grad is not None
        assert (x.grad.numpy() == expected).all()


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_share_that_is_kept_is_the_one_asked_for(device: Device, rate: float) -> None:
    count = 100_000

    share = np.count_nonzero(dropout(ones(device, count), rate, RandomStream(device, 1)).numpy())

    # Six standard deviations of a binomial distribution.
    assert abs(share / count - (1 - rate)) < 6 * np.sqrt(rate * (1 - rate) / count)


def test_rates_of_nothing_and_of_everything(device: Device) -> None:
    stream = RandomStream(device, 1)

    assert (dropout(ones(device, 9), 0, stream).numpy() == 1).all()
    assert not dropout(ones(device, 9), 1, stream).numpy().any()


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_that_is_no_probability_is_refused(device: Device, rate: float) -> None:
    with pytest.raises(ShapeError, match="no probability"):
        dropout(ones(device, 3), rate, RandomStream(device, 1))


def test_the_layer_drops_in_training_only(device: Device) -> None:
    layer = nn.Dropout(0.5, stream=RandomStream(device, 1))

    assert not layer(ones(device, 100)).numpy().all()
    assert (layer.eval()(ones(device, 100)).numpy() == 1).all()


def test_nothing_gives_nothing(device: Device) -> None:
    assert dropout(ones(device, 0), 0.5, RandomStream(device, 1)).shape == (0,)
