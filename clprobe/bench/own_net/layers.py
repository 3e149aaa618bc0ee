# SPDX-License-Identifier: MIT
"""From torch's layers to clprobe's, one by one; what has no counterpart is named."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn as theirs
from torch.fx import Node

from clprobe.knowledge.checked_yaml import parse
from clprobe.tensor import Device, Tensor, functions
from clprobe.tensor import nn as ours

Forward = Callable[[Tensor], Tensor]

_PASSING = (theirs.Identity, theirs.Dropout, theirs.Dropout1d, theirs.Dropout2d)
_ON_LAST_AXIS = (-1, 1)
_ACTIVATIONS: dict[type, Forward] = {
    theirs.GELU: functions.gelu,
    theirs.Sigmoid: functions.sigmoid,
    theirs.Tanh: functions.tanh,
}
_TORCH = parse(Path(__file__).parent.parent / "data" / "torch_layers.yaml")
# Behind these, functions and layers order their arguments differently.
_ALIKE = 3


class _Activation(ours.Module):
    """A function of each value."""

    def __init__(self, function: Forward) -> None:
        self._function = function

    def forward(self, x: Tensor) -> Tensor:
        """Return the function of x."""
        return self._function(x)


class _Unbiased(ours.Module):
    """A layer without its bias."""

    def __init__(self, layer: Any) -> None:
        layer.bias = None
        self._layer = layer

    def forward(self, x: Tensor) -> Tensor:
        """Return what the layer makes of x."""
        y: Tensor = self._layer(x)
        return y

    def own_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Yield the weight."""
        yield "weight", self._layer.weight


def layer_of_call(name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """Return torch's layer that does what a call of its function does; None: there is none."""
    takes_tensor = any(isinstance(value, Node) for value in (*arguments, *options.values()))
    if name not in _TORCH["calls"] or len(arguments) > _ALIKE or takes_tensor:
        return None
    given = {key: value for key, value in options.items() if key != "inplace"}
    try:
        return getattr(theirs, _TORCH["calls"][name])(*arguments, **given)
    except TypeError:
        return None


def unsupported_layer(layer: Any) -> str | None:
    """Return what of a torch layer is not supported, by name; None if all of it is."""
    name = type(layer).__name__
    if isinstance(layer, _PASSING):
        return None
    if type(layer) in _ACTIVATIONS:
        way = getattr(layer, "approximate", "none")
        return None if way == "none" else f"{name} with approximate={way!r}"
    if _counterpart(layer) is None:
        return name
    problem = _unusual(layer)
    return None if problem is None else f"{name} with {problem}"


def translated(layer: Any, device: Device) -> ours.Module | None:
    """Return clprobe's layer with the same parameters; None for one that does nothing."""
    if isinstance(layer, _PASSING):
        return None
    if type(layer) in _ACTIVATIONS:
        return _Activation(_ACTIVATIONS[type(layer)])
    make: Any = _counterpart(layer)
    stated: dict[str, Any] = {"device": device, "generator": np.random.default_rng(0)}
    accepted = inspect.signature(make.__init__).parameters
    common = {key: value for key, value in stated.items() if key in accepted}
    module: ours.Module = make(*_positional(layer), **_options(layer, accepted), **common)
    if _is_unbiased(layer):
        module = _Unbiased(module)
    state = layer.state_dict()
    module.load_state({key: state[key].numpy() for key in module.state()})
    return module


def _counterpart(layer: Any) -> type | None:
    """Return clprobe's class for the layer; None where clprobe has none."""
    name = _TORCH["counterparts"].get(type(layer).__name__)
    return None if name is None else getattr(ours, name)


def _positional(layer: Any) -> tuple[Any, ...]:
    match layer:
        case theirs.Linear():
            return layer.in_features, layer.out_features
        case theirs.Conv2d() | theirs.ConvTranspose2d():
            return layer.in_channels, layer.out_channels, _plain(layer.kernel_size)
        case theirs.MaxPool2d() | theirs.AvgPool2d():
            return _plain(layer.kernel_size), _plain(layer.stride)
        case theirs.BatchNorm1d() | theirs.BatchNorm2d():
            return (layer.num_features,)
        case theirs.LayerNorm():
            return (tuple(layer.normalized_shape),)
    return ()


def _options(layer: Any, accepted: Any) -> dict[str, Any]:
    """Return what the layer states beyond its sizes, as far as clprobe's layer takes it."""
    is_pool = isinstance(layer, theirs.MaxPool2d | theirs.AvgPool2d)
    return {
        own: _plain(getattr(layer, their))
        for own, their in _TORCH["options"].items()
        if own in accepted and hasattr(layer, their) and not (is_pool and own == "stride")
    }


def _unusual(layer: Any) -> str | None:
    """Return the setting that clprobe's layer does not have."""
    accepted = inspect.signature(_counterpart(layer).__init__).parameters  # type: ignore[misc]
    optional = _TORCH["usual_where_there_is_no_option"]
    absent = {key: value for key, value in optional.items() if key not in accepted}
    for key, value in {**_TORCH["usual"], **absent}.items():
        if _plain(getattr(layer, key, value)) != value:
            return f"{key}={getattr(layer, key)}"
    if hasattr(layer, "bias") and layer.bias is None and not _is_unbiased(layer):
        return "bias=False"
    if isinstance(layer, theirs.AdaptiveAvgPool2d) and _plain(layer.output_size) != 1:
        return f"output_size={layer.output_size}"
    if isinstance(layer, theirs.Softmax | theirs.LogSoftmax) and layer.dim not in _ON_LAST_AXIS:
        return f"dim={layer.dim}"
    return _odd_size(layer, accepted)


def _is_unbiased(layer: Any) -> bool:
    """Return whether this is a layer without a bias that clprobe can do without one."""
    kinds = (theirs.Linear, theirs.Conv2d, theirs.ConvTranspose2d)
    return isinstance(layer, kinds) and layer.bias is None


def _odd_size(layer: Any, accepted: Any) -> str | None:
    """Return a size of two numbers where clprobe's layer takes one."""
    for key in ("kernel_size", "stride", "padding"):
        value = getattr(layer, key, 0)
        if isinstance(value, str):
            return f"{key}={value!r}"
        if isinstance(_plain(value), tuple) and not _takes_pairs(accepted):
            return f"{key}={value}"
    return None


def _takes_pairs(accepted: Any) -> bool:
    return any(
        "Pair" in str(one.annotation) or "Size" in str(one.annotation) for one in accepted.values()
    )


def _plain(value: Any) -> Any:
    """Return one number for a pair of equal ones."""
    if isinstance(value, tuple) and len(set(value)) == 1:
        return value[0]
    return value
