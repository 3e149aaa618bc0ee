# SPDX-License-Identifier: MIT
"""All engines learn the same from the same data."""

import numpy as np
import pytest
from asked import messages_of

from clprobe.bench.digits import load_digits
from clprobe.bench.engines.numpy_cpu import NumpyEngine
from clprobe.bench.nets import BATCH, CNN, MLP, RESNET, Net
from clprobe.bench.protocol import Outcome, Target
from clprobe.model.workload import is_training


# In NumPy the deeper net takes too long to be trained by every test run. Beside another test bench
# may leave out what then takes too long.
@pytest.mark.alone
@pytest.mark.parametrize(
    ("baseline", "nets"), [("numpy", ("mlp", "cnn")), ("torch", ("mlp", "cnn", "resnet"))]
)
def test_pocl_learns_the_digits_as_the_reference_does(
    pocl: Target, baseline: str, nets: tuple[str, ...]
) -> None:
    if baseline == "torch":
        pytest.importorskip("torch")

    messages = messages_of(pocl, *(f"train-{net}" for net in nets), baseline=baseline)

    outcomes = [message for message in messages if isinstance(message, Outcome)]
    # NumPy beside torch may be left out where it is slower.
    results = [result for one in outcomes for result in one.results[:2]]
    assert [one for one in results if one.status != "ok"] == []
    trained = [one.results[0] for one in outcomes if is_training(one.results[0].workload)]
    assert all(one.intensity > 0 for one in trained)
    assert all(one.results[0].transfer_ms > 0 for one in outcomes)
    trainings = [one.training for one in outcomes if one.training is not None]
    assert tuple(training.model for training in trainings) == nets
    for training in trainings:
        assert training.accuracy >= 0.95
        assert training.matches_reference is True
        assert training.samples_per_second > 0
        assert training.repeats is True
        assert training.loss[-1] < training.loss[0] / 10


@pytest.mark.parametrize("net", [MLP, CNN, RESNET], ids=lambda net: net.name)
def test_numpy_takes_the_steps_that_torch_takes(net: Net) -> None:
    pytest.importorskip("torch")
    from clprobe.bench.engines.torch_cpu import TorchEngine  # noqa: PLC0415 - may be absent

    train, test = load_digits()
    batches = train.batches(BATCH)[:4]
    ours, theirs = (engine.trainer(net, batches) for engine in (NumpyEngine(), TorchEngine()))

    np.testing.assert_allclose(ours.train(range(4)), theirs.train(range(4)), rtol=1e-5)

    for own, their in zip(ours.weights(), theirs.weights(), strict=True):
        np.testing.assert_allclose(own, their, atol=1e-6)
    assert np.array_equal(ours.predict(test.images), theirs.predict(test.images))
