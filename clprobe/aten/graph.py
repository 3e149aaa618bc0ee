# SPDX-License-Identifier: MIT
"""Runs a graph of ATen operations, node by node: on the device, or on the CPU where it must.

A graph is functional: no operation changes its operands. Whole numbers and booleans that follow
from the inputs alone stay on the host, for they only say where to look; values go to the device.
"""

import operator
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule, Node

from clprobe.aten.halves import as_half, in_floats, inside
from clprobe.aten.held import FLOATS, Held
from clprobe.aten.running import NotHereError, OnHost, Running, Upload
from clprobe.aten.table import SEVERAL, TABLE
from clprobe.aten.together import joined
from clprobe.aten.values import as_hosts, as_tensors, mapped, tensors
from clprobe.tensor.array import Array
from clprobe.tensor.device import Device
from clprobe.tensor.errors import DeviceError, ShapeError
from clprobe.tensor.ops.dropout import RandomStream


@dataclass(slots=True)
class Account:
    """Where the operations of a graph ran; seconds are those of the CPU, transfers included."""

    on_device: Counter[str] = field(default_factory=Counter)
    bookkeeping: Counter[str] = field(default_factory=Counter)
    """Operations on whole numbers and booleans of the host."""
    fallen_back: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run: the outputs, and what a replay of its commands has to bring up to date.

    Outputs are `Held` on the device, `OnHost`, numbers, or None.
    """

    outputs: list[Any]
    uploads: tuple[Upload, ...]
    on_host: tuple[Node, ...]
    """The operations on values of the host that may differ the next time, in their order."""
    fixed: Mapping[str, Any]
    """The values of the host that follow from no input, by the names of their nodes."""


class Graph:
    """A graph, ready to be run on a device any number of times."""

    def __init__(
        self,
        module: GraphModule,
        device: Device,
        *,
        seed: int = 0,
        may_fall_back: bool = True,
        changeable: Collection[str] = (),
    ) -> None:
        """Take a graph, whose running statistics `changeable` names where they may change."""
        floats = in_floats(module, device)
        self.module = floats.module
        """What it computes: the same in float where there were halves."""
        self.multiplies_in_half = floats.multiplies_in_half
        self._meant = floats.meant
        # Kept, for its nodes do not keep it.
        self._graph = joined(self.module.graph, changeable)
        self._nodes = list(self._graph.nodes)
        self._last_uses = _last_uses(self._nodes)
        self._device = device
        self._stream = RandomStream(device, seed)
        self._may_fall_back = may_fall_back
        self.constants: dict[tuple[object, ...], Array] = {}
        """What lies on the device from run to run."""
        self._on_host: list[Node] = []
        self._fixed: dict[str, Any] = {}
        self.account = Account()

    @property
    def inputs(self) -> list[Node]:
        """Return the nodes that stand for the graph's arguments, in their order."""
        return [node for node in self._nodes if node.op == "placeholder"]

    def run(self, inputs: Sequence[Any]) -> Ran:
        """Return what the graph makes of its inputs.

        They are tensors of torch on the CPU, or `Held` where the values lie there already.

        **Raises** ClprobeError.
        """
        run = Running(self._device, self._stream, constants=self.constants)
        self.account = Account()
        self._on_host, self._fixed = [], {}
        given = iter(inputs)
        values: dict[str, Any] = {}
        for node in self._nodes:
            match node.op:
                case "placeholder":
                    values[node.name] = _entering(run, node.name, next(given))
                case "get_attr":
                    value = _entering(run, node.name, _attribute(self.module, node))
                    values[node.name] = self._fixed[node.name] = value
                case "output":
                    made = mapped(node.args[0], values)
                    outputs = [as_half(*each) for each in zip(made, self._meant, strict=True)]
                    on_host = tuple(self._on_host)
                    return Ran(outputs, tuple(run.uploads), on_host, self._fixed)
                case _:
                    values[node.name] = self._call(run, node, values)
            for name in self._last_uses.get(node.name, ()):
                del values[name]
        raise AssertionError("a graph ends with its output")

    def again_on_host(
        self, ran: Ran, inputs: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """Return the values of the host that may differ, by name, for other inputs of the host."""
        values = dict(ran.fixed) | {name: OnHost(name, value) for name, value in inputs.items()}
        for node in ran.on_host:
            if all(each.name in values for each in node.all_input_nodes):
                arguments, options = (mapped(one, values) for one in (node.args, node.kwargs))
                values[node.name] = _on_cpu(node, arguments, options)
        changing = [value for name, value in values.items() if name not in ran.fixed]
        return {one.name: one.value for one in tensors(changing) if isinstance(one, OnHost)}

    def _call(self, run: Running, node: Node, values: dict[str, Any]) -> Any:
        arguments = mapped(node.args, values)
        options = mapped(node.kwargs, values)
        if node.target is operator.getitem:
            return self._noted(node, arguments[0][arguments[1]])
        name = str(node.target).removeprefix("aten.")
        if _is_bookkeeping(node, name, (arguments, options)):
            self.account.bookkeeping[name] += 1
            return self._noted(node, _on_cpu(node, arguments, options))
        entry = TABLE.get(name) or SEVERAL.get(name)
        reason = "not in the table"
        if entry is not None:
            try:
                result = entry(run, *_whole(run, arguments), **_whole(run, options))
            except (NotHereError, ShapeError) as error:
                reason = str(error)
            except (IndexError, ZeroDivisionError, ValueError, RuntimeError):
                # Whatever counts axes, or divides by a size, may stumble over these.
                if not _is_bare((arguments, options)):
                    raise
                reason = "tensors without axes or elements"
            else:
                self.account.on_device[name] += 1
                return result
        if not self._may_fall_back:
            raise DeviceError(
                f"clprobe has no kernel for {name}: {reason}.",
                hint='Leave fallback="error" out, and the CPU computes it.',
            )
        began = time.perf_counter()
        result = _whole(run, _on_cpu(node, arguments, options))
        self.account.fallen_back[name] += 1
        self.account.reasons[name] = reason
        self.account.seconds += time.perf_counter() - began
        return result

    def _noted(self, node: Node, result: Any) -> Any:
        """Return a result, noting whether it has to be computed again before a replay."""
        draws = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
        if not draws and all(each.name in self._fixed for each in node.all_input_nodes):
            self._fixed[node.name] = result
        elif any(isinstance(each, OnHost) for each in tensors([result])):
            self._on_host.append(node)
        return result


def _last_uses(nodes: Sequence[Node]) -> dict[str, list[str]]:
    """Return for each node whose values nobody needs after it."""
    last: dict[str, str] = {}
    for node in nodes:
        last[node.name] = node.name
        for used in node.all_input_nodes:
            last[used.name] = node.name
    gone: dict[str, list[str]] = {}
    for name, user in last.items():
        gone.setdefault(user, []).append(name)
    return gone


def _entering(run: Running, name: str, value: Any) -> Any:
    """Return a value as the run holds it: floats on the device, the rest on the host."""
    if not isinstance(value, torch.Tensor):
        return inside(value)
    if value.dtype in FLOATS:
        return run.held(OnHost(name, value))
    return OnHost(name, value.detach())


def _attribute(module: GraphModule, node: Node) -> Any:
    value: Any = module
    for part in str(node.target).split("."):
        value = getattr(value, part)
    return value


def _whole(run: Running, structure: Any) -> Any:
    """Return arguments as entries take them: floats that lie on the host are brought over."""
    match structure:
        case OnHost() if structure.value.is_floating_point():
            return run.held(structure)
        case list() | tuple():
            return type(structure)(_whole(run, each) for each in structure)
        case dict():
            return {key: _whole(run, each) for key, each in structure.items()}
    return structure


def _is_bookkeeping(node: Node, name: str, operands: Any) -> bool:
    """Say whether an operation has to do with values alone that lie on the host.

    They are whole numbers, booleans, and what follows from them, such as where to look up a pixel.
    """
    given = list(tensors(operands))
    if given:
        return not any(isinstance(each, Held) for each in given)
    is_whole = all(not dtype.is_floating_point for dtype in _dtypes(node.meta.get("val")))
    return is_whole or name not in TABLE


def _is_bare(operands: Any) -> bool:
    """Say whether a tensor among the operands has no axes, or no elements."""
    shapes = [
        each.shape if isinstance(each, Held) else each.value.shape for each in tensors(operands)
    ]
    return any(0 in shape or not shape for shape in shapes)


def _dtypes(value: Any) -> Iterator[torch.dtype]:
    match value:
        case torch.Tensor():
            yield value.dtype
        case list() | tuple():
            for each in value:
                yield from _dtypes(each)


def _on_cpu(node: Node, arguments: Any, options: Any) -> Any:
    """Return what torch makes of the arguments on the CPU."""
    if node.target is operator.getitem:
        return arguments[0][arguments[1]]
    target: Any = node.target
    with torch.no_grad():
        result = target(*as_tensors(arguments), **as_tensors(options))
    return as_hosts(node.name, result)
