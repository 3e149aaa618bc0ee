# SPDX-License-Identifier: MIT
"""The backend of `torch.compile(model, backend="clprobe")`. Experimental.

Tensors of the CPU go in and come out; activations stay on the device from forward to backward, and
parameters until something changes them. What runs with inputs of the same sizes again is captured
and replayed (`replay`).
"""

import weakref
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torch._dynamo.backends.common import aot_autograd
from torch._guards import TracingContext
from torch.fx import GraphModule

from clprobe.aten.graph import Graph
from clprobe.aten.halves import floated, inside
from clprobe.aten.held import Held, host_values
from clprobe.aten.options import Options, device_of
from clprobe.aten.replay import Outputs, Replays
from clprobe.aten.running import OnHost
from clprobe.aten.training import plain_operations
from clprobe.aten.versions import refuse_older_torch
from clprobe.tensor import Array, Device, DeviceError
from clprobe.tensor.storage import Storage

Compiled = Callable[[list[Any]], list[Any]]
_HELD = "_clprobe_held"
_TOLERANCE = 1e-3
"""Of the size of a result; five steps of a ResNet-18 differ by less from eager's."""
_TOLERANCE_OF_HALVES = 3e-2
"""Where the device multiplies halves that torch, to be held against it, has in float."""
_DEVICES: dict[str, Device] = {}


def clprobe(
    module: GraphModule, example: Sequence[Any], *, options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Return what runs a captured piece of a model on an OpenCL device.

    `options`: `device` (an index, gpu, cpu, a driver or part of a name), `fallback` ("cpu": what
    has no kernel runs in torch; "error": it is refused by name), `check` (compare so many first
    runs of each graph with torch's own).

    **Raises** ClprobeError for options that are none, a device that is not there, or an old torch.
    """
    refuse_older_torch(torch.__version__)
    chosen = Options.of(options or {})
    device = _DEVICES.get(chosen.device) or _DEVICES.setdefault(
        chosen.device, device_of(chosen.device)
    )
    backend = _Backend(device, chosen)
    compiler = aot_autograd(
        fw_compiler=backend.forward,
        bw_compiler=backend.backward,
        inference_compiler=backend.inference,
        decompositions={},
    )
    with plain_operations():
        compiled: Callable[..., Any] = compiler(module, example)
    return compiled


class _Backend:
    """Compiles the graphs of one captured piece."""

    def __init__(self, device: Device, options: Options) -> None:
        self._device = device
        self._options = options
        self._lasting: weakref.WeakSet[Storage] = weakref.WeakSet()
        self._parameters = _Parameters(device, self._lasting)

    def forward(self, module: GraphModule, _: Sequence[Any]) -> Compiled:
        """Return the forward pass, which keeps on the device what the backward pass needs."""
        context = TracingContext.try_get()
        assert context is not None  # noqa: S101 - torch compiles within one
        metadata: Any = context.fw_metadata
        return self._compiled(module, metadata.tensors_saved_for_backwards_slice)

    def backward(self, module: GraphModule, _: Sequence[Any]) -> Compiled:
        """Return the backward pass."""
        return self._compiled(module, None)

    inference = backward

    def _compiled(self, module: GraphModule, saved: slice | None) -> Compiled:
        graph = Graph(module, self._device, may_fall_back=self._options.fallback == "cpu")
        replays = Replays(graph, self._device, self._lasting)
        left_to_check = [self._options.check]

        def run(given: list[Any]) -> list[Any]:
            entering = [self._entering(each) for each in given]
            if left_to_check[0]:
                left_to_check[0] -= 1
                made = Outputs(graph.run(entering).outputs)
                _compare(graph, given, made.values)
            else:
                made = replays.run(entering)
            given.clear()
            outputs = made.values
            kept = set(range(len(outputs))[saved]) if saved is not None else set()
            # What a replay overwrites is nobody's to keep.
            used: Container[Storage] | None = None
            if made.captured is None:
                used = _used([*entering, *(outputs[at] for at in kept)]) | _repeated(outputs)
                used |= {each.storage for each in graph.constants.values()}
            leaving = [
                _placeholder(each)
                if at in kept and isinstance(each, Held)
                else _leaving(each, used)
                for at, each in enumerate(outputs)
            ]
            if made.captured is not None:
                replays.keep(made.captured, (one for one in leaving if hasattr(one, _HELD)))
            return leaving

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    def _entering(self, value: Any) -> Any:
        held = getattr(value, _HELD, None)
        if held is not None:
            return held
        return self._parameters.held(value) if isinstance(value, nn.Parameter) else value


class _Parameters:
    """Parameters whose values lie on the device until something changes them."""

    def __init__(self, device: Device, lasting: "weakref.WeakSet[Storage]") -> None:
        self._device = device
        self._lasting = lasting
        self._known: dict[int, tuple[weakref.ref[Any], int, Held]] = {}

    def held(self, parameter: Any) -> Held:
        """Return the values on the device, brought there anew if they changed."""
        key, version = id(parameter), parameter._version
        known = self._known.get(key)
        held = None
        if known is not None and known[0]() is parameter:
            held = known[2]
            if known[1] == version:
                return held
        if held is not None and held.shape == tuple(parameter.shape):
            # Where it is, for captured graphs read it there.
            held.base.assign(host_values(parameter))
        else:
            held = Held.of(Array.from_numpy(host_values(parameter), self._device))
            self._lasting.add(held.base.storage)
        forget = partial(self._forget, key)
        self._known[key] = (weakref.ref(parameter, forget), version, held)
        return held

    def _forget(self, key: int, _: Any) -> None:
        self._known.pop(key, None)


def _placeholder(held: Held) -> torch.Tensor:
    """Return what stands for values on the device between forward and backward."""
    empty = torch.empty(0)
    setattr(empty, _HELD, held)
    return empty


def _used(values: Iterable[Any]) -> set[Storage]:
    """Return where values lie on the device that it will read again."""
    return {each.base.storage for each in values if isinstance(each, Held)}


def _repeated(outputs: Iterable[Any]) -> set[Storage]:
    """Return what several outputs show, each of which torch may change alone."""
    counts = Counter(each.base.storage for each in outputs if isinstance(each, Held))
    return {storage for storage, count in counts.items() if count > 1}


def _leaving(output: Any, used: Container[Storage] | None = None) -> Any:
    """Return a tensor of the CPU: the memory itself where nobody else uses it, given what does."""
    match output:
        case Held() if used is not None:
            return output.given_away(used)
        case Held():
            return output.to_host()
        case OnHost():
            return output.value
    return output


def _compare(graph: Graph, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Hold what the device made against torch's own.

    **Raises** DeviceError, naming the outputs that differ.
    """
    given = floated([_leaving(inside(getattr(each, _HELD, each))) for each in inputs])
    with torch.no_grad():
        right = graph.module(*given)
    tolerance = _TOLERANCE_OF_HALVES if graph.multiplies_in_half else _TOLERANCE
    wrong = []
    for at, (own, other) in enumerate(zip(outputs, right, strict=True)):
        if not isinstance(other, torch.Tensor):
            continue
        seen = _leaving(own)
        apart = float((seen.double() - other.to(seen.dtype).double()).norm())
        allowed = tolerance * max(float(other.double().norm()), 1.0)
        if not apart <= allowed:
            wrong.append(f"output {at} of shape {tuple(other.shape)} by {apart:.3g}")
    if wrong:
        raise DeviceError(
            f"The device computes otherwise than torch: {'; '.join(wrong)}.",
            hint="Do not train on this device; `clprobe bench` says which kernels are wrong.",
        )
