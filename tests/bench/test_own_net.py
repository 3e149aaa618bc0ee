# SPDX-License-Identifier: MIT
"""--workload module:Class measures a net of the user's own."""

from pathlib import Path

import pytest
from asked import messages_of

from clprobe.bench.effort import EFFORTS
from clprobe.bench.plan import planned
from clprobe.bench.protocol import Outcome, Target
from clprobe.model.errors import ClprobeError

pytest.importorskip("torch")

from clprobe.bench.user_net import load_user_net

FOLDER = str(Path(__file__).parent)


@pytest.mark.parametrize("net", ["Plain", "Residual"])
def test_a_net_of_supported_layers_is_proved_and_timed(pocl: Target, net: str) -> None:
    messages = messages_of(pocl, f"own_nets:{net}", baseline="torch", folder=FOLDER)

    outcomes = [one for one in messages if isinstance(one, Outcome)]
    assert [one.verdict.workload for one in outcomes] == [
        one.workload for one in planned([f"own_nets:{net}"], EFFORTS["quick"])
    ]
    for outcome in outcomes:
        own, reference = outcome.results
        assert (own.status, reference.status) == ("ok", "ok"), own.detail
        assert own.max_error <= own.tolerance
        assert own.unit == "samples/s"
    assert [one.results[0].batch for one in outcomes] == [1, 64, 512]


def test_everything_unsupported_is_named_and_nothing_is_timed(pocl: Target) -> None:
    messages = messages_of(pocl, "own_nets:Unsupported", baseline="torch", folder=FOLDER)

    outcomes = [one for one in messages if isinstance(one, Outcome)]
    assert {one.results[0].status for one in outcomes} == {"unsupported"}
    assert {one.verdict.decision for one in outcomes} == {"refused"}
    assert outcomes[0].results[0].detail == (
        "not supported in it: GELU (act), Linear with bias=False (fc), sigmoid()."
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("own_nets:Broken", "cannot be loaded: FileNotFoundError: weights.pt"),
        ("own_nets:Absent", "cannot be loaded: AttributeError"),
        ("no_such_module:Net", "cannot be loaded: ModuleNotFoundError"),
        ("own_nets:input_shape", "no torch.nn.Module"),
        ("own_nets:Branching", "its forward depends on the values or the shape"),
    ],
)
def test_a_net_that_cannot_be_used_says_why(name: str, words: str) -> None:
    with pytest.raises(ClprobeError, match=words):
        load_user_net(name, FOLDER)


def test_a_net_that_is_no_classifier_says_its_shape() -> None:
    net = load_user_net("own_nets:NoClassifier", FOLDER)

    with pytest.raises(ClprobeError, match=r"\(2, 4, 6, 6\); a classifier's is \(batch, classes\)"):
        net.batch(4)


def test_a_net_of_ones_own_needs_torch_beside_it(pocl: Target) -> None:
    messages = messages_of(pocl, "own_nets:Plain", baseline="numpy", folder=FOLDER)

    (first, *_) = (one for one in messages if isinstance(one, Outcome))
    assert first.results[0].status == "unsupported"
    assert "--baseline numpy" in first.results[0].detail
