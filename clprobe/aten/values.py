# SPDX-License-Identifier: MIT
"""Arguments and results of a graph's nodes: tensors in lists, tuples and dictionaries."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.fx import Node

from clprobe.aten.held import Held
from clprobe.aten.running import OnHost


def mapped(structure: Any, values: Mapping[str, Any]) -> Any:
    """Return arguments with what nodes stand for in their place."""
    match structure:
        case Node():
            return values[structure.name]
        case list() | tuple():
            return type(structure)(mapped(each, values) for each in structure)
        case dict():
            return {key: mapped(each, values) for key, each in structure.items()}
    return structure


def tensors(structure: Any) -> Iterator[Held | OnHost]:
    """Yield the tensors among arguments."""
    match structure:
        case Held() | OnHost():
            yield structure
        case list() | tuple():
            for each in structure:
                yield from tensors(each)
        case dict():
            yield from tensors(list(structure.values()))


def as_tensors(structure: Any) -> Any:
    """Return arguments as torch takes them, on the CPU."""
    match structure:
        case Held():
            return structure.to_host()
        case OnHost():
            return structure.value
        case list() | tuple():
            return type(structure)(as_tensors(each) for each in structure)
        case dict():
            return {key: as_tensors(each) for key, each in structure.items()}
    return structure


def as_hosts(name: str, result: Any) -> Any:
    """Return what torch made, under the name of its node."""
    if isinstance(result, torch.Tensor):
        return OnHost(name, result)
    if isinstance(result, list | tuple):
        return [as_hosts(f"{name}.{at}", each) for at, each in enumerate(result)]
    return result
