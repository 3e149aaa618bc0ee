# SPDX-License-Identifier: MIT
"""--workload module:Class measures a net of the user's own."""

import re
from pathlib import Path

import pytest
from asked import messages_of

from clprobe.bench.effort import EFFORTS
from clprobe.bench.plan import planned
from clprobe.bench.protocol import Outcome, OwnNet, Target
from clprobe.model.errors import ClprobeError

pytest.importorskip("torch")

from clprobe.bench.own_net.check import MISTAKE, UNSUPPORTED
from clprobe.bench.own_net.loading import load_user_net

FOLDER = str(Path(__file__).parent)


@pytest.mark.parametrize(
    ("net", "remark"),
    [("Plain", "Plain was trained with dropout off: no two sides draw alike."), ("Residual", "")],
)
def test_a_net_of_supported_layers_is_proved_and_timed(pocl: Target, net: str, remark: str) -> None:
    messages = messages_of(pocl, OwnNet("own_nets", net), baseline="torch", folder=FOLDER)

    outcomes = [one for one in messages if isinstance(one, Outcome)]
    assert [one.verdict.workload for one in outcomes] == [
        one.name for one in planned([OwnNet("own_nets", net)], EFFORTS["quick"])
    ]
    for outcome in outcomes:
        own, reference = outcome.results
        assert (own.status, reference.status) == ("ok", "ok"), own.detail
        assert own.max_error <= own.tolerance
        assert own.unit == "samples/s"
        assert own.remark == remark
    assert [one.results[0].batch for one in outcomes] == [1, 64, 512]


def test_everything_unsupported_is_named_and_nothing_is_timed(pocl: Target) -> None:
    messages = messages_of(pocl, OwnNet("own_nets", "Unsupported"), baseline="torch", folder=FOLDER)

    outcomes = [one for one in messages if isinstance(one, Outcome)]
    assert {one.results[0].status for one in outcomes} == {"unsupported"}
    assert {one.verdict.decision for one in outcomes} == {"unclear"}
    assert outcomes[0].results[0].detail == (
        "clprobe itself, whatever the device, does not support SiLU (3 times), "
        "Conv2d with padding_mode=circular, cat()."
    )
    assert "Do not use it" not in outcomes[0].verdict.text


@pytest.mark.parametrize(
    ("name", "words", "to_do"),
    [
        ("own_nets:Broken", r"Broken\(\) raises FileNotFoundError: weights.pt", "Python alone"),
        ("own_nets:Absent", "own_nets has no Absent", "Plain, Residual"),
        ("no_such_module:Net", "there is no module no_such_module", "--workload NAME:Class"),
        ("own_nets:input_shape", "is a tuple, no torch.nn.Module", "Plain, Residual"),
        ("own_nets:Sized", r"Sized\(\) cannot .* it needs classes", "own_nets:net"),
        ("shapeless_net:Net", "does not say which input it takes", r"input_shape = \(3, 32, 32\)"),
        ("own_nets:Narrow", r"forward fails for an input of shape \(2, 1, 8, 8\)", "input_shape"),
        ("own_nets:NoClassifier", r"\(2, 4, 6, 6\); a classifier's is \(batch, classes\)", "class"),
    ],
)
def test_a_mistake_in_a_net_says_what_to_do(name: str, words: str, to_do: str) -> None:
    with pytest.raises(ClprobeError, match=words) as raised:
        load_user_net(OwnNet(*name.split(":")), FOLDER)

    assert raised.value.reference == MISTAKE
    assert re.search(to_do, raised.value.hint)


def test_a_forward_that_cannot_be_followed_is_a_limit_of_clprobe() -> None:
    with pytest.raises(ClprobeError, match="a forward that depends on the values") as raised:
        load_user_net(OwnNet("own_nets", "Branching"), FOLDER)

    assert raised.value.reference == UNSUPPORTED
