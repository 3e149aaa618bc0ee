# SPDX-License-Identifier: MIT
"""The page of the Python API: signatures and docstrings of all that `import clprobe` gives."""

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from clprobe.manual.topics import Block


class Documented(NamedTuple):
    """A function or type: its name, how it is called or made, and what its docstring tells."""

    name: str
    signature: str
    told: tuple[Block, ...]


def documented(public: Mapping[str, Any]) -> Iterator[Documented]:
    """Yield the functions, then the types."""
    for name, value in sorted(public.items(), key=lambda one: (inspect.isclass(one[1]), one[0])):
        yield Documented(f"clprobe.{name}", _signature(name, value), told_by(value))


def told_by(value: object) -> tuple[Block, ...]:
    """Return the docstring in paragraphs."""
    text = inspect.getdoc(value) or ""
    return tuple(Block("paragraph", " ".join(part.split())) for part in text.split("\n\n"))


def _signature(name: str, value: Any) -> str:
    """Return how it is called, with a line for each parameter; of types, modules are left out."""
    signature = inspect.signature(value)
    shown = [_short(str(one)) for one in signature.parameters.values()]
    kinds = [one.kind for one in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    lines = "".join(f"    {one},\n" for one in shown)
    result = signature.return_annotation
    returned = "" if result is inspect.Signature.empty else f" -> {_short(_name(result))}"
    return f"{name}(\n{lines}){returned}"


def _name(annotation: object) -> str:
    return inspect.formatannotation(annotation)


def _short(text: str) -> str:
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", text)
