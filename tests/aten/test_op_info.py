# SPDX-License-Identifier: MIT
"""Some of PyTorch's own samples, forward and backward; all: tests/benchmarks/op_info_samples.py."""

import pytest

from clprobe.tensor import Device

pytest.importorskip("expecttest", reason="torch's samples need expecttest")

from op_info import Tally, name_of, operations, run, samples

MOST = 3
SOME = (
    "isfinite",
    "isreal",
    "sum",
    "amax",
    "logsumexp",
    "gather",
    "cat",
    "nn.functional.relu",
    "nn.functional.adaptive_avg_pool2d",
)


@pytest.mark.parametrize("info", operations(SOME), ids=name_of)
def test_torchs_own_samples_agree(info, device: Device) -> None:
    tally = Tally()

    for sample in samples(info, MOST):
        run(sample, device, tally)

    assert tally.failed == []
    assert tally.agreed > 0
    assert tally.differing_replays == 0
