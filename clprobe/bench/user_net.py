# SPDX-License-Identifier: MIT
"""The user's own torch.nn.Module: loaded, traced and translated to clprobe's layers."""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import fx, nn

from clprobe.bench.digits import Digits, Floats
from clprobe.bench.user_layers import unsupported_layer
from clprobe.model.errors import ClprobeError

_SEED = 1998
_FUNCTIONS = {"relu": "relu", "relu_": "relu", "flatten": "flatten", "add": "add", "iadd": "add"}
# What tells the size of the batch; only view() and reshape() may use it.
_SHAPE = "shape"
_SHAPES = ("size", "getattr", "getitem")
_RESHAPES = ("view", "reshape")
_METHODS = {"relu": "relu", "relu_": "relu", "flatten": "flatten", "add": "add", "add_": "add"}
_HINT = "clprobe bench --help says what a net of your own may be."


@dataclass(frozen=True, slots=True)
class Node:
    """One operation: a layer under its name, or `relu`, `flatten` or `add`."""

    name: str
    operation: str
    inputs: tuple[str, ...]


class UserNet:
    """A classifier of whatever `input_shape` says."""

    def __init__(self, name: str, module: Any, input_shape: tuple[int, ...]) -> None:
        self.name = name
        self.module = module
        self.input_shape = input_shape
        self.nodes, self.input, self.output = _traced(module)

    def initial_weights(self) -> list[Floats]:
        """Return every parameter as it was when the net was made."""
        return [one.detach().numpy().copy() for one in self.module.parameters()]

    def batch(self, size: int) -> list[Digits]:
        """Return one batch of random input with labels that mean nothing.

        **Raises** ClprobeError if the net is no classifier of that input.
        """
        random = np.random.default_rng(_SEED)
        values = random.uniform(0, 1, (size, *self.input_shape)).astype(np.float32)
        try:
            with torch.no_grad():
                self.module.eval()
                shape = tuple(self.module(torch.from_numpy(values[:2])).shape)
        except Exception as error:
            raise _refusal(f"it does not take {self.input_shape}: {error}") from error
        finally:
            self.module.train()
        if len(shape) != 2:
            raise _refusal(f"its output has the shape {shape}; a classifier's is (batch, classes).")
        return [Digits(values, random.integers(0, shape[1], size).astype(np.int32))]


def load_user_net(workload: str, folder: str) -> UserNet:
    """Return the net that "module:Class" names; `folder` is searched first.

    **Raises** ClprobeError that names everything in it that is not supported.
    """
    module_name, _, class_name = workload.partition(":")
    sys.path.insert(0, folder)
    torch.manual_seed(_SEED)
    try:
        file = importlib.import_module(module_name)
        made = getattr(file, class_name)
        net = made() if callable(made) and not isinstance(made, nn.Module) else made
    # The file is the user's: it may raise anything.
    except Exception as error:
        raise _refusal(f"{workload} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(folder)
    if not isinstance(net, nn.Module):
        raise _refusal(f"{workload} makes a {type(net).__name__}, which is no torch.nn.Module.")
    shape = getattr(net, "input_shape", getattr(file, "input_shape", None))
    if not isinstance(shape, tuple | list) or not all(isinstance(one, int) for one in shape):
        raise _refusal(f"{workload} has no input_shape such as (3, 32, 32), without the batch.")
    _silence_dropout(net)
    return UserNet(class_name, net.float().train(), tuple(shape))


def _silence_dropout(net: Any) -> None:
    """Turn dropout off on both sides: no two draw alike, so nothing could be proved."""
    for layer in net.modules():
        if isinstance(layer, nn.Dropout | nn.Dropout1d | nn.Dropout2d):
            layer.p = 0.0


def _traced(module: Any) -> tuple[tuple[Node, ...], str, str]:
    """Return the operations in order, and the names of input and output.

    **Raises** ClprobeError.
    """
    try:
        graph = fx.symbolic_trace(module).graph
    # Whatever the user's forward does with a stand-in for its input.
    except Exception as error:
        raise _refusal(
            f"its forward depends on the values or the shape of its input: {error}"
        ) from error
    inputs = [one.name for one in graph.nodes if one.op == "placeholder"]
    problems = [*([] if len(inputs) == 1 else [f"{len(inputs)} inputs"])]
    nodes = []
    output = ""
    for node in graph.nodes:
        if node.op == "output":
            output = getattr(node.args[0], "name", "")
        elif node.op != "placeholder":
            operation = _operation(node)
            problems += _problems(node, operation, module)
            if operation != _SHAPE:
                nodes.append(Node(node.name, operation, _inputs(node)))
    if not output:
        problems.append("an output that is not one tensor")
    if problems:
        raise _refusal(f"not supported in it: {', '.join(dict.fromkeys(problems))}.")
    return tuple(nodes), inputs[0], output


def _operation(node: Any) -> str:
    if node.op == "call_module":
        return f"layer {node.target}"
    name = _called(node)
    if name in _SHAPES:
        return _SHAPE
    if name in _RESHAPES and len(node.args) == 3 and node.args[2] == -1:
        return "flatten"
    known = {"call_function": _FUNCTIONS, "call_method": _METHODS}
    return known.get(node.op, {}).get(name, "")


def _problems(node: Any, operation: str, module: Any) -> Iterator[str]:
    """Yield what is not supported in one operation, by name."""
    uses_size = any(isinstance(one, fx.Node) and _is_size(one) for one in node.args)
    if uses_size and operation != _SHAPE and _called(node) not in _RESHAPES:
        yield f"an attribute of a tensor in {_called(node)}()"
    if operation.startswith("layer "):
        problem = unsupported_layer(module.get_submodule(node.target))
        if problem is not None:
            yield f"{problem} ({node.target})"
    elif not operation:
        yield f"{_called(node)}()"
    elif operation == "add" and (len(_inputs(node)) != 2 or node.kwargs):
        yield "the sum of a tensor and a number"
    elif _called(node) == "flatten" and (*node.args[1:], *node.kwargs.values())[:1] != (1,):
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


def _refusal(problem: str) -> ClprobeError:
    return ClprobeError(reference="own-net-unsupported", message=problem, hint=_HINT)
