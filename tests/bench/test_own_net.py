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

import torch

from clprobe.bench.own_net.check import MISTAKE
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


def test_dropout_within_attention_and_recurrent_layers_is_off_as_well() -> None:
    net = load_user_net(OwnNet("own_nets", "Reading"), FOLDER)

    x = torch.rand(3, *net.ends.input_shape)
    assert torch.equal(net.module(x), net.module(x))
    assert net.remark == "Reading was trained with dropout off: no two sides draw alike."


def test_everything_unsupported_is_named_and_nothing_is_timed(pocl: Target) -> None:
    messages = messages_of(pocl, OwnNet("own_nets", "Unsupported"), baseline="torch", folder=FOLDER)

    outcomes = [one for one in messages if isinstance(one, Outcome)]
    assert {one.results[0].status for one in outcomes} == {"unsupported"}
    assert {one.verdict.decision for one in outcomes} == {"unclear"}
    assert outcomes[0].results[0].detail == (
        "clprobe itself, whatever the device, does not support random numbers "
        "(native_dropout.default)."
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
        (
            "shapeless_net:Net",
            "does not say which input it takes",
            r"--input 3x32x32.*input_shape = \(3, 32, 32\)",
        ),
        ("own_nets:Narrow", r"forward fails for an input of shape \(2, 1, 8, 8\)", "input_shape"),
        ("own_nets:TwoOutputs", r"output is a tuple; .* one tensor, \(batch, …\)", "class"),
    ],
)
def test_a_mistake_in_a_net_says_what_to_do(name: str, words: str, to_do: str) -> None:
    with pytest.raises(ClprobeError, match=words) as raised:
        load_user_net(OwnNet(*name.split(":")), FOLDER)

    assert raised.value.reference == MISTAKE
    assert re.search(to_do, raised.value.hint)


@pytest.mark.parametrize("net", ["Segments", "Words", "Value"])
def test_nets_of_every_kind_are_proved_and_timed(pocl: Target, net: str) -> None:
    asked = OwnNet("own_nets", net, batches=(4,))

    messages = messages_of(pocl, asked, baseline="torch", folder=FOLDER)

    (outcome,) = (one for one in messages if isinstance(one, Outcome))
    own, reference = outcome.results
    assert (own.status, reference.status) == ("ok", "ok"), own.detail
    assert (own.remark, own.batch) == ("", 4)
    assert (own.transfer_by, own.transfer_ms) == ("copied", own.transfer_copied_ms)
    assert own.transfer_mapped_ms > 0


def test_what_has_no_kernel_runs_on_the_cpu_and_is_named(pocl: Target) -> None:
    asked = OwnNet("own_nets", "Unusual", batches=(4,))

    messages = messages_of(pocl, asked, baseline="torch", folder=FOLDER)

    (outcome,) = (one for one in messages if isinstance(one, Outcome))
    assert outcome.results[0].status == "ok", outcome.results[0].detail
    assert re.search(r"\d+% of a step ran on the CPU", outcome.results[0].remark)
    assert "cumsum.default (1)" in outcome.results[0].remark


def test_what_is_asked_of_a_net_goes_before_what_its_class_says() -> None:
    asked = OwnNet("own_nets", "Segments", input_shape=(1, 12, 12), loss="mse")

    ends = load_user_net(asked, FOLDER).ends

    assert (ends.input_shape, ends.output_shape, ends.loss) == ((1, 12, 12), (3, 12, 12), "mse")


def test_a_forward_that_cannot_be_followed_is_a_limit_of_clprobe(pocl: Target) -> None:
    asked = OwnNet("own_nets", "Branching", batches=(4,))

    messages = messages_of(pocl, asked, baseline="torch", folder=FOLDER)

    (outcome,) = (one for one in messages if isinstance(one, Outcome))
    assert outcome.results[0].status == "unsupported"
    assert "a forward that depends on the values" in outcome.results[0].detail
