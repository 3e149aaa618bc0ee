# SPDX-License-Identifier: MIT
"""A device whose results are wrong gets no figures: here PoCL runs a kernel with one fault."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from asked import messages_of
from test_seeded_faults import skip_unless_run

from clprobe.bench.cases import Expected
from clprobe.bench.proof import prove
from clprobe.bench.protocol import Outcome, Target
from clprobe.resources import kernels_path


@pytest.mark.parametrize(
    "fault",
    [
        ("elementwise/operations.cl", "return a + b;", "return a + b * 1.0001f;", "launch"),
        ("optim/sgd.cl", "value - rate *", "value - 1.01f * rate *", "train-mlp"),
        ("conv/winograd.cl", "line[at] = 0.0f;", "line[at] = 0.01f;", "conv"),
    ],
)
def test_one_wrong_term_is_refused(
    pocl: Target, tmp_path: Path, fault: tuple[str, str, str, str]
) -> None:
    file, right, wrong, workload = fault
    skip_unless_run(file)
    kernels = tmp_path / "kernels"
    shutil.copytree(kernels_path(), kernels)
    source = (kernels / file).read_text()
    assert right in source
    (kernels / file).write_text(source.replace(right, wrong))

    messages = messages_of(pocl, workload, kernels=str(kernels))

    outcome = next(message for message in messages if isinstance(message, Outcome))
    (result,) = outcome.results
    assert (result.status, result.median, result.samples) == ("wrong-result", None, 0)
    assert result.max_error > result.tolerance
    assert (outcome.verdict.decision, outcome.verdict.ratio) == ("refused", None)
    if workload == "train-mlp":
        assert outcome.training.matches_reference is False
        assert (outcome.training.accuracy, outcome.training.samples_per_second) == (None, None)


@pytest.mark.parametrize("garbage", [np.nan, np.inf, 1e30, 0.0])
def test_garbage_never_passes(garbage: float) -> None:
    expected = Expected(np.full(4, 2.0), np.full(4, 3.0))

    proof = prove(np.array([2, 2, garbage, 2], np.float32), expected, 1e-5)

    assert not proof.holds
    assert (proof.max_error is None) == (not np.isfinite(garbage))


@pytest.mark.parametrize("place", [0, (1 << 20) - 1, 1 << 20, 3 << 20])
@pytest.mark.parametrize("scale", [np.ones(1), np.full((3 << 20) + 1, 2.0)], ids=["one", "each"])
def test_one_wrong_value_among_many_is_found(place: int, scale: np.ndarray) -> None:
    right = np.zeros((3 << 20) + 1)
    values = right.astype(np.float32)
    values[place] = 1

    assert prove(values, Expected(right, scale), 1e-5).max_error == 1 / scale[0]
    assert prove(right, Expected(right, scale), 0.0).holds


def test_too_few_values_are_no_result() -> None:
    assert not prove(np.ones(3, np.float32), Expected(np.ones(4), np.ones(4)), 1.0).holds


def test_a_sum_of_zeros_must_be_zero() -> None:
    expected = Expected(np.zeros(2), np.zeros(2))

    assert prove(np.zeros(2, np.float32), expected, 1e-5).holds
    assert not prove(np.array([0, 1e-3], np.float32), expected, 1e-5).holds
