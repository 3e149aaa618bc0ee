# SPDX-License-Identifier: MIT
"""Makes one operation of neighbours in a graph that one kernel computes, as by hand one would.

A launch costs a GPU some microseconds, which is most of what a small net's step takes.
"""

import copy
import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, Node

_ATEN: Any = torch.ops.aten
_MEAN = 1
_MOST_ROWS = 1024
"""Every row of a cross-entropy counts which labels are ignored."""


@dataclass(frozen=True, slots=True)
class Together:
    """What stands for several operations of torch; called, it is what torch makes of tensors."""

    name: str
    function: Callable[..., Any]

    @property
    def __name__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name

    def __call__(self, *arguments: Any) -> Any:
        """Return what torch makes of them on the CPU."""
        return self.function(*arguments)


def _cross_entropy(logits: Any, labels: Any, ignored: int) -> tuple[Any, Any]:
    logs = torch.log_softmax(logits, 1)
    loss, total = _ATEN.nll_loss_forward(logs, labels, None, _MEAN, ignored)
    one = torch.ones_like(loss)
    of_logs = _ATEN.nll_loss_backward(one, logs, labels, None, _MEAN, ignored, total)
    return loss, _ATEN._log_softmax_backward_data(of_logs, logs, 1, logits.dtype)


def _masked_and_summed(dy: Any, y: Any) -> tuple[Any, Any]:
    masked = _ATEN.threshold_backward(dy, y, 0)
    return masked, masked.sum(0, keepdim=True)


def _masked_convolution_backward(dy: Any, y: Any, *rest: Any) -> Any:
    return _ATEN.convolution_backward(_ATEN.threshold_backward(dy, y, 0), *rest)


ADDMM_RELU = Together("addmm + relu", lambda *given: torch.relu(torch.addmm(*given)))
CONVOLUTION_RELU = Together(
    "convolution + relu", lambda *given: torch.relu(_ATEN.convolution(*given))
)
MASK_AND_SUM = Together("threshold_backward + sum", _masked_and_summed)
CONVOLUTION_BACKWARD = Together(
    "threshold_backward + convolution_backward", _masked_convolution_backward
)
CROSS_ENTROPY = Together("log_softmax + nll_loss + gradient", _cross_entropy)
BATCH_NORM = Together(
    "batch_norm, statistics in place", _ATEN._native_batch_norm_legit_functional.default
)

IN_HALF: dict[Any, tuple[Together, str]] = {
    target: (Together(f"{name} in half", target), operation)
    for name, target, operation in (
        ("mm", _ATEN.mm.default, "matmul"),
        ("bmm", _ATEN.bmm.default, "matmul"),
        ("addmm", _ATEN.addmm.default, "linear"),
        ("convolution", _ATEN.convolution.default, "conv2d"),
    )
}
"""What multiplies in half instead, and what kernels/half/policy.yaml calls it."""

_BEFORE_RELU = {_ATEN.addmm.default: ADDMM_RELU, _ATEN.convolution.default: CONVOLUTION_RELU}


def joined(graph: Graph, changeable: Collection[str] = ()) -> Graph:
    """Return a graph that computes the same in fewer operations.

    The running statistics among `changeable`, names of inputs, may be overwritten.
    """
    result = copy.deepcopy(graph)
    for node in list(result.nodes):
        # In a graph without in-place operations this is the tensor itself.
        if node.target is _ATEN.detach.default:
            node.replace_all_uses_with(node.args[0])
            result.erase_node(node)
    for node in list(result.nodes):
        if node.target in _STARTS and _is_float32(node):
            _STARTS[node.target](result, node)
        elif node.target is _ATEN._native_batch_norm_legit_functional.default:
            means = [each for each in node.args[3:5] if isinstance(each, Node)]
            if all(each.name in changeable and len(each.users) == 1 for each in means):
                node.target = BATCH_NORM
    return result


def _join_relu(graph: Graph, relu: Node) -> None:
    before = relu.args[0]
    if not isinstance(before, Node) or len(before.users) > 1 or before.kwargs:
        return
    together = _BEFORE_RELU.get(before.target)
    if together is None or (together is ADDMM_RELU and _rank(before.args[0]) != 1):
        return
    _replace(graph, relu, together, before.args)
    graph.erase_node(before)


def _join_mask(graph: Graph, mask: Node) -> None:
    """Let one launch mask a gradient and sum it for the bias."""
    dy, y, bound = mask.args
    if bound != 0:
        return
    users = list(mask.users)
    if len(users) == 1 and users[0].target is _ATEN.convolution_backward.default:
        above, *rest = users[0].args
        if above is mask and rest[-1][-1] and mask not in rest:
            _replace(graph, users[0], CONVOLUTION_BACKWARD, (dy, y, *rest))
            graph.erase_node(mask)
        return
    sums = [each for each in users if each.target is _ATEN.sum.dim_IntList]
    if len(sums) != 1 or sums[0].args[1:] != ([0], True) or sums[0].kwargs or _rank(mask) != 2:
        return
    masked, total = _parts(graph, mask, MASK_AND_SUM, (dy, y))
    sums[0].replace_all_uses_with(total)
    graph.erase_node(sums[0])
    mask.replace_all_uses_with(masked)
    graph.erase_node(mask)


def _join_cross_entropy(graph: Graph, logs: Node) -> None:
    """Compute a mean loss by class index with its gradient, if the graph wants both."""
    by_target = {each.target: each for each in logs.users}
    wanted = (
        _ATEN.nll_loss_forward.default,
        _ATEN.nll_loss_backward.default,
        _ATEN._log_softmax_backward_data.default,
    )
    if len(logs.users) != len(wanted) or any(each not in by_target for each in wanted):
        return
    forward, backward, to_logits = (by_target[each] for each in wanted)
    logits, axis, *_ = logs.args
    _, labels, weight, reduction, ignored = forward.args
    is_plain = weight is None and reduction == _MEAN and axis in {1, -1} and _rank(logs) == 2
    parts = {each.args[1]: each for each in forward.users if each.target is operator.getitem}
    if not is_plain or len(parts) != len(forward.users) or not _rows(logs) <= _MOST_ROWS:
        return
    total = parts.get(1)
    if total is None or set(total.users) != {backward} or set(backward.users) != {to_logits}:
        return
    slope, of_logs, *rest = backward.args
    same = (labels, weight, reduction, ignored, total)
    if of_logs is not logs or tuple(rest) != same or to_logits.args[:2] != (backward, logs):
        return
    loss, gradient = _parts(graph, forward, CROSS_ENTROPY, (logits, labels, ignored))
    if 0 in parts:
        parts[0].replace_all_uses_with(loss)
        graph.erase_node(parts[0])
    with graph.inserting_before(to_logits):
        scaled = graph.call_function(_ATEN.mul.Tensor, (gradient, slope))
    scaled.meta = to_logits.meta
    to_logits.replace_all_uses_with(scaled)
    for each in (to_logits, backward, total, forward, logs):
        graph.erase_node(each)


_STARTS: dict[Any, Callable[[Graph, Node], None]] = {
    _ATEN.relu.default: _join_relu,
    _ATEN.threshold_backward.default: _join_mask,
    _ATEN._log_softmax.default: _join_cross_entropy,
}


def _replace(graph: Graph, node: Node, together: Together, arguments: Any) -> None:
    with graph.inserting_before(node):
        new = graph.call_function(together, tuple(arguments))
    new.meta = node.meta
    node.replace_all_uses_with(new)
    graph.erase_node(node)


def _parts(graph: Graph, before: Node, together: Together, arguments: Any) -> tuple[Node, Node]:
    """Return both results of what is computed where another node is."""
    with graph.inserting_before(before):
        both = graph.call_function(together, tuple(arguments))
        first, second = (graph.call_function(operator.getitem, (both, at)) for at in (0, 1))
    return first, second


def _is_float32(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype is torch.float32


def _rank(node: Any) -> int:
    return int(node.meta["val"].dim())


def _rows(node: Node) -> int:
    return int(node.meta["val"].shape[0])
