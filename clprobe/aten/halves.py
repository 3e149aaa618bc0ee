# SPDX-License-Identifier: MIT
"""What torch's autocast asks for in half precision, and what of it a device does.

A graph with halves is made one of floats, which is more than was asked for. Its products and
convolutions of float16 multiply in half and add up in float where `kernels/half/policy.yaml` says
that it pays; gradients do not, nor does bfloat16, which reaches further than the device's halves.
"""

import copy
import logging
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from torch.fx import GraphModule, Node

from clprobe.aten.held import HALVES, Held
from clprobe.aten.running import OnHost
from clprobe.aten.together import IN_HALF
from clprobe.tensor.autocast import Policy, computes_in_half, keeps_float
from clprobe.tensor.device import Device

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Floats:
    """A graph in which nothing is kept in half any more."""

    module: GraphModule
    meant: tuple[torch.dtype | None, ...]
    """What torch takes each output for, if for halves."""
    multiplies_in_half: bool


def in_floats(module: GraphModule, device: Device) -> Floats:
    """Return a graph in float; one that has no halves is itself.

    Logs once why a device multiplies nothing in half.
    """
    found = {dtype for node in module.graph.nodes for dtype in _dtypes(node.meta.get("val"))}
    meant = tuple(_half(each) for each in _outputs(module))
    if found.isdisjoint(HALVES):
        return Floats(module, meant, multiplies_in_half=False)
    if torch.bfloat16 in found:
        _tell_of_bfloat16()
    if torch.float16 in found:
        keeps_float(Policy.shipped(), device)
    plain = GraphModule(module, copy.deepcopy(module.graph))
    multiplied = [_as_float(plain, node, device) for node in plain.graph.nodes]
    plain.recompile()
    return Floats(plain, meant, multiplies_in_half=any(multiplied))


def as_half(value: Any, meant: torch.dtype | None) -> Any:
    """Return an output as torch takes it; on the device it stays in float."""
    match value:
        case Held() if meant is not None:
            return replace(value, dtype=meant)
        case OnHost() if meant is not None:
            return OnHost(value.name, value.value.to(meant))
    return value


def inside(value: Any) -> Any:
    """Return an input as a graph in floats takes it."""
    is_half = isinstance(value, Held) and value.dtype in HALVES
    return replace(value, dtype=torch.float32) if is_half else value


@cache
def _tell_of_bfloat16() -> None:
    _log.warning("clprobe computes bfloat16 in float; products of float16 may multiply in half.")


def _as_float(module: GraphModule, node: Node, device: Device) -> bool:
    """Make a node's result float; return whether it multiplies in half all the same."""
    together, operation = IN_HALF.get(node.target, (None, ""))
    is_half = torch.float16 in _dtypes(node.meta.get("val"))
    in_half = bool(together and is_half) and computes_in_half(operation, device, Policy.shipped())
    if in_half:
        node.target = together
    if node.op == "get_attr":
        setattr(module, str(node.target), floated(getattr(module, str(node.target))))
    node.args, node.kwargs = floated(node.args), floated(node.kwargs)
    if "val" in node.meta:
        node.meta["val"] = floated(node.meta["val"])
    return in_half


def floated(value: Any) -> Any:
    """Return arguments, or results, with float32 in place of halves."""
    match value:
        case torch.dtype():
            return torch.float32 if value in HALVES else value
        case torch.Tensor() if value.dtype in HALVES:
            return value.to(torch.float32)
        case list() | tuple():
            return type(value)(map(floated, value))
        case dict():
            return {key: floated(each) for key, each in value.items()}
    return value


def _outputs(module: GraphModule) -> list[Any]:
    last = next(node for node in reversed(module.graph.nodes) if node.op == "output")
    return [each.meta.get("val") if isinstance(each, Node) else each for each in last.args[0]]


def _half(value: Any) -> torch.dtype | None:
    return next((dtype for dtype in _dtypes(value) if dtype in HALVES), None)


def _dtypes(value: Any) -> set[torch.dtype]:
    match value:
        case torch.Tensor():
            return {value.dtype}
        case list() | tuple():
            return {one for each in value for one in _dtypes(each)}
    return set()
