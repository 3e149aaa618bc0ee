# SPDX-License-Identifier: MIT
"""Two processes train one net, each on its OpenCL device: PoCL here, Intel's CPU runtime there."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from implementations import INTEL_CPU, POCL
from on_implementation import only_or_skip
from torch import distributed

PROGRAM = Path(__file__).with_name("data_parallel.py")
_ROOT = PROGRAM.parents[2]
TIME_LIMIT_S = 300
ENDS_WITHIN_S = 30
_KILLED = -9

pytestmark = pytest.mark.skipif(
    not (distributed.is_available() and distributed.is_gloo_available()),
    reason="this torch has no gloo",
)


@pytest.fixture
def implementations(tmp_path: Path) -> tuple[dict[str, str], dict[str, str]]:
    folders = tmp_path / "pocl", tmp_path / "intel"
    for folder in folders:
        folder.mkdir()
    return only_or_skip(POCL, folders[0]), only_or_skip(INTEL_CPU, folders[1])


@contextmanager
def started(
    environments: Sequence[dict[str, str]], folder: Path, *of_the_last: str
) -> Iterator[list[subprocess.Popen[str]]]:
    """Start one process on each implementation, and leave none behind."""
    count = len(environments)
    processes = [
        subprocess.Popen(
            [
                *(sys.executable, PROGRAM, str(rank), str(count)),
                *(folder / f"meeting-{count}", folder / f"{rank}-of-{count}.pt"),
                *(of_the_last if rank == count - 1 else ()),
            ],
            env=os.environ | {"PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"} | environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank, environment in enumerate(environments)
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def trained(environments: Sequence[dict[str, str]], folder: Path) -> list[dict[str, torch.Tensor]]:
    """Return the weights that each process ends with."""
    with started(environments, folder) as processes:
        for process in processes:
            _, said = process.communicate(timeout=TIME_LIMIT_S)
            assert process.returncode == 0, said[-2000:]
    count = len(environments)
    return [torch.load(folder / f"{rank}-of-{count}.pt") for rank in range(count)]


def test_two_devices_make_the_weights_that_one_makes_of_whole_batches(
    tmp_path: Path, implementations: tuple[dict[str, str], dict[str, str]]
) -> None:
    pocl, _ = implementations
    (alone,) = trained([pocl], tmp_path)

    together = trained(implementations, tmp_path)

    for weights in together:
        for name, right in alone.items():
            torch.testing.assert_close(weights[name], right, rtol=0, atol=1e-5)


def test_a_process_whose_partner_is_killed_says_so_and_ends(
    tmp_path: Path, implementations: tuple[dict[str, str], dict[str, str]]
) -> None:
    with started(implementations, tmp_path, "--dies-at", "3") as (left, killed):
        killed.communicate(timeout=TIME_LIMIT_S)
        since = time.monotonic()
        _, said = left.communicate(timeout=TIME_LIMIT_S)

    assert killed.returncode == _KILLED
    assert time.monotonic() - since < ENDS_WITHIN_S
    assert left.returncode > 0
    # As gloo says it: closed, or reset where something was under way.
    assert "Connection closed by peer" in said or "Connection reset by peer" in said, said[-2000:]
