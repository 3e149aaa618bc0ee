# SPDX-License-Identifier: MIT
"""Each operation of the table gives what torch gives, on the device."""

import operator
from functools import reduce

import pytest
import torch
from samples import SAMPLES
from torch.fx import Graph as FxGraph
from torch.fx import GraphModule
from torch.fx.node import map_aggregate

from clprobe.aten.graph import Graph
from clprobe.aten.held import Held
from clprobe.aten.table import TABLE
from clprobe.tensor import Device

CASES = [
    pytest.param(name, arguments, id=f"{name}-{at}")
    for name, each in SAMPLES.items()
    for at, arguments in enumerate(each)
]
ELSEWHERE = {
    # tests/aten/test_whole_nets.py has them within nets.
    "_scaled_dot_product_flash_attention_for_cpu_backward.default",
    "native_dropout.default", "native_dropout_backward.default",
    # test_draws.py has what is drawn at random.
    "randn.default", "randn_like.default", "rand.default", "rand_like.default",
    # Other names of what is tested.
    "add.Scalar", "sub.Scalar", "rsub.Scalar", "masked_fill.Tensor", "where.ScalarOther",
    "where.ScalarSelf", "bitwise_not.default", "sgn.default", "reshape.default",
    "flatten.using_ints", "squeeze.default", "lift_fresh_copy.default", "index_put.default",
    "logical_and.default", "bitwise_and.Tensor", "logical_or.default", "bitwise_or.Tensor",
    # They compute nothing.
    "empty.memory_format", "empty_like.default", "new_empty.default",
    "_assert_tensor_metadata.default",
}  # fmt: skip


@pytest.mark.parametrize(("name", "arguments"), CASES)
def test_an_operation_gives_what_torch_gives(name: str, arguments: tuple, device: Device) -> None:
    try:
        target = reduce(getattr, name.split("."), torch.ops.aten)
    except AttributeError:
        pytest.skip(f"torch {torch.__version__} has no {name}")
    graph, inputs = graph_of(target, arguments)
    runner = Graph(graph, device)

    outputs = runner.run(inputs).outputs

    assert not runner.account.fallen_back, runner.account.reasons
    right = called(target, arguments)
    for own, other in zip(outputs, flat(right), strict=True):
        if other is None:
            continue
        seen = own.to_host() if isinstance(own, Held) else own.value
        assert seen.dtype == other.dtype
        torch.testing.assert_close(seen, other, rtol=2e-5, atol=2e-5, equal_nan=True)


def test_every_operation_has_a_sample() -> None:
    assert sorted(TABLE.keys() - SAMPLES.keys() - ELSEWHERE) == []


def test_what_the_table_lacks_runs_on_the_cpu_and_is_accounted_for(device: Device) -> None:
    values = torch.randn(3, 4)
    graph, inputs = graph_of(torch.ops.aten.cumsum.default, (values, 1))
    runner = Graph(graph, device)

    (output,) = runner.run(inputs).outputs

    torch.testing.assert_close(output.to_host(), values.cumsum(1))
    assert runner.account.fallen_back == {"cumsum.default": 1}
    assert runner.account.reasons == {"cumsum.default": "not in the table"}


def graph_of(target, arguments: tuple) -> tuple[GraphModule, list[torch.Tensor]]:
    """Return a graph of one operation whose tensors are inputs, and these."""
    graph, inputs = FxGraph(), []

    def given(value):
        if not isinstance(value, torch.Tensor):
            return value
        inputs.append(value)
        node = graph.placeholder(f"x{len(inputs)}")
        node.meta["val"] = value
        return node

    positional, named = split(tuple(map_aggregate(arguments, given)))
    node = graph.call_function(target, positional, named)
    result = node.meta["val"] = called(target, arguments)
    many = isinstance(result, list | tuple)
    parts = (
        [graph.call_function(operator.getitem, (node, at)) for at in range(len(result))]
        if many
        else []
    )
    graph.output(tuple(parts) if many else (node,))
    return GraphModule(torch.nn.Module(), graph), inputs


def called(target, arguments: tuple):
    positional, named = split(arguments)
    return target(*positional, **named)


def split(arguments: tuple) -> tuple[tuple, dict]:
    """Return what is given by its place and what by its name."""
    is_named = isinstance(arguments[-1], dict)
    return (arguments[:-1], arguments[-1]) if is_named else (arguments, {})


def flat(result) -> list:
    return list(result) if isinstance(result, list | tuple) else [result]
