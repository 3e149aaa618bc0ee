# SPDX-License-Identifier: MIT
"""PyTorch's own samples of its operations (OpInfo), through our executor, three times each.

A sample is an operation of torch with arguments that PyTorch tests it with. AOTAutograd makes
graphs of its forward pass, and of its backward pass where torch has one; whatever in these stands
in our table runs on the device. A sample where nothing runs there is none of ours.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import torch
from functorch.compile import aot_function, make_boxed_func
from torch.fx import GraphModule
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

from clprobe.aten.graph import Graph
from clprobe.aten.held import Held
from clprobe.aten.running import OnHost
from clprobe.aten.training import drawing_operations
from clprobe.tensor import Device
from clprobe.tensor.errors import OutOfMemoryError

REPLAYS = 3
_TOLERANCE = 2e-5
"""Of the largest value that an output holds, and of each: sums are taken in other orders."""
_MOST_BYTES = 64 << 20


@dataclass(slots=True)
class Tally:
    """What came of the samples of one operation in one direction."""

    agreed: int = 0
    failed: list[str] = field(default_factory=list)
    fallen_back: set[str] = field(default_factory=set)
    differing_replays: int = 0
    on_device: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Sample:
    """A function of tensors, and these; those that need a gradient get one."""

    name: str
    call: Callable[..., Any]
    inputs: list[torch.Tensor]
    after: Callable[[Any], Any]
    """Makes of the outputs what a gradient makes sense of."""


def name_of(info: Any) -> str:
    """Return an entry's name with its variant, as `full_name` has it in newer releases of torch."""
    return f"{info.name}.{info.variant_test_name}".rstrip(".")


def operations(only: tuple[str, ...] = ()) -> list[Any]:
    """Return PyTorch's entries that take float32, in their order."""
    return [
        one
        for one in op_db
        if torch.float32 in one.supported_dtypes("cpu")
        and (not only or name_of(one) in only)
        # Whatever they hold is right.
        and not one.name.startswith(("empty", "new_empty"))
    ]


def samples(info: Any, most: int | None = None) -> Iterator[Sample]:
    """Yield the samples of an entry."""
    torch.manual_seed(1)
    made = info.sample_inputs("cpu", torch.float32, requires_grad=info.supports_autograd)
    for at, sample in enumerate(islice(made, most)):
        leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        where = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        call = partial(_called, info.op, leaves, spec, where)
        given = [leaves[n] for n in where]
        yield Sample(f"{name_of(info)}[{at}]", call, given, sample.output_process_fn_grad)


def _called(op: Any, leaves: list[Any], spec: Any, where: list[int], *tensors: Any) -> Any:
    """Call an operation with the tensors among its arguments replaced."""
    replaced = list(leaves)
    for n, tensor in zip(where, tensors, strict=True):
        replaced[n] = tensor
    first, args, kwargs = pytree.tree_unflatten(replaced, spec)
    return op(first, *args, **kwargs)


class _Executor:
    """Compiles for AOTAutograd: each graph is run by ours."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.graphs: list[Graph] = []
        self.draws = False

    def __call__(self, module: GraphModule, _: Any) -> Any:
        """Return what runs a graph on the device and brings its results to the host."""
        self.draws |= bool(drawing_operations(module))
        graph = Graph(module, self.device)
        self.graphs.append(graph)

        def run(given: list[Any]) -> list[Any]:
            return [_host(one) for one in graph.run(list(given)).outputs]

        return make_boxed_func(lambda *given: run(given))

    def ran(self, what: str) -> set[str]:
        """Return the operations of all graphs that ran on the device, or fell back."""
        return set().union(*(getattr(one.account, what) for one in self.graphs))


def _host(value: Any) -> Any:
    if isinstance(value, Held):
        return value.to_host()
    return value.value if isinstance(value, OnHost) else value


def run(sample: Sample, device: Device, tally: Tally) -> None:
    """Add to the tally what comes of a sample; nothing where it is none of ours."""
    try:
        right = _results(sample.call, sample)
    # What torch cannot do with its own sample tells nothing about us.
    except Exception:  # noqa: BLE001
        return
    if any(map(_is_foreign, (*sample.inputs, *right))):
        return
    executor = _Executor(device)
    call = aot_function(sample.call, executor, executor, decompositions={})
    problem = ""
    seen: list[list[torch.Tensor]] = []
    try:
        seen = [_results(call, sample) for _ in range(REPLAYS)]
    except OutOfMemoryError:
        return
    except Exception as error:  # noqa: BLE001 - each is a failure of that sample
        problem = f"{type(error).__name__}: {error}"
    # What depends on values is no graph, and two draws are never alike.
    if not executor.graphs or executor.draws or not (executor.ran("on_device") or problem):
        return
    tally.fallen_back |= executor.ran("fallen_back")
    tally.on_device |= executor.ran("on_device")
    problem = problem or next(filter(None, (_difference(one, right) for one in seen)), "")
    if problem:
        tally.failed.append(f"{sample.name}: {problem[:300]}")
        return
    tally.agreed += 1
    tally.differing_replays += any(not _equal(seen[0], one) for one in seen[1:])


def _results(call: Any, sample: Sample) -> list[torch.Tensor]:
    """Return the outputs, and the gradients of a weighted sum of them."""
    given = [one.detach().clone().requires_grad_(one.requires_grad) for one in sample.inputs]
    result = call(*given)
    outputs = _tensors(result)
    found = [one.detach().clone() for one in outputs]
    ends = [one for one in _tensors(sample.after(result)) if one.requires_grad]
    wanted = [one for one in given if one.requires_grad]
    if ends and wanted:
        weights = [_weights(one) for one in ends]
        slopes = torch.autograd.grad(ends, wanted, weights, allow_unused=True)
        found += [
            torch.zeros_like(one) if slope is None else slope
            for one, slope in zip(wanted, slopes, strict=True)
        ]
    return found


def _weights(output: torch.Tensor) -> torch.Tensor:
    """Return weights between 0.5 and 1.5, which follow from the shape alone."""
    count = output.numel()
    return (torch.arange(count, dtype=output.dtype) % 7 / 7 + 0.5).reshape(output.shape)


def _is_foreign(one: torch.Tensor) -> bool:
    """Say whether it holds what no graph of ours ever does."""
    return (
        one.layout != torch.strided
        or one.is_complex()
        or one.dtype == torch.float64
        or one.device.type != "cpu"
        or one.numel() * one.element_size() > _MOST_BYTES
    )


def _tensors(result: Any) -> list[torch.Tensor]:
    return [one for one in pytree.tree_leaves(result) if isinstance(one, torch.Tensor)]


def _difference(own: list[torch.Tensor], right: list[torch.Tensor]) -> str:
    if len(own) != len(right):
        return f"{len(own)} outputs, not {len(right)}"
    for one, other in zip(own, right, strict=True):
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"{one.dtype} {tuple(one.shape)}, not {other.dtype} {tuple(other.shape)}"
        finite = other[other.isfinite()] if other.is_floating_point() else other
        scale = float(finite.abs().max()) if finite.numel() and other.is_floating_point() else 0.0
        bounds = {"rtol": _TOLERANCE, "atol": _TOLERANCE * max(1.0, scale)}
        try:
            torch.testing.assert_close(one, other.detach(), **bounds, equal_nan=True)
        except AssertionError as error:
            return " ".join(str(error).split())
    return ""


def _equal(own: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(
        torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))
        for a, b in zip(own, other, strict=True)
    )
