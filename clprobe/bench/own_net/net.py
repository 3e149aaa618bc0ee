# SPDX-License-Identifier: MIT
"""The user's own torch.nn.Module: traced into operations that clprobe has."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import fx

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.own_net.check import mistake, unsupported
from clprobe.bench.own_net.layers import layer_of_call, unsupported_layer

_SEED = 1998
_FUNCTIONS = {"relu": "relu", "relu_": "relu", "flatten": "flatten", "add": "add", "iadd": "add"}
# What tells the size of the batch; only view() and reshape() may use it.
_SHAPES = ("size", "getattr", "getitem")
_RESHAPES = ("view", "reshape")
_METHODS = {"relu": "relu", "relu_": "relu", "flatten": "flatten", "add": "add", "add_": "add"}


@dataclass(frozen=True, slots=True)
class Node:
    """One operation: `relu`, `flatten`, `add`, or `layer`, which is one under its name.

    While tracing also `shape`, which tells the size of the batch, and "", what clprobe has not.
    """

    name: str
    operation: str
    inputs: tuple[str, ...]
    layer: str = ""


class UserNet:
    """A classifier of whatever `input_shape` says; `remark` is what its figures leave out."""

    def __init__(
        self, name: str, module: Any, input_shape: tuple[int, ...], remark: str = ""
    ) -> None:
        self.name = name
        self.remark = remark
        self.module = module
        self.input_shape = input_shape
        self.layers: dict[str, Any] = {}
        """Torch's layers under the names that operations have; calls of functions as layers."""
        self.nodes, self.input, self.output = _traced(module, self.layers)

    def initial_weights(self) -> list[Floats]:
        """Return every parameter as it was when the net was made."""
        return [one.detach().numpy().copy() for one in self.module.parameters()]

    def batch(self, size: int) -> list[Digits]:
        """Return one batch of random input with labels that mean nothing."""
        random = np.random.default_rng(_SEED)
        values = random.uniform(0, 1, (size, *self.input_shape)).astype(np.float32)
        classes = classes_of(self.module, self.input_shape)
        return [Digits(values, random.integers(0, classes, size).astype(np.int32))]


def classes_of(module: Any, input_shape: tuple[int, ...]) -> int:
    """Return how many classes the module tells apart.

    **Raises** ClprobeError if it takes no such input, or is no classifier of it.
    """
    shape = (2, *input_shape)
    try:
        with torch.no_grad():
            output = tuple(module.eval()(torch.rand(shape)).shape)
    # The module is the user's: it may raise anything.
    except Exception as error:
        problem = (
            f"its forward fails for an input of shape {shape}: {error or type(error).__name__}"
        )
        hint = "input_shape is the shape of one sample, without the batch; correct it or forward()."
        raise mistake(problem, hint) from error
    finally:
        module.train()
    if len(output) != 2:
        raise mistake(
            f"its output has the shape {output}; a classifier's is (batch, classes).",
            "bench trains classifiers: end the net with a layer that gives one value per class.",
        )
    return int(output[1])


def _traced(module: Any, layers: dict[str, Any]) -> tuple[tuple[Node, ...], str, str]:
    """Return the operations in order, and the names of input and output; add the layers.

    **Raises** ClprobeError.
    """
    try:
        graph = fx.symbolic_trace(module).graph
    # Whatever the user's forward does with a stand-in for its input.
    except Exception as error:
        problem = f"a forward that depends on the values or the shape of its input ({error})"
        raise unsupported([problem]) from error
    inputs = [one.name for one in graph.nodes if one.op == "placeholder"]
    problems = [*([] if len(inputs) == 1 else [f"{len(inputs)} inputs"])]
    nodes = []
    output = ""
    for node in graph.nodes:
        if node.op == "output":
            output = getattr(node.args[0], "name", "")
        elif node.op != "placeholder":
            done = _operation(node, module, layers)
            problems += _problems(node, done, layers)
            if done.operation != "shape":
                nodes.append(done)
    if not output:
        problems.append("an output that is not one tensor")
    if problems:
        raise unsupported(
            f"{problem} ({count} times)" if count > 1 else problem
            for problem, count in Counter(problems).items()
        )
    return tuple(nodes), inputs[0], output


def _operation(node: Any, module: Any, layers: dict[str, Any]) -> Node:
    """Return what a node does; a new layer is added to `layers`."""
    inputs = _inputs(node)
    if node.op == "call_module":
        layers.setdefault(node.target, module.get_submodule(node.target))
        return Node(node.name, "layer", inputs, node.target)
    name = _called(node)
    if name in _SHAPES:
        return Node(node.name, "shape", inputs)
    if name in _RESHAPES and len(node.args) == 3 and node.args[2] == -1:
        return Node(node.name, "flatten", inputs)
    known = {"call_function": _FUNCTIONS, "call_method": _METHODS}.get(node.op, {})
    if name in known:
        return Node(node.name, known[name], inputs)
    layer = layer_of_call(name, node.args[1:], node.kwargs)
    if layer is None:
        return Node(node.name, "", inputs)
    # No submodule has a blank in its name.
    key = f"{node.name} "
    layers[key] = layer
    return Node(node.name, "layer", inputs, key)


def _problems(node: Any, done: Node, layers: dict[str, Any]) -> Iterator[str]:
    """Yield what is not supported in one operation, by name."""
    called = _called(node)
    uses_size = any(isinstance(one, fx.Node) and _is_size(one) for one in node.args)
    if uses_size and done.operation != "shape" and called not in _RESHAPES:
        yield f"an attribute of a tensor in {called}()"
    if done.operation == "layer":
        problem = unsupported_layer(layers[done.layer])
        if problem is not None:
            yield problem
    elif not done.operation:
        yield f"{called}()"
    elif done.operation == "add" and (len(done.inputs) != 2 or node.kwargs):
        yield "the sum of a tensor and a number"
    elif called == "flatten" and (*node.args[1:], *node.kwargs.values())[:1] != (1,):
        yield "flatten() from another axis than 1"


def _inputs(node: Any) -> tuple[str, ...]:
    """Return the tensors among the arguments; no size of one is."""
    nodes = [one for one in node.args if isinstance(one, fx.Node)]
    return tuple(one.name for one in nodes if not _is_size(one))


def _is_size(node: Any) -> bool:
    return node.op in ("call_function", "call_method") and _called(node) in _SHAPES


def _called(node: Any) -> str:
    """Return the name of the function, method, layer or value."""
    return str(node.target if isinstance(node.target, str) else node.target.__name__)
