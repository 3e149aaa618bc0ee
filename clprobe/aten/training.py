# SPDX-License-Identifier: MIT
"""One training step of a torch module as a graph: loss, gradients and changed buffers in one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch._functorch.aot_autograd import aot_export_module
from torch.func import functional_call
from torch.fx import GraphModule

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class TrainingGraph:
    """The joint graph of a step, and by which names its inputs and outputs go.

    Inputs are the parameters, the buffers, then the example's tensors; outputs are the changed
    buffers, then the loss, then the gradients.
    """

    module: GraphModule
    parameters: tuple[str, ...]
    buffers: tuple[str, ...]
    changed: tuple[str, ...]
    """The buffers that the step changes, in the order of the first outputs."""
    gradients: tuple[str, ...]
    """The parameters that have a gradient, in the order of the last outputs."""
    tied: dict[str, str]
    """Names of parameters that are another one, and its name."""


class _WithLoss(nn.Module):
    def __init__(self, module: nn.Module, loss: Loss) -> None:
        super().__init__()
        self.module = module
        self.loss = loss

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor]:
        """Return the loss of what the module makes of all but the last, the target."""
        # Two parameters may have one gradient, such as an LSTM's two biases, and torch cannot name
        # one output twice: as views their gradients are two.
        views = {name: each.view_as(each) for name, each in self.module.named_parameters()}
        output = functional_call(self.module, views, tensors[:-1])
        return (self.loss(output, tensors[-1]),)


def training_graph(module: nn.Module, loss: Loss, example: Sequence[torch.Tensor]) -> TrainingGraph:
    """Return the graph of one step for tensors of the example's sizes, the last being the target.

    Operations stay whole (no decompositions), for kernels compute them as such.

    **Raises** whatever the module or torch's tracing raises.
    """
    whole = _WithLoss(module, loss)
    with plain_operations(), _only_what_matters(whole, example):
        graph, signature = aot_export_module(
            whole, list(example), trace_joint=True, output_loss_index=0, decompositions={}
        )
    backward = signature.backward_signature
    outputs = [*signature.buffers_to_mutate.values()]
    gradients = backward.gradients_to_parameters
    order = [
        gradients[name] for name in (str(node) for node in _outputs(graph)) if name in gradients
    ]
    return TrainingGraph(
        module=graph,
        parameters=tuple(_plain(name) for name in signature.parameters),
        buffers=tuple(_plain(name) for name in signature.buffers),
        changed=tuple(_plain(name) for name in outputs),
        gradients=tuple(_plain(name) for name in order),
        tied=_tied(module),
    )


@contextmanager
def _only_what_matters(whole: "_WithLoss", example: Sequence[torch.Tensor]) -> Iterator[None]:
    """Let only those parameters ask for gradients that the loss depends on, while inside.

    Torch makes no graph of a step in which one is left without, such as a last block's way on.
    """
    kept = {name: each.detach().clone() for name, each in whole.module.named_buffers()}
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        (loss,) = whole(*(each.detach() for each in example))
    reached = _reached_from(loss)
    left_out = [
        each for each in whole.parameters() if each.requires_grad and id(each) not in reached
    ]
    with torch.no_grad():
        for name, each in whole.module.named_buffers():
            each.copy_(kept[name])
    for each in left_out:
        each.requires_grad_(False)
    try:
        yield
    finally:
        for each in left_out:
            each.requires_grad_(True)


def _reached_from(loss: torch.Tensor) -> set[int]:
    """Return the ids of the leaves that a loss depends on."""
    leaves, seen, left = set(), set(), [loss.grad_fn]
    while left:
        function: Any = left.pop()
        if function is None or function in seen:
            continue
        seen.add(function)
        if hasattr(function, "variable"):
            leaves.add(id(function.variable))
        left += [each for each, _ in function.next_functions]
    return leaves


def _tied(module: nn.Module) -> dict[str, str]:
    first: dict[int, str] = {}
    tied = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if first.setdefault(id(parameter), name) != name:
            tied[name] = first[id(parameter)]
    return tied


def _outputs(graph: GraphModule) -> Sequence[object]:
    last = next(node for node in reversed(graph.graph.nodes) if node.op == "output")
    outputs: Sequence[object] = last.args[0]
    return outputs


def _plain(name: str) -> str:
    return name.removeprefix("module.")


@contextmanager
def plain_operations() -> Iterator[None]:
    """Let torch follow modules without oneDNN's own operations, such as its LSTM, while inside."""
    # torch.backends.mkldnn.flags asks for TF32 too, which warns where torch has no Intel GPUs.
    was_enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(was_enabled)


def drawing_operations(graph: GraphModule) -> list[str]:
    """Return the operations of a graph that draw random numbers, each once."""
    drawn = {
        str(node.target).removeprefix("aten."): None
        for node in graph.graph.nodes
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
    }
    return list(drawn)
